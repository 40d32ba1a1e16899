//! Vectors of `f64` for the kernels of `jet` and `linalg`: one small trait, one implementation an instruction
//! set, chosen at run time.
//!
//! A value of an implementing type is a *token*: it exists only where [`Isa::detect`] found the instructions,
//! so its methods are safe to call. Kernels are structs with a generic [`Kernel::run`]; [`Isa::run`] compiles
//! them once for each instruction set. Everything that a kernel calls must be `#[inline(always)]`: a function
//! that is not inlined would be compiled for the baseline CPU.
#![allow(unsafe_code)]

/// Arithmetic on vectors of `LANES` doubles.
pub(crate) trait Simd: Copy {
    /// A vector register.
    type V: Copy;
    /// Doubles in a vector; divides 16, the panel of the jet kernels.
    const LANES: usize;
    /// Columns of the matrix kernels' register tile (times two vectors): what the register file holds.
    const COLUMNS: usize;
    /// Columns, at most four, of the register tile of dot products, which has four rows: with a column of
    /// operands each and one more the register file must hold it.
    const SIDE: usize;

    /// Reads `LANES` doubles.
    /// # Safety
    /// `at` must be valid for reading `LANES` doubles.
    unsafe fn load(self, at: *const f64) -> Self::V;
    /// Writes `LANES` doubles.
    /// # Safety
    /// `at` must be valid for writing `LANES` doubles.
    unsafe fn store(self, at: *mut f64, v: Self::V);
    /// `x` in every lane.
    fn splat(self, x: f64) -> Self::V;
    /// a + b
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a − b
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a·b
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// a/b
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// √a
    fn sqrt(self, a: Self::V) -> Self::V;
    /// a/(√b + c) to a few units in the last place, for b ≥ 0 and c > 0 of ordinary size: faster than root
    /// and division where those are slow.
    #[inline(always)]
    fn over_root(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.div(a, self.add(self.sqrt(b), c))
    }
    /// a·b + c
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c − a·b
    fn neg_mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The smaller of the two; `b` where either is NaN.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger of the two; `b` where either is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// x·2^k for integral k, |k| ≤ 1000.
    fn scale(self, x: Self::V, k: Self::V) -> Self::V;
    /// The sums over the lanes of four vectors.
    fn sums(self, v: [Self::V; 4]) -> [f64; 4];
    /// Adds the sums over the lanes of four vectors to four consecutive numbers.
    /// # Safety
    /// `at` must be valid for reading and writing four doubles.
    #[inline(always)]
    unsafe fn add_sums(self, at: *mut f64, v: [Self::V; 4]) {
        for (i, sum) in self.sums(v).into_iter().enumerate() {
            // SAFETY: validity by contract.
            unsafe { *at.add(i) += sum };
        }
    }
}

/// A loop nest that is compiled for every instruction set.
pub(crate) trait Kernel {
    /// The loop nest; mark the implementation `#[inline(always)]`.
    fn run<S: Simd>(self, simd: S);
}

/// The instruction sets that the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// 512-bit vectors with fused multiply–add.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// 256-bit vectors with fused multiply–add.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// 128-bit vectors of 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// Plain arrays: whatever the baseline of the target offers.
    Portable,
}

impl Isa {
    /// The widest instruction set of this CPU (the standard library caches what it found).
    pub(crate) fn detect() -> Self {
        #[cfg(test)]
        if PORTABLE.get() {
            return Isa::Portable;
        }
        Self::candidates().into_iter().flatten().next().unwrap_or(Isa::Portable)
    }

