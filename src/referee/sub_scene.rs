//! A smaller scene of some of the bodies and the fixed ones, taken from substep to substep.

use super::impact::{CompressionEnd, PositionPhase};
use super::record::RecordFault;
use super::recorded_step::RecordedStep;
use super::step_part::StepPart;
use super::verdict::Verdict;
use super::whole_step::WholeStep;
use crate::step::{ContactRecord, JointRecord, Loads, Span, Substep};
use signorini_geometry::Pose;
use signorini_scene::scene::{Coupling, Joint, JointCoordinate, Scene, State};
use signorini_scene::settings::Integrator;

/// A part of a step, with a judge of its own.
pub struct SubScene<'a> {
    step: &'a RecordedStep<'a>,
    /// State at the start of the step.
    before: &'a State,
    scene: Scene,
    judge: WholeStep,
    /// Bodies of the part in the whole scene.
    ids: Vec<usize>,
    /// Joints of the part in the whole scene.
    joints: Vec<usize>,
    /// Index in the part of every body of the whole scene, `usize::MAX` for those that are not in it.
    index: Vec<usize>,
    /// State at the start of the next substep.
    state: State,
    /// Compression that was judged last, if an expansion follows.
    compression: Option<CompressionEnd>,
    /// Faults of the records of all its substeps, with indices in the whole step.
    pub record_faults: Vec<RecordFault>,
}

impl<'a> SubScene<'a> {
    /// Makes the part of the bodies that are `included`, and the fixed ones.
    pub fn new(
        step: &'a RecordedStep<'a>,
        before: &'a State,
        included: impl Fn(usize) -> bool,
        checks_records: bool,
    ) -> Self {
        let (scene, n) = (step.scene, step.scene.bodies.len());
        let ids: Vec<usize> = (0..n).filter(|i| scene.bodies[*i].fixed || included(*i)).collect();
        let mut index = vec![usize::MAX; n];
        ids.iter().enumerate().for_each(|(at, id)| index[*id] = at);
        let inside = |j: &usize| scene.joints[*j].bodies.iter().all(|id| index[*id] != usize::MAX);
        let joints: Vec<usize> = (0..scene.joints.len()).filter(inside).collect();
        let moved = |j: &Joint| Joint { bodies: j.bodies.map(|id| index[id]), ..j.clone() };
        let place = |of: JointCoordinate| {
            let joint = joints.iter().position(|joint| *joint == of.joint)?;
            Some(JointCoordinate { joint, ..of })
        };
        let coupled = |c: &Coupling| Some(Coupling { of: place(c.of)?, to: place(c.to)?, ..c.clone() });
        let is_inside = |pair: &[usize; 2]| !pair.contains(&usize::MAX);
        let scene = Scene {
            bodies: ids.iter().map(|id| scene.bodies[*id].clone()).collect(),
            friction: scene.friction.clone(),
            solver: scene.solver.clone(),
            impulses: Vec::new(),
            forces: Vec::new(),
            springs: Vec::new(),
            joints: joints.iter().map(|j| moved(&scene.joints[*j])).collect(),
            couplings: scene.couplings.iter().filter_map(coupled).collect(),
            controls: Vec::new(),
            servos: Vec::new(),
            motions: Vec::new(),
            excluded: scene.excluded.iter().map(|pair| pair.map(|id| index[id])).filter(is_inside).collect(),
            compliance: Vec::new(),
            inlets: Vec::new(),
            outlets: Vec::new(),
            measures: Vec::new(),
            sensors: Vec::new(),
            ..*scene
        };
        let mut judge = WholeStep::new(&scene);
        judge.record_faults = checks_records.then(Vec::new);
        let mut part = Self {
            step,
            before,
            scene,
            judge,
            ids,
            joints,
            index,
            state: State::default(),
            compression: None,
            record_faults: Vec::new(),
        };
        part.state = part.selection(before);
        part
    }

    /// Whether any body of the part moves.
    pub fn moves(&self) -> bool {
        self.scene.bodies.iter().any(|body| !body.fixed)
    }

