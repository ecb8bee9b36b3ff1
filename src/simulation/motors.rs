//! Set points of motors between steps.

use super::run::Simulation;
use signorini_error::{Error, Result};

impl Simulation {
    /// Names of the motors that are set from outside, in the order of the file.
    pub fn motors(&self) -> impl Iterator<Item = &str> {
        self.scene.controls.iter().map(|control| self.scene.controlled(control).name.as_str())
    }

    /// Sets the rate (m/s or rad/s), the position (m or rad) or the force (N or N m) of a motor, whichever it
    /// has, for every step from the next one on, until it is set again. A value outside the motor's range
    /// counts as the nearer end.
    ///
    /// ```
    /// # use signorini::{Axis, Body, Drive, Joint, Motor, Scene, Simulation};
    /// # let mut scene = Scene::builder();
    /// # let post = scene.body(Body::sphere(0.1).fixed());
    /// # let arm = scene.body(Body::sphere(0.1).density(1000.0).at([0.5, 0.0, 0.0]));
    /// let drive = Drive::Position { position: 0.0.into(), stiffness: 500.0, damping: 20.0 };
    /// let motor = Motor { name: "elbow".into(), drive, largest_force: 100.0 };
    /// scene.joint(Joint::revolute(post, arm, [0.0; 3], [0.0, 0.0, 1.0]).drive(Axis::Angle, motor));
    /// let mut simulation = Simulation::new(scene.build()?)?;
    /// simulation.set_motor("elbow", 0.3)?;
    /// simulation.run_until(1.0).for_each(drop);
    /// assert!((simulation.joints()[0].coordinate[1].unwrap() - 0.3).abs() < 1e-3);
    /// # Ok::<(), signorini::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such motor, or the value is not finite.
    pub fn set_motor(&mut self, motor: &str, value: f64) -> Result<()> {
        let Some(place) = self.motors().position(|name| name == motor) else {
            let known: Vec<&str> = self.motors().take(12).collect();
            let allowed = format!("there is none of that name; there are {known:?}");
            return Err(Error::Usage { what: format!("motor {motor:?}"), allowed });
        };
        check(motor, value)?;
        let control = self.scene.controls[place];
        self.scene.set_control(&control, value);
        Ok(())
    }

    /// Sets the values of all motors, in the order of [`Self::motors`].
    ///
    /// # Errors
    /// When the number of values is another, or a value is not finite. Nothing has changed then.
    pub fn set_motors(&mut self, values: &[f64]) -> Result<()> {
        let n = self.motors().count();
        if values.len() != n {
            let what = format!("{} values of motors", values.len());
            return Err(Error::Usage { what, allowed: format!("there are {n} motors") });
        }
        self.motors().zip(values).try_for_each(|(motor, value)| check(motor, *value))?;
        for (place, value) in values.iter().enumerate() {
            let control = self.scene.controls[place];
            self.scene.set_control(&control, *value);
        }
        Ok(())
    }
}

fn check(motor: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let what = format!("value {value:?} of motor {motor:?}");
    Err(Error::Usage { what, allowed: "must be a finite number".to_owned() })
}