    /// All instruction sets of this CPU, the widest first.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        Self::candidates().into_iter().flatten().chain([Isa::Portable]).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn candidates() -> [Option<Self>; 2] {
        let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        [wide.then_some(Isa::Avx512(Avx512(()))), fused.then_some(Isa::Avx2(Avx2(())))]
    }

    #[cfg(target_arch = "aarch64")]
    fn candidates() -> [Option<Self>; 1] {
        [Some(Isa::Neon(Neon(())))]
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn candidates() -> [Option<Self>; 0] {
        []
    }

    /// Runs `kernel` compiled for this instruction set.
    #[inline]
    pub(crate) fn run(self, kernel: impl Kernel) {
        match self {
            // SAFETY: the token exists only where `candidates` found the features.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(token) => unsafe { run_avx512(token, kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(token) => unsafe { run_avx2(token, kernel) },
            #[cfg(target_arch = "aarch64")]
            Isa::Neon(token) => kernel.run(token),
            Isa::Portable => run_portable(kernel),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn run_avx512(token: Avx512, kernel: impl Kernel) {
    kernel.run(token);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(token: Avx2, kernel: impl Kernel) {
    kernel.run(token);
}

/// Out of line, as the others are: once for a kernel, not once for each of its callers.
#[inline(never)]
fn run_portable(kernel: impl Kernel) {
    kernel.run(Portable);
}

#[cfg(test)]
thread_local! {
    static PORTABLE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Works with plain arrays on this thread: what is counted to the last step must not hang on how a processor
/// rounds.
#[cfg(test)]
pub(crate) fn portably<T>(work: impl FnOnce() -> T) -> T {
    let before = PORTABLE.replace(true);
    let done = work();
    PORTABLE.set(before);
    done
}

/// Token for AVX-512.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

/// Token for AVX2 with FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

/// Token for NEON, which every 64-bit ARM has.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon(());

/// Token for plain arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// Methods that are one intrinsic each.
macro_rules! intrinsics {
    ($($name:ident($($arg:ident),+) = $intrinsic:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($arg: Self::V),+) -> Self::V {
            // SAFETY: the token `self` proves that the CPU has the instruction.
            unsafe { $intrinsic }
        }
    )+};
}

/// Load, store and splat.
macro_rules! memory {
    ($load:ident, $store:ident, $splat:ident) => {
        #[inline(always)]
        unsafe fn load(self, at: *const f64) -> Self::V {
            // SAFETY: validity by contract; the token proves the instruction.
            unsafe { $load(at) }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f64, v: Self::V) {
            // SAFETY: validity by contract; the token proves the instruction.
            unsafe { $store(at, v) }
        }
        #[inline(always)]
        fn splat(self, x: f64) -> Self::V {
            // SAFETY: the token proves the instruction.
            unsafe { $splat(x) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
impl Simd for Avx512 {
    type V = __m512d;
    const LANES: usize = 8;
    const COLUMNS: usize = 8;
    const SIDE: usize = 4;
    memory!(_mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd);
    intrinsics! {
        add(a, b) = _mm512_add_pd(a, b);
        sub(a, b) = _mm512_sub_pd(a, b);
        mul(a, b) = _mm512_mul_pd(a, b);
        div(a, b) = _mm512_div_pd(a, b);
        sqrt(a) = _mm512_sqrt_pd(a);
        mul_add(a, b, c) = _mm512_fmadd_pd(a, b, c);
        neg_mul_add(a, b, c) = _mm512_fnmadd_pd(a, b, c);
        min(a, b) = _mm512_min_pd(a, b);
        max(a, b) = _mm512_max_pd(a, b);
        scale(x, k) = _mm512_scalef_pd(x, k);
        over_root(a, b, c) = {
            // Seeds of 14 bits and two Newton steps each for 1/√b and 1/(√b + c): 17 instructions on two
            // ports against 40 cycles of the divider. Below 1e-300, whose root is lost beside c, b counts as
            // 1e-300.
            let (one, half) = (_mm512_set1_pd(1.0), _mm512_set1_pd(0.5));
            let b = _mm512_max_pd(_mm512_set1_pd(1e-300), b);
            let y = _mm512_rsqrt14_pd(b);
            let half_b = _mm512_mul_pd(half, b);
            let y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half_b, y), y, half), y);
            let y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half_b, y), y, half), y);
            let d = _mm512_fmadd_pd(b, y, c);
            let y = _mm512_rcp14_pd(d);
            let y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(d, y, one), y);
            let y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(d, y, one), y);
            let q = _mm512_mul_pd(a, y);
            _mm512_fmadd_pd(_mm512_fnmadd_pd(d, q, a), y, q)
        };
    }
    #[inline(always)]
    fn sums(self, v: [__m512d; 4]) -> [f64; 4] {
        let mut out = [0.0; 4];
        // SAFETY: the token proves the instructions; four doubles fit.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.packed_sums(v)) };
        out
    }
    #[inline(always)]
    unsafe fn add_sums(self, at: *mut f64, v: [__m512d; 4]) {
        // SAFETY: validity by contract; the token proves the instructions.
        unsafe { _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), self.packed_sums(v))) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Four sums with seven shuffles: pairs, then 128-bit lanes, then halves.
    #[inline(always)]
    fn packed_sums(self, [a, b, c, d]: [__m512d; 4]) -> __m256d {
        // SAFETY: the token proves the instructions.
        unsafe {
            let ab = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let cd = _mm512_add_pd(_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let low = _mm512_shuffle_f64x2::<0b10_00_10_00>(ab, cd);
            let high = _mm512_shuffle_f64x2::<0b11_01_11_01>(ab, cd);
            let both = _mm512_add_pd(low, high);
            let sums = _mm512_add_pd(both, _mm512_shuffle_f64x2::<0b10_11_00_01>(both, both));
            _mm512_castpd512_pd256(_mm512_shuffle_f64x2::<0b10_00_10_00>(sums, sums))
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Simd for Avx2 {
    type V = __m256d;
    const LANES: usize = 4;
    const COLUMNS: usize = 5;
    const SIDE: usize = 3;
    memory!(_mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd);
    intrinsics! {
        add(a, b) = _mm256_add_pd(a, b);
        sub(a, b) = _mm256_sub_pd(a, b);
        mul(a, b) = _mm256_mul_pd(a, b);
        div(a, b) = _mm256_div_pd(a, b);
        sqrt(a) = _mm256_sqrt_pd(a);
        mul_add(a, b, c) = _mm256_fmadd_pd(a, b, c);
        neg_mul_add(a, b, c) = _mm256_fnmadd_pd(a, b, c);
        min(a, b) = _mm256_min_pd(a, b);
        max(a, b) = _mm256_max_pd(a, b);
        scale(x, k) = {
            // k + 1023 stands in the low bits of the sum; shifted into the exponent it is 2^k.
            let biased = _mm256_add_pd(k, _mm256_set1_pd(6_755_399_441_055_744.0 + 1023.0));
            let power = _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(biased)));
            _mm256_mul_pd(x, power)
        };
    }
    #[inline(always)]
    fn sums(self, v: [__m256d; 4]) -> [f64; 4] {
        let mut out = [0.0; 4];
        // SAFETY: the token proves the instructions; four doubles fit.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.packed_sums(v)) };
        out
    }
    #[inline(always)]
    unsafe fn add_sums(self, at: *mut f64, v: [__m256d; 4]) {
        // SAFETY: validity by contract; the token proves the instructions.
        unsafe { _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), self.packed_sums(v))) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Four sums with four shuffles.
    #[inline(always)]
    fn packed_sums(self, [a, b, c, d]: [__m256d; 4]) -> __m256d {
        // SAFETY: the token proves the instructions.
        unsafe {
            let (ab, cd) = (_mm256_hadd_pd(a, b), _mm256_hadd_pd(c, d));
            let low = _mm256_permute2f128_pd::<0x20>(ab, cd);
            let high = _mm256_permute2f128_pd::<0x31>(ab, cd);
            _mm256_add_pd(low, high)
        }
    }
}

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;

