"""Types of structured arrays. Units are SI, vectors in world axes."""

from __future__ import annotations

import numpy as np

#: A near pair at the end of a step; impulses are those of the step on body B.
CONTACT = np.dtype(
    [
        ("body_a", "i8"),  # rows of the arrays of the simulation
        ("body_b", "i8"),
        ("part_a", "i8"),  # of the body, in its order; 0 where it has one
        ("part_b", "i8"),
        ("point", "f8", (3,)),  # where friction acts (m)
        ("normal", "f8", (3,)),  # unit, from A into B
        ("gap", "f8"),  # signed distance (m)
        ("normal_impulse", "f8"),  # N s, >= 0 but for cohesion
        ("friction_impulse", "f8", (3,)),  # N s, in the contact plane
        ("torsional_impulse", "f8"),  # N m s, about the normal
        ("torsional_radius", "f8"),  # m: torsion is at most mu times it times the normal impulse
        ("rolling_impulse", "f8", (3,)),  # N m s, couple of rolling resistance, in the contact plane
        ("cohesion_impulse", "f8"),  # N s, what the normal impulse may pull with at most
        ("slip_speed", "f8"),  # m/s
        ("state", "U7"),  # open, stick or slip
        ("kind", "U7"),  # point, line or surface
        ("points", "i8"),  # contact points that touch
        ("substep_start", "f8"),  # part of the step in which the impulses acted
        ("substep_end", "f8"),
        # step; where something struck: position, whose impulses do not count, and impact, or compression and
        # expansion
        ("phase", "U11"),
        # of body B that is met, in lengths of a periodic box; the point is as A has it
        ("image", "i4", (3,)),
    ]
)

#: A joint; impulses are those of the last step on body B. Pairs hold what belongs to the
#: slide or length, and what belongs to the angle; NaN where there is no such coordinate.
JOINT = np.dtype(
    [
        ("joint", "i8"),  # place in Scene.joint_names
        ("point", "f8", (3,)),  # where the force acts (m)
        ("impulse", "f8", (3,)),  # N s
        ("angular_impulse", "f8", (3,)),  # N m s, about the point
        ("error", "f8", (2,)),  # violation: m, rad
        ("coordinate", "f8", (2,)),  # now: m, rad
        ("rate", "f8", (2,)),  # now: m/s, rad/s
        ("motion_impulse", "f8", (2,)),  # of prescribed motion: N s, N m s
        ("motor_impulse", "f8", (2,)),
        ("limit_impulse", "f8", (2,)),  # positive at the lower limit
        ("coupling_impulse", "f8", (2,)),
        ("turns", "f8"),  # whole turns of a coupled joint since time 0, to add to the angle
        ("damage_start", "f8"),  # of mortar, before the step: it holds while this is below 1
        ("damage", "f8"),  # of mortar, after the step
        ("substep_start", "f8"),
        ("substep_end", "f8"),
    ]
)

#: What a sensor tells of the last step, in its axes; NaN where its first body has left.
SENSOR = np.dtype(
    [
        ("sensor", "i8"),  # place in the scene
        ("force", "f8", (3,)),  # N
        ("torque", "f8", (3,)),  # N m, about the point of the sensor
    ]
)

_COPY = [("copy", "i8")]  # number of the copy in a VectorSim

#: A near pair of a copy: `CONTACT`, behind the number of the copy.
COPY_CONTACT = np.dtype(_COPY + CONTACT.descr)

#: A joint of a copy: `JOINT`, behind the number of the copy.
COPY_JOINT = np.dtype(_COPY + JOINT.descr)
