//! Round numbers along an axis, and how they are written.
//!
//! A tick is a whole number of units 10^k, so its label is exact: no rounding error ever shows as
//! 0.30000000000000004.

/// Ticks along an axis, in rising order.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) ticks: Vec<Tick>,
    /// What to add to every label ("+ 1.0002"), where the range is far narrower than the numbers are large.
    pub(super) note: Option<String>,
}

/// A mark and its label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// `mantissa` · 10^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decimal {
    mantissa: i64,
    exponent: i32,
}

/// Numbers whose first digit has such an exponent are written plainly.
const PLAIN: std::ops::Range<i32> = -4..6;
/// Labels with more digits than this are written as differences.
const MOST_DIGITS: u32 = 5;

/// Multiples of 1, 2 or 5 times a power of ten within `[lower, upper]`, at most about `target` of them.
pub(super) fn linear(lower: f64, upper: f64, target: usize) -> Ticks {
    let (factor, exponent) = round_step((upper - lower) / target.max(1) as f64);
    let unit = Decimal { mantissa: factor, exponent }.value();
    // Ends that are round numbers count as inside in spite of their rounding error.
    let (first, last) = ((lower / unit - 1e-6).ceil() as i64, (upper / unit + 1e-6).floor() as i64);
    let decimals = (first..=last).map(|n| Decimal { mantissa: n.saturating_mul(factor), exponent });
    labelled(decimals.collect())
}

/// Ticks for a logarithmic axis, at most about `target` of them: powers of ten; over less than three of them
/// also their multiples by 2 and 5, and round steps where even those are too few.
pub(super) fn logarithmic(lower: f64, upper: f64, target: usize) -> Ticks {
    let (low, high) = (lower.log10(), upper.log10());
    let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
    let between = multiples(lower, upper, low.floor() as i32, last);
    if last < first + 2 && (3..=target + 2).contains(&between.len()) {
        return Ticks { ticks: between, note: None };
    }
    if last <= first {
        return linear(lower, upper, target);
    }
    let stride = ((last - first) as usize).div_ceil(target.max(1)).max(1);
    let tick = |exponent| Tick { value: 10f64.powi(exponent), label: power(exponent) };
    Ticks { ticks: (first..=last).step_by(stride).map(tick).collect(), note: None }
}

/// 1, 2 and 5 times powers of ten.
fn multiples(lower: f64, upper: f64, first: i32, last: i32) -> Vec<Tick> {
    let inside = |value: f64| value >= lower * (1.0 - 1e-9) && value <= upper * (1.0 + 1e-9);
    let decimals =
        (first..=last).flat_map(|exponent| [1, 2, 5].map(|mantissa| Decimal { mantissa, exponent }));
    let decimals: Vec<Decimal> = decimals.filter(|decimal| inside(decimal.value())).collect();
    // One style for all: 0.0002 beside 5×10⁻⁵ looks like two scales.
    let plain = decimals.iter().all(|decimal| PLAIN.contains(&decimal.leading()));
    let label = |decimal: &Decimal| match (plain, decimal.mantissa) {
        (true, _) => decimal.plain(),
        (false, 1) => power(decimal.exponent),
        (false, mantissa) => format!("{mantissa}×{}", power(decimal.exponent)),
    };
    decimals.iter().map(|decimal| Tick { value: decimal.value(), label: label(decimal) }).collect()
}

/// The step of the form {1, 2, 5} · 10^k that is next above.
fn round_step(raw: f64) -> (i64, i32) {
    // Rounding errors of the ends must not double the step.
    const SLACK: f64 = 1e-6;
    let exponent = raw.log10().floor() as i32;
    match raw / 10f64.powi(exponent) {
        ratio if ratio <= 1.0 + SLACK => (1, exponent),
        ratio if ratio <= 2.0 + SLACK => (2, exponent),
        ratio if ratio <= 5.0 + SLACK => (5, exponent),
        _ => (1, exponent + 1),
    }
}

fn labelled(decimals: Vec<Decimal>) -> Ticks {
    let base = base(&decimals);
    let differences = decimals.iter().map(|d| Decimal { mantissa: d.mantissa - base, ..*d });
    let leading = differences.clone().filter(|d| d.mantissa != 0).map(Decimal::leading).max().unwrap_or(0);
    let labels = differences.map(|d| d.label(leading));
    let ticks = decimals.iter().zip(labels).map(|(d, label)| Tick { value: d.value(), label }).collect();
    let note = decimals.first().filter(|_| base != 0).map(|first| {
        let base = Decimal { mantissa: base, ..*first }.shortened();
        let label = base.label(base.leading());
        if label.starts_with('−') { label } else { format!("+{label}") }
    });
    Ticks { ticks, note }
}

/// What the labels leave out: zero unless they would be long and all begin with the same digits.
fn base(decimals: &[Decimal]) -> i64 {
    let (Some(first), Some(last)) = (decimals.first(), decimals.last()) else { return 0 };
    let span = 10i64.saturating_pow(digits(last.mantissa - first.mantissa));
    let longest = digits(first.mantissa).max(digits(last.mantissa));
    let nearest_multiple = (first.mantissa / 2 + last.mantissa / 2 + span / 2).div_euclid(span) * span;
    if longest > MOST_DIGITS && longest > digits(span) { nearest_multiple } else { 0 }
}

