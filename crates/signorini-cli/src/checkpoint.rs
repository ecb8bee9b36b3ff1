//! The command `signorini inspect`: the content of a checkpoint.

use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use signorini::simulation::SavedState;
use signorini_error::counted;
use signorini_scene::checkpoint::Checkpoint;
use std::path::Path;

/// Most bodies that are printed.
const MAX_PRINTED: usize = 20;

/// Prints the content of a checkpoint.
pub fn inspect(path: &Path) -> Result<u8, Failure> {
    let checkpoint = Checkpoint::read(path)?;
    let head = &checkpoint.head;
    print_line(&format!("written by     signorini {}", head.version));
    print_line(&format!("after step     {}, t = {} s", head.step, head.time()));
    print_line(&format!("time step      {} s", head.time_step));
    match SavedState::of_checkpoint(&checkpoint) {
        Ok(saved) => {
            let scene = saved.scene();
            let [steps, joints] = [counted(scene.n_steps(), "step"), counted(scene.joints.len(), "joint")];
            print_line(&format!("scene          {steps}, {joints}"));
            print_line(&format!("model          {}", scene.solver.formulation.as_str()));
            let folder = if checkpoint.folder.is_empty() { "no folder" } else { "the folder of a run" };
            print_line(&format!("goes on        bit for bit, with {folder}"));
        }
        Err(why) => print_line(&format!("goes on        with poses and velocities only: {why}")),
    }
    let size = |bytes: &[u8]| format!("{:.1} kB", bytes.len() as f64 / 1e3);
    print_line(&format!(
        "size           memory {}, folder {}",
        size(&checkpoint.memory),
        size(&checkpoint.folder)
    ));
    print_line(&format!("bodies         {}", head.bodies.len()));
    for body in head.bodies.iter().take(MAX_PRINTED) {
        let (p, v) = (&body.pose.position, &body.velocity.linear);
        print_line(&format!(
            "  {:<20} x {:.6} {:.6} {:.6} m   v {:.6} {:.6} {:.6} m/s",
            body.name, p.x, p.y, p.z, v.x, v.y, v.z
        ));
    }
    if head.bodies.len() > MAX_PRINTED {
        print_line(&format!("  and {} more", head.bodies.len() - MAX_PRINTED));
    }
    Ok(SUCCESS)
}
