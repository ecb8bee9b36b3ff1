//! Steps in which islands were halved: every substep is judged as a step of a smaller scene, which holds the bodies
//! of the island and the fixed ones; the other bodies are judged over the whole step in a scene without the halved
//! islands; and at the end of the step all pairs of bodies must be apart.
//!
//! A substep has the time step h times its fraction and the p_ref of the step times the same fraction: the errors
//! of all substeps together may be as large as those of a step. Forces act in every substep, impulses in the first.
//! Where bodies of different islands are WITHIN the step is not judged: they share no instant but its end.

use super::bodies::{self, Scales};
use super::energy::Energy;
use super::separation::{SmallestGap, pair_key};
use super::{Findings, Referee, TOLERANCES, Verdict, inconsistent_record, is_too_deep};
use crate::geometry::Pose;
use crate::math::raise;
use crate::scene::{Joint, Scene, State};
use crate::settings::Integrator;
use crate::step::{ContactRecord, JointRecord, Loads, Span, Substep};

/// A step as it is told.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    pub before: &'a State,
    pub after: &'a State,
    pub loads: &'a Loads,
    pub contacts: &'a [ContactRecord],
    pub joints: &'a [JointRecord],
    pub substeps: &'a [Substep],
    /// Whether `before` is told, or only rebuilt from the state after the (sub)step.
    pub start_known: bool,
}

impl Referee {
    /// Judges a step of which some islands were halved.
    pub(super) fn judge_parts(&mut self, scene: &Scene, told: Told<'_>) -> Verdict {
        let Some(islands) = chains(scene, &told) else { return inconsistent_record() };
        let mut owner = vec![None; scene.bodies.len()];
        for (k, chain) in islands.iter().enumerate() {
            chain[0].bodies.iter().for_each(|state| owner[state.body] = Some(k));
        }
        if !told.contacts.iter().all(|c| belongs(scene, c, &owner, &islands)) {
            return inconsistent_record();
        }
        bodies::place(&mut self.bodies, scene, told.before, told.after);
        let scales = bodies::scales(&self.bodies, told.before, told.loads, scene.time_step);
        let mut sum = Sum::new();
        for (k, chain) in islands.iter().enumerate() {
            let mut part = Part::new(scene, &told, |body| owner[body] == Some(k));
            // Substeps are implicit Euler's whatever the integrator.
            part.scene.solver.integrator = Integrator::ImplicitEuler;
            for (place, substep) in chain.iter().enumerate() {
                let mut after = part.state.clone();
                let driven = part.driven(&told, scene.time_step, substep.span);
                for (at, pose) in &driven {
                    after.poses[*at] = *pose;
                    after.velocities[*at] = told.after.velocities[part.ids[*at]];
                }
                for state in &substep.bodies {
                    let at = part.place[state.body];
                    (after.poses[at], after.velocities[at]) = (state.pose, state.velocity);
                }
                let known = told.start_known || place > 0;
                sum.add(part.judge(scene, &told, &scales, substep.span, after, driven, known));
            }
        }
        let mut rest = Part::new(scene, &told, |body| owner[body].is_none());
        if rest.scene.bodies.iter().any(|body| !body.fixed) {
            let after = rest.selection(told.after);
            let driven = rest.driven(&told, scene.time_step, Span::WHOLE);
            sum.add(rest.judge(scene, &told, &scales, Span::WHOLE, after, driven, told.start_known));
        }
        self.close(scene, &told, scales, &sum)
    }

    /// Energy of all bodies and separation of all pairs at the end of the step.
    fn close(&mut self, scene: &Scene, told: &Told<'_>, scales: Scales, sum: &Sum) -> Verdict {
        let mut smallest = sum.smallest;
        self.separation.listed.clear();
        self.separation.listed.extend_from_slice(&self.joined);
        let last = told.contacts.iter().filter(|c| c.span.end == 1.0);
        self.separation.listed.extend(last.map(|c| pair_key(c.body_a, c.body_b)));
        self.separation.sweep(&self.bodies, &mut smallest);
        let residual = TOLERANCES * scene.solver.tolerance;
        let (before, after) = (told.before, told.after);
        let energy = Energy::of_bodies(scene, &self.bodies, before, after, told.loads, &scales, residual);
        self.contacts.clear();
        let created = sum.created;
        self.findings = Findings { scales, energy: Energy { created, ..energy }, ..Findings::default() };
        Verdict {
            min_gap: smallest.absolute,
            min_gap_relative: smallest.relative,
            kinetic_energy: energy.kinetic,
            potential_energy: energy.potential,
            energy_created: if created > energy.rounding { created } else { 0.0 },
            green: sum.verdict.green && !is_too_deep(scene, &smallest),
            ..sum.verdict
        }
    }
}

