//! A logarithmic axis with its ticks.

/// A logarithmic axis on the page.
pub(super) struct LogAxis {
    /// The decimal logarithms of its ends.
    low: f64,
    high: f64,
    /// The places of its ends.
    from: f64,
    to: f64,
}

/// The most labels that stand comfortably along an axis.
const MOST: usize = 7;

impl LogAxis {
    /// The axis from one place to another that shows all numbers, which are positive, with a little air.
    pub(super) fn fit(numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let logarithms = numbers.map(f64::log10);
        let range = logarithms.map(|x| (x, x)).reduce(|(a, b), (x, _)| (a.min(x), b.max(x)));
        let (low, high) = range.unwrap_or((-1.0, 0.0));
        // At least a fifth of a decade, where all numbers are about the same.
        let air = (0.03 * (high - low)).max(0.1 - (high - low) / 2.0);
        Self { low: low - air, high: high + air, from, to }
    }

    /// Where a number is on the page.
    pub(super) fn place(&self, number: f64) -> f64 {
        self.from + (self.to - self.from) * (number.log10() - self.low) / (self.high - self.low)
    }

    /// Powers of ten, as many as stand comfortably; over a short range also their multiples.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
        if last - first >= 2 {
            let stride = ((last - first) as usize).div_ceil(MOST);
            return (first..=last).step_by(stride).map(|power| (10f64.powi(power), tick(1, power))).collect();
        }
        let fine = [&[1, 2, 5][..], &[1, 2, 3, 4, 5, 6, 7, 8, 9]];
        let of = |factors: &[u8]| -> Vec<(f64, String)> {
            let powers = self.low.floor() as i32..=last;
            let all = powers.flat_map(|power| factors.iter().map(move |&factor| (factor, power)));
            let numbers =
                all.map(|(factor, power)| (f64::from(factor) * 10f64.powi(power), tick(factor, power)));
            numbers.filter(|(number, _)| (self.low..=self.high).contains(&number.log10())).collect()
        };
        let coarse = of(fine[0]);
        if coarse.len() > 1 { coarse } else { of(fine[1]) }
    }
}

/// 0.01, 0.2, 50 as they are; beyond, `2·10⁻⁵`.
fn tick(factor: u8, power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if (-2..=3).contains(&power) {
        let places = usize::try_from(-power).unwrap_or(0);
        return format!("{:.places$}", f64::from(factor) * 10f64.powi(power));
    }
    let raised = power.unsigned_abs().to_string();
    let raised = raised.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| DIGITS[digit as usize]);
    let sign = if power < 0 { "⁻" } else { "" };
    let times = if factor == 1 { String::new() } else { format!("{factor}·") };
    format!("{times}10{sign}{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(numbers: &[f64]) -> Vec<String> {
        let axis = LogAxis::fit(numbers.iter().copied(), 0.0, 100.0);
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_powers_of_ten_or_their_multiples() {
        assert_eq!(labels(&[1e-5, 1.0]), ["10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"]);
        assert_eq!(labels(&[1.0, 1e5]), ["1", "10", "100", "1000", "10⁴", "10⁵"]);
        assert_eq!(labels(&[0.04, 0.3]), ["0.05", "0.1", "0.2"]);
        assert_eq!(labels(&[1e-30, 1.0]).len(), 7);
    }

    #[test]
    fn every_axis_has_ticks_within() {
        let ranges: [&[f64]; 6] = [&[], &[7.0], &[3.1, 3.2], &[1e-250, 1e250], &[6.0, 7.0], &[9e-5, 1.1e-4]];
        for numbers in ranges {
            let axis = LogAxis::fit(numbers.iter().copied(), 0.0, 100.0);
            let ticks = axis.ticks();
            assert!((1..=10).contains(&ticks.len()), "{numbers:?}: {ticks:?}");
            assert!(
                ticks.iter().all(|(number, _)| (0.0..=100.0).contains(&axis.place(*number))),
                "{ticks:?}"
            );
        }
    }
}
