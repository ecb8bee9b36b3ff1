//! Kind and facets of a contact: a point, a line or a surface.

/// Kind of a contact, by its dimension.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContactKind {
    /// At one point.
    Point,
    /// Along a line.
    Line,
    /// Over a surface.
    Surface,
}

impl ContactKind {
    /// The word used in CSV and scene files.
    pub fn as_str(self) -> &'static str {
        match self {
            ContactKind::Point => "point",
            ContactKind::Line => "line",
            ContactKind::Surface => "surface",
        }
    }
}

/// Kind, number of contact points and active facets of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Point, line or surface.
    pub kind: ContactKind,
    /// Number of contact points that touch.
    pub points: usize,
    /// Facets f_i ≤ 0 of A and of B that hold with equality over all of the contact: of a box 3 at a corner,
    /// 2 along an edge, 1 on a face; a cylinder has its side and two caps.
    pub active_facets: [usize; 2],
}

impl Default for Touch {
    /// Contact of two smooth surfaces.
    fn default() -> Self {
        Self { kind: ContactKind::Point, points: 1, active_facets: [1, 1] }
    }
}
