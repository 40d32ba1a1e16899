//! Elementary functions on vectors, branch-free and accurate to a few units in the last place.
//!
//! Range reduction and polynomials in the classical manner (Cody and Waite 1980). NaN goes in and NaN comes
//! out, so a diverging run is seen.

use crate::simd::Simd;

/// Adding and subtracting this rounds to the nearest integer (|x| < 2⁵¹).
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts: products of the first with integers below 2²⁰ are exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// π in three parts, the first two exact in products with integers below 2²⁰ (Cody and Waite).
const PI: [f64; 3] =
    [4.0 * 7.853_981_256_484_985e-1, 4.0 * 3.774_894_707_930_798e-8, 4.0 * 2.695_151_429_079_059_5e-15];

/// 1/n! from n = 1.
const INVERSE_FACTORIAL: [f64; 22] = {
    let mut table = [1.0; 22];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] / (n + 1) as f64;
        n += 1;
    }
    table
};

#[inline(always)]
fn round<S: Simd>(s: S, x: S::V) -> S::V {
    s.sub(s.add(x, s.splat(ROUND)), s.splat(ROUND))
}

/// Σ coefficients\[i\]·xⁱ as four chains in x⁴. The kernels are bound by latency (the scheduler holds only a
/// few vectors' worth of instructions), and the chains are a quarter as long as Horner's.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, x: S::V, coefficients: [f64; N]) -> S::V {
    let square = s.mul(x, x);
    let fourth = s.mul(square, square);
    let chain = |start: usize| {
        let mut i = start + (N - 1 - start) / 4 * 4;
        let mut sum = s.splat(coefficients[i]);
        while i >= 4 {
            i -= 4;
            sum = s.mul_add(sum, fourth, s.splat(coefficients[i]));
        }
        sum
    };
    let low = s.mul_add(chain(1), x, chain(0));
    let high = s.mul_add(chain(3), x, chain(2));
    s.mul_add(high, square, low)
}

/// (eʳ − 1)/r for |r| ≤ ln 2 / 2 to 2.4e-17: interpolation at the Chebyshev nodes of degree ten.
const EXP: [f64; 11] = [
    1.0,
    0.500_000_000_000_000_6,
    0.166_666_666_666_666_7,
    0.041_666_666_666_573_14,
    0.008_333_333_333_326_141,
    0.001_388_888_893_248_884_8,
    0.000_198_412_698_748_006_83,
    2.480_150_434_668_099_7e-5,
    2.755_725_542_550_29e-6,
    2.762_635_737_327_897_5e-7,
    2.510_520_647_533_483_4e-8,
];

/// multiple·x = k·ln 2 + r with |r| ≤ ln 2 / 2: (k, eʳ − 1). The multiple, a power of two, is folded into the
/// constants exactly.
#[inline(always)]
fn reduced_exp_minus_one<S: Simd>(s: S, x: S::V, multiple: f64) -> (S::V, S::V) {
    let k = round(s, s.mul(x, s.splat(multiple * std::f64::consts::LOG2_E)));
    let [high, low] = LN_2.map(|part| s.splat(part / multiple));
    let r = s.neg_mul_add(k, low, s.neg_mul_add(k, high, x));
    let mut coefficients = EXP;
    let mut power = multiple;
    for c in &mut coefficients {
        *c *= power;
        power *= multiple;
    }
    (k, s.mul(polynomial(s, r, coefficients), r))
}

/// eˣ; arguments are clamped to |x| ≤ 690, where the result is still a normal number.
#[inline(always)]
pub(crate) fn exp<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.max(s.splat(-690.0), s.min(s.splat(690.0), x));
    let (k, p) = reduced_exp_minus_one(s, x, 1.0);
    s.scale(s.add(p, s.splat(1.0)), k)
}

/// tanh x = e/(e + 2) with e = e²ˣ − 1 = 2ᵏ(p + 1) − 1; saturated beyond 20, where it equals ±1.
#[inline(always)]
pub(crate) fn tanh<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.max(s.splat(-20.0), s.min(s.splat(20.0), x));
    let (k, p) = reduced_exp_minus_one(s, x, 2.0);
    let power = s.scale(s.splat(1.0), k);
    let e = s.mul_add(power, p, s.sub(power, s.splat(1.0)));
    s.div(e, s.add(e, s.splat(2.0)))
}

/// 1/(1 + e⁻ˣ).
#[inline(always)]
pub(crate) fn sigmoid<S: Simd>(s: S, x: S::V) -> S::V {
    let e = exp(s, s.sub(s.splat(0.0), x));
    s.div(s.splat(1.0), s.add(s.splat(1.0), e))
}

/// Of sin x/x and (cos x − 1)/x² in powers of x².
const SINE: [f64; 11] = alternating(0, 1.0);
const COSINE: [f64; 11] = alternating(1, -1.0);

const fn alternating(first: usize, sign: f64) -> [f64; 11] {
    let (mut coefficients, mut i) = ([0.0; 11], 0);
    while i < 11 {
        coefficients[i] = (if i % 2 == 0 { sign } else { -sign }) * INVERSE_FACTORIAL[2 * i + first];
        i += 1;
    }
    coefficients
}

/// Of 2·artanh(q)/q in powers of q².
const ARTANH: [f64; 17] = {
    let (mut coefficients, mut i) = ([0.0; 17], 0);
    while i < 17 {
        coefficients[i] = 2.0 / (2 * i + 1) as f64;
        i += 1;
    }
    coefficients
};

