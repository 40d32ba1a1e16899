//! The table of functions: name, value and derivative of each in one row, and what else may be called.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

use super::special::{digamma, trigamma};

/// One row a function: the value at `x`, and the derivative at `x` where the value is `y`.
macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal |$x:ident| $value:expr, |$at:ident, $y:ident| $derivative:expr;)*) => {
        /// A function of one argument.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Function { $($(#[$doc])* $variant,)* }

        impl Function {
            /// Every function.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name by which equations call it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its value at `x`.
            pub fn value(self, x: f64) -> f64 {
                match self { $(Self::$variant => { let $x = x; $value })* }
            }

            /// Its derivative at `x`.
            pub fn derivative(self, x: f64) -> f64 {
                match self { $(Self::$variant => { let ($at, $y) = (x, self.value(x)); $derivative })* }
            }

            /// The values of a column.
            pub(super) fn forward(self, arguments: &[f64], values: &mut [f64]) {
                match self { $(Self::$variant => for (value, &$x) in values.iter_mut().zip(arguments) {
                    *value = $value;
                })* }
            }

            /// Adds a column's adjoints times the derivative to the adjoints of the arguments; nothing where
            /// the adjoint is zero, whatever the derivative: a branch that `where` does not choose may have
            /// none.
            pub(super) fn reverse(self, arguments: &[f64], values: &[f64], adjoints: &[f64], into: &mut [f64]) {
                match self { $(Self::$variant => {
                    for (((into, &adjoint), &$at), &$y) in into.iter_mut().zip(adjoints).zip(arguments).zip(values) {
                        *into += if adjoint == 0.0 { 0.0 } else { adjoint * $derivative };
                    }
                })* }
            }
        }
    };
}

functions! {
    /// Sine.
    Sin     "sin"     |x| x.sin(),         |x, _y| x.cos();
    /// Cosine.
    Cos     "cos"     |x| x.cos(),         |x, _y| -x.sin();
    /// Tangent.
    Tan     "tan"     |x| x.tan(),         |_x, y| 1.0 + y * y;
    /// Inverse sine.
    Asin    "asin"    |x| x.asin(),        |x, _y| 1.0 / (1.0 - x * x).sqrt();
    /// Inverse cosine.
    Acos    "acos"    |x| x.acos(),        |x, _y| -1.0 / (1.0 - x * x).sqrt();
    /// Inverse tangent.
    Atan    "atan"    |x| x.atan(),        |x, _y| 1.0 / (1.0 + x * x);
    /// Hyperbolic sine.
    Sinh    "sinh"    |x| x.sinh(),        |x, _y| x.cosh();
    /// Hyperbolic cosine.
    Cosh    "cosh"    |x| x.cosh(),        |x, _y| x.sinh();
    /// Hyperbolic tangent.
    Tanh    "tanh"    |x| x.tanh(),        |_x, y| 1.0 - y * y;
    /// Exponential.
    Exp     "exp"     |x| x.exp(),         |_x, y| y;
    /// Natural logarithm.
    Log     "log"     |x| x.ln(),          |x, _y| 1.0 / x;
    /// Square root.
    Sqrt    "sqrt"    |x| x.sqrt(),        |_x, y| 0.5 / y;
    /// Absolute value; its derivative is the sign, 0 at 0.
    Abs     "abs"     |x| x.abs(),         |x, _y| sign(x);
    /// −1, 0 or 1.
    Sign    "sign"    |x| sign(x),         |_x, _y| 0.0;
    /// Error function.
    Erf     "erf"     |x| libm::erf(x),    |x, _y| FRAC_2_SQRT_PI * (-x * x).exp();
    /// Gamma function.
    Gamma   "gamma"   |x| libm::tgamma(x), |x, y| y * digamma(x);
    /// Logarithmic derivative of the gamma function.
    Digamma "digamma" |x| digamma(x),      |x, _y| trigamma(x);
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// xⁿ by squaring, in the order in which the tape multiplies: exact signs for negative x, the same bits
/// everywhere.
pub(super) fn integer_power(x: f64, n: i32) -> f64 {
    let exponent = n.unsigned_abs();
    let mut power = if exponent == 0 { 1.0 } else { x };
    for bit in (0..exponent.checked_ilog2().unwrap_or(0)).rev() {
        power *= power;
        if exponent >> bit & 1 == 1 {
            power *= x;
        }
    }
    if n < 0 { 1.0 / power } else { power }
}

/// Whatever may stand before `(`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Callable {
    Function(Function),
    Minimum,
    Maximum,
    Power,
    Derivative,
    ColeHopf,
    Where,
    Gradient,
    Divergence,
    Laplacian,
    Dot,
    Caputo,
    Integral,
}

