//! The theory of falling dominoes that lean on each other: no friction between them, plastic impacts, feet
//! that do not slide. All that have been hit move as one chain with one degree of freedom, the angle of its
//! head.

/// A row of dominoes.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Height (m).
    pub height: f64,
    /// Thickness (m).
    pub thickness: f64,
    /// Room between two (m).
    pub gap: f64,
}

const G: f64 = 9.81;

impl Row {
    /// Times at which dominoes 2 to `n` are hit, when the first starts upright with angular velocity `speed`;
    /// fewer when the fall comes to a halt.
    pub fn hits(&self, n: usize, speed: f64) -> Vec<f64> {
        const PARTS: usize = 4000;
        let end = (self.gap / self.height).asin();
        let (mut time, mut speed, mut hits) = (0.0, speed, Vec::new());
        for heads in 1..n {
            let [inertia, height] = self.chain(0.0, heads);
            let energy = 0.5 * inertia * speed * speed + height;
            let mut last = speed;
            for part in 0..PARTS {
                let middle = end * (part as f64 + 0.5) / PARTS as f64;
                let [inertia, height] = self.chain(middle, heads);
                last = (2.0 * (energy - height) / inertia).sqrt();
                if !last.is_finite() {
                    return hits;
                }
                time += end / PARTS as f64 / last;
            }
            hits.push(time);
            // The generalised momentum of the longer chain is that of the shorter one along its constraint.
            let rate = self.behind(0.0).1;
            let [old, _] = self.chain(end, heads);
            let [new, _] = self.chain(0.0, heads + 1);
            speed = rate * old * last / new;
        }
        hits
    }

    /// Angle of the domino that leans on one at `angle`, and its derivative: H sin(θ' − θ) = λ cos θ − d.
    fn behind(&self, angle: f64) -> (f64, f64) {
        let pitch = self.gap + self.thickness;
        let between = ((pitch * angle.cos() - self.thickness) / self.height).asin();
        (angle + between, 1.0 - pitch * angle.sin() / (self.height * between.cos()))
    }

    /// Inertia with respect to the head's angle and potential energy of a chain of `n`, for unit mass.
    fn chain(&self, head: f64, n: usize) -> [f64; 2] {
        let (h, d) = (self.height, self.thickness);
        let (mut angle, mut rate, mut inertia, mut energy) = (head, 1.0, 0.0, 0.0);
        for _ in 0..n {
            inertia += (h * h + d * d) / 3.0 * rate * rate;
            energy += G * 0.5 * (h * angle.cos() + d * angle.sin());
            let (next, derivative) = self.behind(angle);
            (angle, rate) = (next, rate * derivative);
        }
        [inertia, energy]
    }
}
