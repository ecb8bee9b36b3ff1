//! The model that a scene names.

use super::auto::Auto;
use crate::reference::ReferenceNcp;
use crate::stepper::{Compliant, ConeComplementarity, ImplicitNcp, Stepper, StewartTrinkle};
use signorini_error::{Error, Result};
use signorini_scene::scene::{Body, Scene};
use signorini_scene::settings::{Formulation, Gyroscopic, Integrator, LcpMethod};

/// Fault of a scene with an impact phase, or a coefficient of restitution, and a model without such a phase
/// (theory §13).
fn impact_fault(scene: &Scene) -> Option<Error> {
    let (solver, rebounds) = (&scene.solver, scene.friction.rebounds());
    let what = match (solver.formulation, solver.integrator) {
        _ if !(rebounds || solver.impact_phase) => return None,
        (Formulation::Implicit, Integrator::Staggered) => "integrator = \"staggered\"".to_owned(),
        (Formulation::Implicit, _) if solver.spin_rule() != Gyroscopic::Exact => {
            "gyroscopic other than \"exact\"".to_owned()
        }
        (Formulation::Implicit, _) => return None,
        (formulation, _) => format!("formulation = {:?}", formulation.as_str()),
    };
    Some(Error::Usage {
        what: format!("{what} with {}", if rebounds { "restitution > 0" } else { "impact_phase = true" }),
        allowed: "a step has an impact phase with \"implicit\", \"implicit-euler\" and \"exact\" only"
            .to_owned(),
    })
}

/// Fault of a scene with rolling resistance and a model without it (theory §14).
fn rolling_fault(scene: &Scene) -> Option<Error> {
    let solver = &scene.solver;
    let what = match (solver.formulation, solver.integrator) {
        _ if !scene.friction.resists_rolling() => return None,
        (Formulation::Implicit, Integrator::Staggered) => "integrator = \"staggered\"".to_owned(),
        (Formulation::Implicit, _) => return None,
        (formulation, _) => format!("formulation = {:?}", formulation.as_str()),
    };
    Some(Error::Usage {
        what: format!("{what} with rolling > 0"),
        allowed: "rolling resistance needs \"implicit\" and \"implicit-euler\"".to_owned(),
    })
}

/// Fault of a scene with cohesion and a model without it, or between bodies for which it is not defined
/// (theory §15).
fn cohesion_fault(scene: &Scene) -> Option<Error> {
    if !scene.friction.coheres() {
        return None;
    }
    let solver = &scene.solver;
    let what = match (solver.formulation, solver.integrator) {
        (Formulation::Implicit, Integrator::Staggered) => "integrator = \"staggered\"".to_owned(),
        (Formulation::Implicit, _) if solver.impact_phase => "impact_phase = true".to_owned(),
        (Formulation::Implicit, _) if scene.friction.rebounds() => "restitution > 0".to_owned(),
        (Formulation::Implicit, _) => return edged_fault(scene),
        (formulation, _) => format!("formulation = {:?}", formulation.as_str()),
    };
    Some(Error::Usage {
        what: format!("{what} with cohesion > 0"),
        allowed: "cohesion needs \"implicit\" and \"implicit-euler\", and has no impact phase".to_owned(),
    })
}

/// Fault of a scene with mortar and a model without it (theory §15.6).
fn mortar_fault(scene: &Scene) -> Option<Error> {
    let solver = &scene.solver;
    let what = match (solver.formulation, solver.integrator) {
        _ if !scene.friction.has_mortar() => return None,
        (Formulation::Implicit, Integrator::Staggered) => "integrator = \"staggered\"".to_owned(),
        (Formulation::Implicit, _) if solver.impact_phase => "impact_phase = true".to_owned(),
        (Formulation::Implicit, _) if scene.friction.rebounds() => "restitution > 0".to_owned(),
        (Formulation::Implicit, _) if scene.periodic.is_some() => "[periodic]".to_owned(),
        (Formulation::Implicit, _) => return None,
        (formulation, _) => format!("formulation = {:?}", formulation.as_str()),
    };
    Some(Error::Usage {
        what: format!("{what} with mortar"),
        allowed: "mortar needs \"implicit\" and \"implicit-euler\", and has neither impact phase nor images"
            .to_owned(),
    })
}