fn digits(mantissa: i64) -> u32 {
    mantissa.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
}

impl Decimal {
    fn value(self) -> f64 {
        // Dividing by a power of ten rounds once, multiplying by its inverse twice: 3 / 10 is 0.3.
        let scale = 10f64.powi(self.exponent.abs());
        if self.exponent < 0 { self.mantissa as f64 / scale } else { self.mantissa as f64 * scale }
    }

    /// The same number without zeros at the end.
    fn shortened(mut self) -> Self {
        while self.mantissa != 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.exponent += 1;
        }
        self
    }

    /// The exponent of the first digit.
    fn leading(self) -> i32 {
        self.exponent + digits(self.mantissa) as i32 - 1
    }

    /// Plain where that is short, otherwise with the exponent `leading` that the ticks of an axis share.
    fn label(self, leading: i32) -> String {
        match self.mantissa {
            0 if self.exponent >= 0 || !PLAIN.contains(&leading) => "0".to_owned(),
            _ if PLAIN.contains(&leading) => self.plain(),
            1 if self.exponent == leading => power(leading),
            _ => {
                let mantissa = Self { exponent: self.exponent - leading, ..self };
                format!("{}×{}", mantissa.plain(), power(leading))
            }
        }
    }

    fn plain(self) -> String {
        let sign = if self.mantissa < 0 { "−" } else { "" };
        let mut text = self.mantissa.unsigned_abs().to_string();
        if self.exponent >= 0 {
            text.extend(std::iter::repeat_n('0', self.exponent as usize));
        } else {
            let decimals = self.exponent.unsigned_abs() as usize;
            text = format!("{text:0>width$}", width = decimals + 1);
            text.insert(text.len() - decimals, '.');
        }
        format!("{sign}{text}")
    }
}

/// 10 with a raised exponent.
fn power(exponent: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(labels(&linear(-1.0, 1.0, 5)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(&linear(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear(0.0, 12_000.0, 5)), ["0", "5000", "10000"]);
        assert_eq!(linear(0.0, 1.0, 5).ticks[3].value, 0.6);
        assert_eq!(labels(&linear(-7.3, -6.9, 4)), ["−7.3", "−7.2", "−7.1", "−7.0", "−6.9"]);
    }

    #[test]
    fn large_and_small_numbers_share_an_exponent() {
        assert_eq!(labels(&linear(0.0, 2e-7, 4)), ["0", "0.5×10⁻⁷", "1.0×10⁻⁷", "1.5×10⁻⁷", "2.0×10⁻⁷"]);
        assert_eq!(labels(&linear(0.0, 3e12, 3)), ["0", "10¹²", "2×10¹²", "3×10¹²"]);
    }

    #[test]
    fn narrow_ranges_are_written_as_differences() {
        let ticks = linear(1.000_000_1, 1.000_000_5, 4);
        assert_eq!(labels(&ticks), ["10⁻⁷", "2×10⁻⁷", "3×10⁻⁷", "4×10⁻⁷", "5×10⁻⁷"]);
        assert_eq!(ticks.note.as_deref(), Some("+1"));
        let negative = linear(-2.000_000_5, -2.000_000_1, 2);
        assert_eq!(labels(&negative), ["−4×10⁻⁷", "−2×10⁻⁷"]);
        assert_eq!(negative.note.as_deref(), Some("−2"));
        assert_eq!(linear(100.0, 101.0, 5).note, None);
    }

    #[test]
    fn decades_and_what_lies_between() {
        assert_eq!(labels(&logarithmic(2e-7, 3e-4, 6)), ["10⁻⁶", "10⁻⁵", "10⁻⁴"]);
        assert_eq!(
            labels(&logarithmic(1e-12, 1.0, 6)),
            ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]
        );
        assert_eq!(labels(&logarithmic(0.15, 3.0, 6)), ["0.2", "0.5", "1", "2"]);
        assert_eq!(labels(&logarithmic(0.15, 0.9, 4)), ["0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&logarithmic(2e-9, 1.1e-8, 6)), ["2×10⁻⁹", "5×10⁻⁹", "10⁻⁸"]);
        assert_eq!(labels(&logarithmic(0.9, 110.0, 1)), ["10⁰", "10²"]);
        // Some are too small to be written plainly, so none is.
        assert_eq!(labels(&logarithmic(4e-5, 6e-4, 6)), ["5×10⁻⁵", "10⁻⁴", "2×10⁻⁴", "5×10⁻⁴"]);
        assert_eq!(labels(&logarithmic(3.1, 3.3, 3)), ["3.1", "3.2", "3.3"]);
    }

    #[test]
    fn any_range_has_a_bounded_number_of_ticks() {
        for (lower, upper) in
            [(0.0, 1e-290), (-1e300, 1e300), (1.0, 1.0 + 1e-11), (-5e-3, 1e5), (1e15, 1e15 + 9e3)]
        {
            let ticks = linear(lower, upper, 5);
            assert!((2..=7).contains(&ticks.ticks.len()), "[{lower}, {upper}]: {ticks:?}");
            assert!(ticks.ticks.iter().all(|tick| tick.label.chars().count() < 12), "{ticks:?}");
            assert!(ticks.ticks.is_sorted_by(|a, b| a.value < b.value));
        }
    }
}
