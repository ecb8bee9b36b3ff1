//! The command `signorini derivative`.

use super::arguments::DerivativeOptions;
use super::console::print_line;
use super::exit::{Failure, SUCCESS, UNSOLVED};
use super::scene_source;
use signorini_runs::derivative::{JudgeOptions, Judged, Judgement, judge};

/// Judges derivatives of a scene. The exit code says whether all are judged and agree, or have a reason not
/// to.
pub fn derivative(options: &DerivativeOptions) -> Result<u8, Failure> {
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let seed = loaded.scene.seed;
    let of = JudgeOptions {
        first: options.first,
        steps: options.over as usize,
        directions: options.directions,
        seed,
    };
    let judgement = judge(loaded.scene, &of)?;
    if options.json {
        print_line(&serde_json::to_string_pretty(&judgement).unwrap_or_default());
    } else {
        tell(&judgement);
    }
    let may_differ = !judgement.borders.is_empty() || !judgement.obstacles.is_empty();
    let agrees = may_differ
        || judgement
            .judged
            .iter()
            .all(|judged| judged.agrees() && (judged.is_overconstrained() || judged.is_judged()));
    Ok(if agrees { SUCCESS } else { UNSOLVED })
}

fn tell(judgement: &Judgement) {
    print_line(&format!("{} steps from {} s", judgement.steps, judgement.time));
    print_line(&format!(
        "{:<12} {:>11} {:>11} {:>11} {:>11}",
        "direction", "size", "deviation", "error bar", "adjoint"
    ));
    for judged in &judgement.judged {
        let Judged { direction, size, deviation, error_bar, adjoint, .. } = judged;
        let note = match (judged.is_overconstrained(), judged.agrees()) {
            (true, _) => "  overconstrained: no derivative",
            (_, true) if !judged.is_judged() => "  not judged: the differences do not settle",
            (_, true) => "",
            _ => "  differs",
        };
        print_line(&format!(
            "{direction:<12} {size:>11.3e} {deviation:>11.1e} {error_bar:>11.1e} {adjoint:>11.1e}{note}"
        ));
    }
    for [a, b] in &judgement.borders {
        print_line(&format!("on a border: {a:?} and {b:?}; the derivative is one-sided"));
    }
    for obstacle in &judgement.obstacles {
        print_line(&format!("no derivative: {obstacle}"));
    }
}