    /// Judges the bodies of the part over the whole step. Returns the energy created (J), too.
    pub fn judge_whole(&mut self) -> (Verdict, f64) {
        let after = self.selection(self.step.after);
        let driven = self.driven(Span::WHOLE);
        self.judge(Span::WHOLE, after, driven, self.step.before.is_some())
    }

    /// Judges a chain of substeps, which are implicit Euler's whatever the integrator.
    pub fn judge_chain(&mut self, chain: &[&Substep], mut see: impl FnMut((Verdict, f64))) {
        self.scene.solver.integrator = Integrator::ImplicitEuler;
        let mut last = (None, Span::WHOLE);
        for (place, substep) in chain.iter().enumerate() {
            let mut after = self.state.clone();
            if substep.span.is_impact() {
                for state in &substep.bodies {
                    let at = self.index[state.body];
                    (after.poses[at], after.velocities[at]) = (state.pose, state.velocity);
                }
                let is_next = |at: usize| chain.get(at).is_some_and(|other| other.span == substep.span);
                let part = if is_next(place - 1) { StepPart::Expansion } else { StepPart::First };
                see(self.judge_impact(substep.span, &last, after, (part, is_next(place + 1))));
                continue;
            }
            let is_start_known = self.step.before.is_some() || place > 0;
            last = (is_start_known.then(|| self.state.clone()), substep.span);
            let driven = self.driven(substep.span);
            for (at, pose) in &driven {
                after.poses[*at] = *pose;
                after.velocities[*at] = self.step.after.velocities[self.ids[*at]];
            }
            for state in &substep.bodies {
                let at = self.index[state.body];
                (after.poses[at], after.velocities[at]) = (state.pose, state.velocity);
            }
            see(self.judge(substep.span, after, driven, is_start_known));
        }
    }

    /// Judges a part of the impact at the end of the substep that was judged last: `before` is its start, and
    /// `is_compression` tells whether an expansion follows.
    fn judge_impact(
        &mut self,
        span: Span,
        (before, last): &(Option<State>, Span),
        after: State,
        (part, is_compression): (StepPart, bool),
    ) -> (Verdict, f64) {
        let loads = self.loads(*last, self.driven(*last));
        let islands: Vec<_> = self.scene.bodies.iter().map(|body| (!body.fixed).then_some(0)).collect();
        let contacts = self.contacts(span).filter(|(_, contact)| part.has_contact(contact));
        let (of_contacts, contacts): (Vec<usize>, Vec<ContactRecord>) = contacts.unzip();
        let joints = self.joints(span).filter(|(at, _)| part.has_joint(self.step.joints, *at));
        let (of_joints, joints): (Vec<usize>, Vec<JointRecord>) = joints.unzip();
        let recorded = RecordedStep {
            scene: &self.scene,
            before: before.as_ref(),
            after: &after,
            loads: &loads,
            contacts: &contacts,
            joints: &joints,
            substeps: &[],
        };
        let loaded: Vec<ContactRecord> = self.contacts(*last).map(|(_, contact)| contact).collect();
        let loaded = PositionPhase::loaded(loaded.iter());
        let led: Vec<JointRecord> = self.joints(*last).map(|(_, joint)| joint).collect();
        let phase = PositionPhase {
            end_state: &self.state,
            islands: &islands,
            loaded: &loaded,
            joints: &led,
            superseded_work: self.judge.driven_work(std::iter::repeat(true)),
            is_compression: &[is_compression],
            compression: None,
        };
        let phase = match &self.compression {
            Some(compression) if part == StepPart::Expansion => phase.expansion(compression, &islands),
            _ => phase,
        };
        let verdict = self.judge.judge_impact(&recorded, &phase);
        self.take_faults(&of_contacts, &of_joints);
        let ledgers = std::mem::take(&mut self.judge.ledgers);
        self.compression = is_compression.then(|| CompressionEnd { state: after.clone(), contacts, ledgers });
        self.state = after;
        (verdict, self.judge.findings.energy.created)
    }