/// (sin x, cos x) to 1e-15 for |x| ≤ 1e5: x = kπ + r with |r| ≤ π/2, both series to r²².
#[inline(always)]
pub(crate) fn sin_cos<S: Simd>(s: S, x: S::V) -> (S::V, S::V) {
    let k = round(s, s.mul(x, s.splat(std::f64::consts::FRAC_1_PI)));
    let r = PI.iter().fold(x, |r, &part| s.neg_mul_add(k, s.splat(part), r));
    let half = round(s, s.mul_add(k, s.splat(0.5), s.splat(-0.25)));
    let parity = s.neg_mul_add(half, s.splat(2.0), k);
    let sign = s.neg_mul_add(parity, s.splat(2.0), s.splat(1.0));
    let square = s.mul(r, r);
    let cos = s.mul_add(polynomial(s, square, COSINE), square, s.splat(1.0));
    let sin = s.mul(polynomial(s, square, SINE), r);
    (s.mul(sin, sign), s.mul(cos, sign))
}

/// ln(1 + u) for 0 ≤ u ≤ 1, as 2·artanh(u/(2 + u)); the remainder of the series is below 1e-17.
#[inline(always)]
fn log_one_plus<S: Simd>(s: S, u: S::V) -> S::V {
    let q = s.div(u, s.add(u, s.splat(2.0)));
    s.mul(polynomial(s, s.mul(q, q), ARTANH), q)
}

/// ln(1 + eˣ) = max(x, 0) + ln(1 + e^{−|x|}).
#[inline(always)]
pub(crate) fn softplus<S: Simd>(s: S, x: S::V) -> S::V {
    let negated = s.sub(s.splat(0.0), x);
    let tail = log_one_plus(s, exp(s, s.min(negated, x)));
    s.add(s.max(s.splat(0.0), x), tail)
}

/// Applies a scalar function to every lane: for what is too rare to vectorise.
#[inline(always)]
pub(crate) fn lanes<S: Simd>(s: S, x: S::V, f: impl Fn(f64) -> f64) -> S::V {
    let mut buffer = [0.0; 8];
    assert!(S::LANES <= buffer.len());
    // SAFETY: the buffer holds LANES doubles.
    #[allow(unsafe_code)]
    unsafe {
        s.store(buffer.as_mut_ptr(), x);
        for value in &mut buffer[..S::LANES] {
            *value = f(*value);
        }
        s.load(buffer.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use crate::simd::{Isa, Kernel, Simd};

    /// One of the functions above over a slice whose length is a multiple of eight.
    struct Map<'a>(&'static str, &'a mut [f64]);

    impl Kernel for Map<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, s: S) {
            for chunk in self.1.chunks_exact_mut(S::LANES) {
                // SAFETY: a chunk holds LANES doubles.
                #[allow(unsafe_code)]
                let x = unsafe { s.load(chunk.as_ptr()) };
                let y = match self.0 {
                    "exp" => super::exp(s, x),
                    "tanh" => super::tanh(s, x),
                    "sigmoid" => super::sigmoid(s, x),
                    "sin" => super::sin_cos(s, x).0,
                    "cos" => super::sin_cos(s, x).1,
                    _ => super::softplus(s, x),
                };
                // SAFETY: as above.
                #[allow(unsafe_code)]
                unsafe {
                    s.store(chunk.as_mut_ptr(), y);
                }
            }
        }
    }

    fn worst(name: &'static str, range: f64, exact: impl Fn(f64) -> f64, floor: f64) -> f64 {
        let xs: Vec<f64> = (0..80_000).map(|i| range * ((i as f64 + 0.3) / 40_000.0 - 1.0)).collect();
        let error = |(x, y): (&f64, &f64)| (y - exact(*x)).abs() / exact(*x).abs().max(floor);
        Isa::available()
            .into_iter()
            .map(|isa| {
                let mut ys = xs.clone();
                isa.run(Map(name, &mut ys));
                xs.iter().zip(&ys).map(error).fold(0.0, f64::max)
            })
            .fold(0.0, f64::max)
    }

    // A few units in the last place (2.2e-16 each), relative to the value.
    #[test]
    fn relative_accuracy() {
        assert!(worst("tanh", 25.0, f64::tanh, 0.0) < 8e-16);
        assert!(worst("tanh", 1e-3, f64::tanh, 0.0) < 8e-16);
        assert!(worst("exp", 100.0, f64::exp, 0.0) < 8e-16);
        assert!(worst("sigmoid", 30.0, |x| 1.0 / (1.0 + (-x).exp()), 0.0) < 8e-16);
        assert!(worst("softplus", 30.0, |x| x.max(0.0) + (-x.abs()).exp().ln_1p(), 0.0) < 8e-16);
    }

    // Sine and cosine absolutely: near their zeros the reduced argument has lost relative accuracy. Without
    // fused multiply–add the last part of π is rounded once more.
    #[test]
    fn trigonometric_accuracy() {
        assert!(worst("sin", 50.0, f64::sin, 1.0) < 1e-15);
        assert!(worst("cos", 50.0, f64::cos, 1.0) < 1e-15);
        assert!(worst("sin", 1e5, f64::sin, 1.0) < 1e-14);
    }

    #[test]
    fn not_a_number_stays_visible() {
        for isa in Isa::available() {
            for name in ["exp", "tanh", "sigmoid", "sin", "cos", "softplus"] {
                let mut values = [f64::NAN; 8];
                isa.run(Map(name, &mut values));
                assert!(values.iter().all(|v| v.is_nan()), "{name} on {isa:?}");
            }
        }
    }
}