/// The verdicts of the parts, together.
struct Sum {
    verdict: Verdict,
    smallest: SmallestGap,
    created: f64,
}

impl Sum {
    fn new() -> Self {
        Self {
            verdict: Verdict { green: true, ..Verdict::default() },
            smallest: SmallestGap::NONE,
            created: 0.0,
        }
    }

    fn add(&mut self, (verdict, created): (Verdict, f64)) {
        let sum = &mut self.verdict;
        raise(&mut sum.momentum, verdict.momentum);
        raise(&mut sum.complementarity, verdict.complementarity);
        raise(&mut sum.friction, verdict.friction);
        raise(&mut sum.relative, verdict.relative);
        raise(&mut sum.joint_error, verdict.joint_error);
        sum.green &= verdict.green;
        self.smallest.see(verdict.min_gap, f64::INFINITY);
        if verdict.min_gap_relative.is_nan() || verdict.min_gap_relative < self.smallest.relative {
            self.smallest.relative = verdict.min_gap_relative;
        }
        self.created += created;
    }
}

/// A scene of some of the bodies and the fixed ones, taken from substep to substep.
struct Part {
    scene: Scene,
    referee: Referee,
    /// Bodies of the part in the whole scene, and the place of every body in the part.
    ids: Vec<usize>,
    /// Joints of the part in the whole scene.
    joints: Vec<usize>,
    place: Vec<usize>,
    /// At the start of the next substep.
    state: State,
}

impl Part {
    fn new(scene: &Scene, told: &Told<'_>, included: impl Fn(usize) -> bool) -> Self {
        let n = scene.bodies.len();
        let ids: Vec<usize> = (0..n).filter(|i| scene.bodies[*i].fixed || included(*i)).collect();
        let mut place = vec![usize::MAX; n];
        ids.iter().enumerate().for_each(|(at, id)| place[*id] = at);
        let inside = |j: &usize| scene.joints[*j].bodies.iter().all(|id| place[*id] != usize::MAX);
        let joints: Vec<usize> = (0..scene.joints.len()).filter(inside).collect();
        let moved = |j: &Joint| Joint { bodies: j.bodies.map(|id| place[id]), ..j.clone() };
        let scene = Scene {
            bodies: ids.iter().map(|id| scene.bodies[*id].clone()).collect(),
            friction: scene.friction.clone(),
            solver: scene.solver.clone(),
            impulses: Vec::new(),
            forces: Vec::new(),
            springs: Vec::new(),
            joints: joints.iter().map(|j| moved(&scene.joints[*j])).collect(),
            motions: Vec::new(),
            compliance: Vec::new(),
            ..*scene
        };
        let mut part =
            Self { referee: Referee::new(&scene), scene, ids, joints, place, state: State::default() };
        part.state = part.selection(told.before);
        part
    }

    fn selection(&self, state: &State) -> State {
        State {
            poses: self.ids.iter().map(|id| state.poses[*id]).collect(),
            velocities: self.ids.iter().map(|id| state.velocities[*id]).collect(),
        }
    }

    /// Where bodies with prescribed motion are at the end of a span: they go there with constant velocity.
    fn driven(&self, told: &Told<'_>, h: f64, span: Span) -> Vec<(usize, Pose)> {
        let place = |(id, end): &(usize, Pose)| {
            let gone = told.before.poses[*id].advanced(&told.after.velocities[*id], h * span.end);
            (self.place[*id], if span.end == 1.0 { *end } else { gone })
        };
        told.loads.driven.iter().map(place).collect()
    }