/// Fault of a scene with couplings and a model without them (theory §4.6).
fn coupling_fault(scene: &Scene) -> Option<Error> {
    let solver = &scene.solver;
    let what = match (solver.formulation, solver.integrator) {
        _ if scene.couplings.is_empty() => return None,
        (Formulation::Implicit, Integrator::Staggered) => "integrator = \"staggered\"".to_owned(),
        (Formulation::Implicit, _) => return None,
        (formulation, _) => format!("formulation = {:?}", formulation.as_str()),
    };
    Some(Error::Usage {
        what: format!("{what} with [[coupling]]"),
        allowed: "couplings need \"implicit\" and \"implicit-euler\"".to_owned(),
    })
}

/// Fault of a pair of bodies with cohesion of which none is an ellipsoid, or one has several parts.
fn edged_fault(scene: &Scene) -> Option<Error> {
    let bodies = &scene.bodies;
    let mut pairs = (0..bodies.len()).flat_map(|a| (a + 1..bodies.len()).map(move |b| (a, b)));
    let is_round = |body: &Body| body.parts.len() == 1 && body.parts[0].shape.is_ellipsoid();
    let coheres = |a: &Body, b: &Body| {
        let between = |m| b.materials().into_iter().any(|n| scene.friction.between(m, n).cohesion > 0.0);
        a.materials().into_iter().any(between)
    };
    let edged = |&(a, b): &(usize, usize)| {
        let (a, b) = (&bodies[a], &bodies[b]);
        let is_known = (is_round(a) || is_round(b)) && a.parts.len() == 1 && b.parts.len() == 1;
        !(is_known || a.fixed && b.fixed) && coheres(a, b)
    };
    pairs.find(edged).map(|(a, b)| Error::Usage {
        what: format!("cohesion between {:?} and {:?}", bodies[a].name, bodies[b].name),
        allowed: "one of two bodies must be a sphere or an ellipsoid, and both of one part".to_owned(),
    })
}

/// Returns the model that `scene.solver.formulation` names, with a workspace for the scene.
///
/// # Errors
/// When the model cannot run the scene (the error says which feature it lacks).
pub(super) fn stepper_for(scene: &Scene) -> Result<Box<dyn Stepper>> {
    let formulation = scene.solver.formulation;
    if !scene.springs.is_empty() && formulation != Formulation::Compliant {
        return Err(Error::Usage {
            what: format!("formulation = {:?} with [[spring]]", formulation.as_str()),
            allowed: "it has no springs; use \"compliant\", or remove them".to_owned(),
        });
    }
    let takes_polygons = matches!(formulation, Formulation::StewartTrinkle | Formulation::Auto);
    if takes_polygons && scene.solver.stewart_trinkle.method == LcpMethod::Lemke && !scene.joints.is_empty() {
        return Err(Error::Usage {
            what: format!(
                "formulation = {:?} with stewart_trinkle.method = \"lemke\" and [[joint]]",
                formulation.as_str()
            ),
            allowed: "Lemke's method has no joints; use method = \"auto\" or \"newton\"".to_owned(),
        });
    }
    if scene.periodic.is_some() && formulation == Formulation::Literal {
        return Err(Error::Usage {
            what: "formulation = \"literal\" with [periodic]".to_owned(),
            allowed: "the papers' system has no images of bodies; use another formulation".to_owned(),
        });
    }
    let fault = impact_fault(scene).or_else(|| rolling_fault(scene)).or_else(|| cohesion_fault(scene));
    let fault = fault.or_else(|| coupling_fault(scene)).or_else(|| mortar_fault(scene));
    if let Some(fault) = fault {
        return Err(fault);
    }
    Ok(match formulation {
        Formulation::Implicit => Box::new(ImplicitNcp::new(scene)),
        Formulation::Literal => Box::new(ReferenceNcp::new(scene)?),
        Formulation::Cone => Box::new(ConeComplementarity::new(scene)),
        Formulation::StewartTrinkle => Box::new(StewartTrinkle::new(scene)),
        Formulation::Auto => Box::new(Auto::new(scene)),
        Formulation::Compliant => Box::new(Compliant::new(scene)),
    })
}