    /// Takes the faults found in the records of these contacts and joints over from the judge.
    fn take_faults(&mut self, of_contacts: &[usize], of_joints: &[usize]) {
        let found = self.judge.record_faults.iter_mut().flat_map(|faults| faults.drain(..));
        self.record_faults.extend(found.map(|fault| fault.placed(of_contacts, of_joints)));
    }

    fn selection(&self, state: &State) -> State {
        State {
            poses: self.ids.iter().map(|id| state.poses[*id]).collect(),
            velocities: self.ids.iter().map(|id| state.velocities[*id]).collect(),
        }
    }

    /// Places of bodies with prescribed motion at the end of a span; they move with constant velocity.
    fn driven(&self, span: Span) -> Vec<(usize, Pose)> {
        let h = self.step.scene.time_step;
        let place = |(id, end): &(usize, Pose)| {
            let gone = self.before.poses[*id].advanced(&self.step.after.velocities[*id], h * span.end);
            (self.index[*id], if span.end == 1.0 { *end } else { gone })
        };
        self.step.loads.driven.iter().map(place).collect()
    }

    /// Judges the part of a step that ends in `after`, where the next one starts. Returns the energy created
    /// (J), too.
    fn judge(
        &mut self,
        span: Span,
        after: State,
        driven: Vec<(usize, Pose)>,
        is_start_known: bool,
    ) -> (Verdict, f64) {
        self.scene.time_step = self.step.scene.time_step * span.length();
        let loads = self.loads(span, driven);
        let (of_contacts, contacts): (Vec<usize>, Vec<ContactRecord>) = self.contacts(span).unzip();
        let (of_joints, joints): (Vec<usize>, Vec<JointRecord>) = self.joints(span).unzip();
        let part = RecordedStep {
            scene: &self.scene,
            before: is_start_known.then_some(&self.state),
            after: &after,
            loads: &loads,
            contacts: &contacts,
            joints: &joints,
            substeps: &[],
        };
        let verdict = self.judge.judge(&part);
        self.take_faults(&of_contacts, &of_joints);
        self.state = after;
        (verdict, self.judge.findings.energy.created)
    }

    /// Loads of a span: forces act in every substep, impulses in the first.
    fn loads(&self, span: Span, driven: Vec<(usize, Pose)>) -> Loads {
        let (ids, loads) = (&self.ids, self.step.loads);
        let once = if span.start == 0.0 { 1.0 } else { 0.0 };
        Loads {
            force: ids.iter().map(|id| loads.force[*id]).collect(),
            torque: ids.iter().map(|id| loads.torque[*id]).collect(),
            linear_impulse: ids.iter().map(|id| loads.linear_impulse[*id] * once).collect(),
            driven,
            driven_before: Vec::new(),
            end_time: loads.end_time - self.step.scene.time_step * (1.0 - span.end),
            angular_impulse: ids.iter().map(|id| loads.angular_impulse[*id] * once).collect(),
        }
    }

    /// Contacts of a span, with their indices in the whole step.
    fn contacts(&self, span: Span) -> impl Iterator<Item = (usize, ContactRecord)> {
        let own = self.step.contacts.iter().enumerate().filter(move |(_, c)| c.span == span);
        own.map(|(i, c)| {
            (i, ContactRecord { body_a: self.index[c.body_a], body_b: self.index[c.body_b], ..*c })
        })
        .filter(|(_, c)| c.body_a != usize::MAX && c.body_b != usize::MAX)
    }

    /// Joints of a span, with their indices in the whole step.
    fn joints(&self, span: Span) -> impl Iterator<Item = (usize, JointRecord)> {
        let renamed = |(i, j): (usize, &JointRecord)| {
            let joint = self.joints.iter().position(|known| *known == j.joint)?;
            Some((i, JointRecord { joint, ..*j }))
        };
        self.step.joints.iter().enumerate().filter(move |(_, j)| j.span == span).filter_map(renamed)
    }
}