    /// Judges the part of a step that ends in `after`; the next one starts there. Returns the energy created, too.
    fn judge(
        &mut self,
        scene: &Scene,
        told: &Told<'_>,
        scales: &Scales,
        span: Span,
        after: State,
        driven: Vec<(usize, Pose)>,
        start_known: bool,
    ) -> (Verdict, f64) {
        self.scene.time_step = scene.time_step * span.length();
        let once = if span.start == 0.0 { 1.0 } else { 0.0 };
        let loads = Loads {
            force: self.ids.iter().map(|id| told.loads.force[*id]).collect(),
            torque: self.ids.iter().map(|id| told.loads.torque[*id]).collect(),
            linear_impulse: self.ids.iter().map(|id| told.loads.linear_impulse[*id] * once).collect(),
            driven,
            end_time: told.loads.end_time - scene.time_step * (1.0 - span.end),
            angular_impulse: self.ids.iter().map(|id| told.loads.angular_impulse[*id] * once).collect(),
        };
        let scales = Some(Scales { impulse: scales.impulse * span.length(), ..*scales });
        let own = told.contacts.iter().filter(|c| c.span == span);
        let contacts: Vec<ContactRecord> = own
            .map(|c| ContactRecord { body_a: self.place[c.body_a], body_b: self.place[c.body_b], ..*c })
            .filter(|c| c.body_a != usize::MAX && c.body_b != usize::MAX)
            .collect();
        let own = told.joints.iter().filter(|j| j.span == span);
        let placed = |j: &JointRecord| {
            let joint = self.joints.iter().position(|known| *known == j.joint)?;
            Some(JointRecord { joint, ..*j })
        };
        let joints: Vec<JointRecord> = own.filter_map(placed).collect();
        let (part, referee) = (&self.scene, &mut self.referee);
        let verdict = if start_known {
            referee.judge_scaled(part, &self.state, &after, &loads, &contacts, &joints, scales)
        } else {
            referee.judge_snapshot_scaled(part, &after, &loads, &contacts, &joints, scales)
        };
        self.state = after;
        (verdict, self.referee.findings.energy.created)
    }
}

/// The substeps by island, if those of each follow each other from 0 to 1 with the same bodies, no body is in two
/// islands, and the last ones end where the step does.
fn chains<'a>(scene: &Scene, told: &Told<'a>) -> Option<Vec<Vec<&'a Substep>>> {
    let n = scene.bodies.len();
    let mut seen = vec![false; n];
    let mut islands: Vec<Vec<&Substep>> = Vec::new();
    for substep in told.substeps {
        let same = |a: &Substep| a.bodies.iter().map(|s| s.body).eq(substep.bodies.iter().map(|s| s.body));
        let follows = |last: &&Substep| last.span.end == substep.span.start && same(last);
        match islands.last_mut() {
            Some(chain) if chain.last().is_some_and(follows) => chain.push(substep),
            _ => {
                let moving = |body: usize| body < n && !scene.bodies[body].fixed;
                if substep.span.start != 0.0 || substep.bodies.is_empty() {
                    return None;
                }
                for state in &substep.bodies {
                    if !moving(state.body) || std::mem::replace(&mut seen[state.body], true) {
                        return None;
                    }
                }
                islands.push(vec![substep]);
            }
        }
        if !(substep.span.length() > 0.0 && substep.span.end <= 1.0) {
            return None;
        }
    }
    let ends_there = |chain: &Vec<&Substep>| {
        let last = chain[chain.len() - 1];
        let same = |s: &crate::step::BodyState| {
            s.pose == told.after.poses[s.body] && s.velocity == told.after.velocities[s.body]
        };
        last.span.end == 1.0 && last.bodies.iter().all(same)
    };
    islands.iter().all(ends_there).then_some(islands)
}

/// Whether a contact is one of its bodies' island, or of none, in a part of the step that there was.
fn belongs(
    scene: &Scene,
    contact: &ContactRecord,
    owner: &[Option<usize>],
    islands: &[Vec<&Substep>],
) -> bool {
    let bodies = [contact.body_a, contact.body_b];
    if bodies.iter().any(|body| *body >= owner.len()) {
        return false;
    }
    let mut owners = bodies.into_iter().filter(|body| !scene.bodies[*body].fixed).map(|body| owner[body]);
    let first = owners.next().flatten();
    let spans = |k: usize| islands[k].iter().any(|substep| substep.span == contact.span);
    owners.all(|other| other == first) && first.map_or(contact.span == Span::WHOLE, spans)
}
