//! Times as people write them.

/// Seconds by unit; a number alone is seconds.
const UNITS: [(&str, f64); 5] = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
/// Thirty years.
const MOST: f64 = 1e9;

/// A time in seconds, or with a unit.
pub fn seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let with_unit = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
    let (number, unit) = with_unit.unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= MOST)
        .ok_or_else(|| "write a time above zero, for example `90`, `5m` or `1.5h`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_have_units() {
        let read = ["90", "90s", "5m", "1h", "1.5h", " 2 m ", "250ms"].map(|text| seconds(text).unwrap());
        assert_eq!(read, [90.0, 90.0, 300.0, 3600.0, 5400.0, 120.0, 0.25]);
        for text in ["", "m", "-3", "0", "nan", "inf", "5 min", "9999999h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
