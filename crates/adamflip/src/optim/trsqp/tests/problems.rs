//! Analytic problems with known solutions. Derivatives by dual numbers, so a formula is written once.
//!
//! `hs` problems: Hock and Schittkowski, *Test examples for nonlinear programming codes*, 1981.

use num_dual::{Dual64, DualNum};

use crate::optim::{ConstrainedProblem, Evaluation, Want};

type D = Dual64;

/// f and then every c.
type Formula = fn(&[D]) -> Vec<D>;

#[derive(Clone, Debug)]
pub(super) struct Analytic {
    pub(super) name: &'static str,
    formula: Formula,
    pub(super) start: Vec<f64>,
    pub(super) solution: Vec<f64>,
    pub(super) constraints: usize,
    /// Calls for values and for gradients.
    pub(super) calls: [usize; 2],
}

impl Analytic {
    pub(super) fn new(name: &'static str, formula: Formula, start: &[f64], solution: &[f64]) -> Self {
        let constraints = formula(&start.iter().map(|&x| D::from_re(x)).collect::<Vec<_>>()).len() - 1;
        let (start, solution) = (start.to_vec(), solution.to_vec());
        Self { name, formula, start, solution, constraints, calls: [0; 2] }
    }

    pub(super) fn at(&mut self, θ: &[f64]) -> Evaluation {
        let mut out = Evaluation::new(θ.len(), self.constraints);
        self.evaluate(θ, Want::Gradients, &mut out);
        out
    }
}

impl ConstrainedProblem for Analytic {
    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        self.calls[usize::from(want != Want::Values)] += 1;
        let mut x: Vec<D> = θ.iter().map(|&x| D::from_re(x)).collect();
        let values = (self.formula)(&x);
        out.objective = values[0].re;
        out.constraints.iter_mut().zip(&values[1..]).for_each(|(c, value)| *c = value.re);
        if want == Want::Values {
            return;
        }
        for i in 0..θ.len() {
            x[i].eps = 1.0;
            let values = (self.formula)(&x);
            x[i].eps = 0.0;
            out.gradient[i] = values[0].eps;
            for (row, value) in values[1..].iter().enumerate() {
                out.jacobian.rows_mut()[row * θ.len() + i] = value.eps;
            }
        }
    }
}

/// Rosenbrock's function on the unit circle; the solution is a scan of the angle, refined by golden section.
pub(super) fn rosenbrock_on_a_circle() -> Analytic {
    let formula: Formula = |x| {
        vec![(x[1] - x[0].powi(2)).powi(2) * 100.0 + (-x[0] + 1.0).powi(2), x[0].powi(2) + x[1].powi(2) - 1.0]
    };
    let value = |angle: f64| formula(&[D::from_re(angle.cos()), D::from_re(angle.sin())])[0].re;
    let scan = (0..1000).map(|i| f64::from(i) * 0.006_283).min_by(|a, b| value(*a).total_cmp(&value(*b)));
    let [mut low, mut high] = scan.map(|best| [best - 0.01, best + 0.01]).unwrap();
    for _ in 0..100 {
        let [a, b] = [low + 0.4 * (high - low), low + 0.6 * (high - low)];
        if value(a) < value(b) { high = b } else { low = a }
    }
    Analytic::new("rosenbrock", formula, &[0.5, 1.5], &[low.cos(), low.sin()])
}

/// The problems of Hock and Schittkowski with equality constraints only, from their starts.
#[rustfmt::skip]
pub(super) fn hock_schittkowski() -> Vec<Analytic> {
    let third = 2f64.powf(-1.0 / 3.0);
    let half = 2f64.powf(-0.5);
    vec![
        Analytic::new("hs6", |x| vec![(-x[0] + 1.0).powi(2), (x[1] - x[0].powi(2)) * 10.0],
            &[-1.2, 1.0], &[1.0, 1.0]),
        Analytic::new("hs7", |x| vec![
                (x[0].powi(2) + 1.0).ln() - x[1],
                (x[0].powi(2) + 1.0).powi(2) + x[1].powi(2) - 4.0],
            &[2.0, 2.0], &[0.0, 3f64.sqrt()]),
        Analytic::new("hs26", |x| vec![
                (x[0] - x[1]).powi(2) + (x[1] - x[2]).powi(4),
                (x[1].powi(2) + 1.0) * x[0] + x[2].powi(4) - 3.0],
            &[-2.6, 2.0, 2.0], &[1.0, 1.0, 1.0]),
        Analytic::new("hs27", |x| vec![
                (x[0] - 1.0).powi(2) * 0.01 + (x[1] - x[0].powi(2)).powi(2),
                x[0] + x[2].powi(2) + 1.0],
            &[2.0, 2.0, 2.0], &[-1.0, 1.0, 0.0]),
        Analytic::new("hs39", |x| vec![
                -x[0],
                x[1] - x[0].powi(3) - x[2].powi(2),
                x[0].powi(2) - x[1] - x[3].powi(2)],
            &[2.0; 4], &[1.0, 1.0, 0.0, 0.0]),
        Analytic::new("hs40", |x| vec![
                -x[0] * x[1] * x[2] * x[3],
                x[0].powi(3) + x[1].powi(2) - 1.0,
                x[0].powi(2) * x[3] - x[2],
                x[3].powi(2) - x[1]],
            &[0.8; 4], &[third, half, 2f64.powf(-11.0 / 12.0), 2f64.powf(-0.25)]),
        Analytic::new("hs77", |x| vec![
                (x[0] - 1.0).powi(2) + (x[0] - x[1]).powi(2) + (x[2] - 1.0).powi(2) + (x[3] - 1.0).powi(4)
                    + (x[4] - 1.0).powi(6),
                x[0].powi(2) * x[3] + (x[3] - x[4]).sin() - 8f64.sqrt(),
                x[1] + x[2].powi(4) * x[3].powi(2) - 8.0 - 2f64.sqrt()],
            &[2.0; 5], &[1.166172, 1.182111, 1.380257, 1.506036, 0.6109203]),
        Analytic::new("hs78", |x| vec![
                x[0] * x[1] * x[2] * x[3] * x[4],
                x.iter().map(|x| x.powi(2)).fold(D::from_re(-10.0), |sum, x| sum + x),
                x[1] * x[2] - x[3] * x[4] * 5.0,
                x[0].powi(3) + x[1].powi(3) + 1.0],
            &[-2.0, 1.5, 2.0, -1.0, -1.0], &[-1.717142, 1.595708, 1.827248, -0.7636429, -0.7636435]),
        Analytic::new("hs79", |x| vec![
                (x[0] - 1.0).powi(2) + (x[0] - x[1]).powi(2) + (x[1] - x[2]).powi(2) + (x[2] - x[3]).powi(4)
                    + (x[3] - x[4]).powi(4),
                x[0] + x[1].powi(2) + x[2].powi(3) - 2.0 - 18f64.sqrt(),
                x[1] - x[2].powi(2) + x[3] + 2.0 - 8f64.sqrt(),
                x[0] * x[4] - 2.0],
            &[2.0; 5], &[1.191127, 1.362603, 1.472818, 1.635017, 1.679081]),
    ]
}