impl Callable {
    /// The names besides those of [`Function`]s, with the fewest and the most arguments.
    const OTHERS: [(&'static str, Self, usize, usize); 13] = [
        ("ln", Self::Function(Function::Log), 1, 1),
        ("min", Self::Minimum, 2, usize::MAX),
        ("max", Self::Maximum, 2, usize::MAX),
        ("pow", Self::Power, 2, 2),
        ("d", Self::Derivative, 2, usize::MAX),
        ("cole_hopf", Self::ColeHopf, 3, 3),
        ("where", Self::Where, 3, usize::MAX),
        ("grad", Self::Gradient, 1, 1),
        ("div", Self::Divergence, 1, usize::MAX),
        ("laplacian", Self::Laplacian, 1, 1),
        ("dot", Self::Dot, 2, 2),
        ("caputo", Self::Caputo, 3, 3),
        ("integral", Self::Integral, 2, usize::MAX),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        let function = Function::ALL.iter().find(|function| function.name() == name);
        let other = || Self::OTHERS.iter().find(|row| row.0 == name).map(|row| row.1);
        function.map(|&function| Self::Function(function)).or_else(other)
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Function::ALL.iter().map(|function| function.name()).chain(Self::OTHERS.iter().map(|row| row.0))
    }

    /// The fewest and the most arguments it takes.
    pub(super) fn arity(self) -> (usize, usize) {
        Self::OTHERS.iter().find(|row| row.1 == self).map_or((1, 1), |row| (row.2, row.3))
    }

    /// How it is called, for hints.
    pub(super) fn usage(self) -> String {
        match self {
            Self::Function(function) => format!("{}(a)", function.name()),
            Self::Minimum => "min(a, b)".to_owned(),
            Self::Maximum => "max(a, b)".to_owned(),
            Self::Power => "pow(base, exponent)".to_owned(),
            Self::Derivative => "d(expression, coordinate)".to_owned(),
            Self::ColeHopf => "cole_hopf(x, t, nu)".to_owned(),
            Self::Where => "where(condition, a, otherwise)".to_owned(),
            Self::Gradient => "grad(expression)".to_owned(),
            Self::Divergence => "div(vector)".to_owned(),
            Self::Laplacian => "laplacian(expression)".to_owned(),
            Self::Dot => "dot(vector, vector)".to_owned(),
            Self::Caputo => "caputo(expression, coordinate, order)".to_owned(),
            Self::Integral => "integral(expression, coordinate, lower, upper)".to_owned(),
        }
    }
}

/// The constants that need no definition; a problem's own names win over them.
pub(super) const CONSTANTS: [(&str, f64); 2] = [("pi", PI), ("e", std::f64::consts::E)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_against_central_differences() {
        for &function in Function::ALL {
            for x in [-0.83, -0.31, 0.27, 0.64, 0.92] {
                if x < 0.0 && matches!(function, Function::Log | Function::Sqrt) {
                    continue;
                }
                // Fourth-order differences: h⁴ = 1e-12 times fifth derivatives up to 1e3, rounding 1e-16/h =
                // 1e-13 (both larger near the poles of gamma, hence relative).
                let h = 1e-3;
                let f = |i: f64| function.value(x + i * h);
                let difference = (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h);
                let derivative = function.derivative(x);
                let error = (derivative - difference).abs() / (1.0 + derivative.abs());
                assert!(error < 1e-7, "{} at {x}: {derivative} and {difference}", function.name());
            }
        }
    }

    #[test]
    fn columns_agree_with_points() {
        let x = [0.2, 0.5, 0.9];
        for &function in Function::ALL {
            let (mut y, mut into) = ([0.0; 3], [1.0; 3]);
            function.forward(&x, &mut y);
            function.reverse(&x, &y, &[2.0; 3], &mut into);
            for i in 0..3 {
                assert_eq!(y[i], function.value(x[i]));
                assert_eq!(into[i], 1.0 + 2.0 * function.derivative(x[i]));
            }
        }
    }

    #[test]
    fn integer_powers() {
        for n in -9..=9 {
            let expected = (-1.5_f64).powi(n);
            assert!((integer_power(-1.5, n) - expected).abs() <= 1e-15 * expected.abs(), "{n}");
        }
        assert_eq!(integer_power(-2.0, 3), -8.0);
        assert_eq!(integer_power(1.0, i32::MIN), 1.0);
    }

    #[test]
    fn names_lead_back_to_their_callables() {
        for &function in Function::ALL {
            assert_eq!(Callable::named(function.name()), Some(Callable::Function(function)));
        }
        assert_eq!(Callable::named("ln"), Callable::named("log"));
        assert_eq!(Callable::Function(Function::Log).arity(), (1, 1));
    }
}