#[cfg(target_arch = "aarch64")]
impl Simd for Neon {
    type V = float64x2_t;
    const LANES: usize = 2;
    const COLUMNS: usize = 8;
    const SIDE: usize = 4;
    memory!(vld1q_f64, vst1q_f64, vdupq_n_f64);
    intrinsics! {
        add(a, b) = vaddq_f64(a, b);
        sub(a, b) = vsubq_f64(a, b);
        mul(a, b) = vmulq_f64(a, b);
        div(a, b) = vdivq_f64(a, b);
        sqrt(a) = vsqrtq_f64(a);
        mul_add(a, b, c) = vfmaq_f64(c, a, b);
        neg_mul_add(a, b, c) = vfmsq_f64(c, a, b);
        min(a, b) = vminq_f64(a, b);
        max(a, b) = vmaxq_f64(a, b);
        scale(x, k) = {
            let exponent = vaddq_s64(vcvtq_s64_f64(k), vdupq_n_s64(1023));
            vmulq_f64(x, vreinterpretq_f64_s64(vshlq_n_s64::<52>(exponent)))
        };
    }
    #[inline(always)]
    fn sums(self, [a, b, c, d]: [float64x2_t; 4]) -> [f64; 4] {
        // SAFETY: the token proves the instructions.
        unsafe { [vaddvq_f64(a), vaddvq_f64(b), vaddvq_f64(c), vaddvq_f64(d)] }
    }
}

/// Lane by lane over arrays of four, written out: closures in every operation of every kernel take the
/// compiler minutes.
macro_rules! lanewise {
    ($($name:ident($($arg:ident),+) = $scalar:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($arg: [f64; 4]),+) -> [f64; 4] {
            [
                { $(let $arg = $arg[0];)+ $scalar },
                { $(let $arg = $arg[1];)+ $scalar },
                { $(let $arg = $arg[2];)+ $scalar },
                { $(let $arg = $arg[3];)+ $scalar },
            ]
        }
    )+};
}

impl Simd for Portable {
    type V = [f64; 4];
    const LANES: usize = 4;
    const COLUMNS: usize = 2;
    const SIDE: usize = 1;
    #[inline(always)]
    unsafe fn load(self, at: *const f64) -> [f64; 4] {
        // SAFETY: validity by contract; the read needs no alignment.
        unsafe { at.cast::<[f64; 4]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut f64, v: [f64; 4]) {
        // SAFETY: validity by contract; the write needs no alignment.
        unsafe { at.cast::<[f64; 4]>().write_unaligned(v) }
    }
    #[inline(always)]
    fn splat(self, x: f64) -> [f64; 4] {
        [x; 4]
    }
    lanewise! {
        add(a, b) = a + b;
        sub(a, b) = a - b;
        mul(a, b) = a * b;
        div(a, b) = a / b;
        sqrt(a) = a.sqrt();
        mul_add(a, b, c) = a * b + c;
        neg_mul_add(a, b, c) = c - a * b;
        min(a, b) = if a < b { a } else { b };
        max(a, b) = if a > b { a } else { b };
        scale(x, k) = x * f64::from_bits(((k + 1023.0) as u64) << 52);
    }
    #[inline(always)]
    fn sums(self, v: [[f64; 4]; 4]) -> [f64; 4] {
        v.map(|lanes| (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]))
    }
}
