//! Messages about bodies that came in and left.

use super::console::{print_error, print_line};
use signorini_runs::output::{FlowSummary, PortSummary};

/// Prints the bodies that passed the inlets and outlets of a run, and always each inlet that still waits for
/// room.
pub fn tell(flow: &FlowSummary, quiet: bool) {
    for inlet in &flow.inlets {
        if let Some(due) = inlet.waits_since {
            let name = &inlet.name;
            print_error(&format!("warning: inlet {name:?} waits for room: its next body was due at {due} s"));
        }
    }
    if quiet {
        return;
    }
    flow.inlets.iter().for_each(|inlet| print_line(&inlet_line(inlet)));
    flow.outlets.iter().for_each(|outlet| print_line(&outlet_line(outlet)));
    print_line(&format!("inside: {}", amount(flow.bodies_inside, flow.mass_inside)));
}

fn inlet_line(inlet: &PortSummary) -> String {
    let mut line = format!("inlet {:?}: {} came", inlet.name, amount(inlet.bodies, inlet.mass));
    if inlet.waited > 0 {
        line += &format!(", {} waited for room, at most {:.3} s", inlet.waited, inlet.longest_wait);
    }
    line
}

fn outlet_line(outlet: &PortSummary) -> String {
    let mut line = format!("outlet {:?}: {} left", outlet.name, amount(outlet.bodies, outlet.mass));
    if outlet.in_contact > 0 {
        line += &format!(", {} of them while they bore on another (flow.csv)", outlet.in_contact);
    }
    line
}

/// Returns an amount as text: "1 body, 0.5 kg", "3 bodies, 1.25 kg".
fn amount(bodies: usize, mass: f64) -> String {
    format!("{bodies} {}, {mass:.6} kg", if bodies == 1 { "body" } else { "bodies" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_passed_and_what_waited() {
        let port = PortSummary { name: "feed".into(), bodies: 1, mass: 0.5, ..PortSummary::default() };
        assert_eq!(inlet_line(&port), "inlet \"feed\": 1 body, 0.500000 kg came");
        let port = PortSummary { bodies: 3, waited: 2, longest_wait: 0.25, in_contact: 1, ..port };
        assert_eq!(
            inlet_line(&port),
            "inlet \"feed\": 3 bodies, 0.500000 kg came, 2 waited for room, at most 0.250 s"
        );
        assert_eq!(
            outlet_line(&port),
            "outlet \"feed\": 3 bodies, 0.500000 kg left, 1 of them while they bore on another (flow.csv)"
        );
    }
}
