//! A chain of rings that swings: every step is solved and green, and no ring leaves its neighbours.

use support::runs::{Run, body, changed};

/// The chain of `scenes/seeds/chain.toml` falls to one side, comes taut there and swings. The holes of its
/// rings are 50 mm long and 20 mm wide: the centres of two that hang in each other are no farther apart
/// than twice from the middle to a corner of a hole.
#[test]
fn a_chain_that_falls_to_one_side_holds_together() {
    let aside = [("duration = 0.5", "duration = 1.5\ngravity = [9.81, 0, 0]")];
    let mut run = Run::new(changed("seeds/chain.toml", &aside));
    let hook = body(run.scene(), "hook");
    let farthest = 2.0 * 0.025_f64.hypot(0.01);
    let mut lowest = 0.0_f64;
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let poses = &run.state().poses;
        for link in hook + 2..=hook + 10 {
            let apart = (poses[link].position - poses[link - 1].position).norm();
            assert!(apart < farthest, "step {step}: {apart} m between {link} and the one above");
        }
        lowest = lowest.max(poses[hook + 10].position.x);
    }
    assert!(lowest > 0.4, "its end has come {lowest} m down");
}
