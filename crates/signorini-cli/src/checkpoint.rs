//! The command `signorini inspect`: the content of a checkpoint.

use super::console::say;
use super::exit::{Failure, SUCCESS};
use signorini::simulation::SavedState;
use signorini_scene::checkpoint::Checkpoint;
use std::path::Path;

/// Most bodies that are printed.
const MAX_TOLD: usize = 20;

/// Prints the content of a checkpoint.
pub fn inspect(path: &Path) -> Result<u8, Failure> {
    let checkpoint = Checkpoint::read(path)?;
    let head = &checkpoint.head;
    say(&format!("written by     signorini {}", head.version));
    say(&format!("after step     {}, t = {} s", head.step, head.time()));
    say(&format!("time step      {} s", head.time_step));
    match SavedState::of_checkpoint(&checkpoint) {
        Ok(saved) => {
            let scene = saved.scene();
            say(&format!("scene          {} steps, {} joints", scene.n_steps(), scene.joints.len()));
            say(&format!("model          {}", scene.solver.formulation.as_str()));
            let folder = if checkpoint.folder.is_empty() { "no folder" } else { "the folder of a run" };
            say(&format!("goes on        bit for bit, with {folder}"));
        }
        Err(why) => say(&format!("goes on        with poses and velocities only: {why}")),
    }
    let size = |bytes: &[u8]| format!("{:.1} kB", bytes.len() as f64 / 1e3);
    say(&format!("size           memory {}, folder {}", size(&checkpoint.memory), size(&checkpoint.folder)));
    say(&format!("bodies         {}", head.bodies.len()));
    for body in head.bodies.iter().take(MAX_TOLD) {
        let (p, v) = (&body.pose.position, &body.velocity.linear);
        say(&format!(
            "  {:<20} x {:.6} {:.6} {:.6} m   v {:.6} {:.6} {:.6} m/s",
            body.name, p.x, p.y, p.z, v.x, v.y, v.z
        ));
    }
    if head.bodies.len() > MAX_TOLD {
        say(&format!("  and {} more", head.bodies.len() - MAX_TOLD));
    }
    Ok(SUCCESS)
}
