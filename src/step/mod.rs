//! What a step is told (loads, what is due) and what it reports (contacts, joints, substeps, how it went).

mod contact_record;
mod flow_record;
mod flow_tally;
mod joint_record;
mod loads;
mod step_info;
mod substep;
mod triggers;

pub(crate) use contact_record::ContactKey;
pub use contact_record::{Acting, ContactRecord, ContactState};
pub use flow_record::{FlowEvent, FlowRecord};
pub use flow_tally::{FlowTally, GateTally, Passage};
pub use joint_record::JointRecord;
pub use loads::Loads;
pub use step_info::{StepInfo, Switch};
pub use substep::{BodyState, Span, StepPhase, Substep, n_halved};
pub use triggers::Triggers;
