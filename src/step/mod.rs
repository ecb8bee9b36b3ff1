//! Input of a step (loads, impulses that are due) and its report (contacts, joints, substeps, outcome).

mod change;
mod contact_record;
mod flow_record;
mod flow_tally;
mod joint_record;
mod loads;
mod sensor_reading;
mod solved_problem;
mod step_info;
mod substep;
mod triggers;

pub use change::{BodyTangent, Change, PlaceTangent};
pub(crate) use contact_record::ContactKey;
pub use contact_record::{Acting, ContactRecord, ContactState};
pub use flow_record::{FlowEvent, FlowRecord};
pub use flow_tally::{FlowTally, PortEvent, PortTally};
pub use joint_record::JointRecord;
pub use loads::Loads;
pub use sensor_reading::{SensorReading, read_sensor};
pub use solved_problem::SolvedProblem;
pub use step_info::{StepInfo, Switch};
pub use substep::{BodyState, Span, StepPhase, Substep, n_halved};
pub use triggers::Triggers;
