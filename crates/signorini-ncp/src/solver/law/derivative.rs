//! The derivative of the contact law: which status a contact is in, and −∂x/∂y in factored form.

/// Status of a contact at one iterate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ContactStatus {
    /// No normal impulse.
    #[default]
    Open,
    /// Friction inside the ball.
    Stick,
    /// Friction on the ball.
    Slip,
}

/// −∂x/∂y of one contact, kept in factored form. With normal derivatives g per row (see
/// `Law::normal_derivative`), c = `push` and s = Σ g_i y_i:
/// ```text
/// x_t: α y_t + d (κ s − β d·y_t) + c s
/// x_n,i: g_i (y_i + c·y_t − lift s)   (only y_i unless the law lifts)
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ProjectionDerivative {
    /// ContactStatus.
    pub status: ContactStatus,
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// κ = μ for slip in the ball, else 0: friction follows the normal impulses along d.
    pub coupling: f64,
    /// d.
    pub direction: [f64; 3],
    /// c: how friction follows the normal impulses under the other laws.
    pub push: [f64; 3],
    /// Set where normal impulses follow friction in return: the whole derivative is then symmetric.
    pub lift: Option<f64>,
}
