//! Track tests: a part begins in each of its resting poses at many yaws on a track, and comes to an exit in
//! some pose, is rejected, or stays. What is an exit and what rejects is told by boxes in space.

mod figure;
mod files;
mod posture;
mod region;
mod series;
mod summary;
mod tally;
mod test;
mod trial;

pub use files::TrackFiles;
pub use region::{Region, RegionKind, parse_box, parse_regions, read_regions};
pub use series::TrackSeries;
pub use summary::{Certificate, TrackSummary};
pub use tally::{MatrixRow, YawRow};
pub use test::{TrackOptions, TrackTest, read_poses};
pub use trial::{TrackEnd, TrackRow};
