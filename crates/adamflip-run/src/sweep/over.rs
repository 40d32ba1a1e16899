//! `--over key=…`: a key and the values to try.

use crate::batch::{assignment, list};
use crate::error::RunError;

const EXAMPLE: &str = "write for example `--over network.hidden=2x16,3x32` or, with `--random N`, `--over \
                       'train.stages[0].lr=1e-5..1e-2'`";

/// A key and the values to try.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Over {
    pub(super) key: String,
    pub(super) values: Values,
}

/// The values of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    List(Vec<String>),
    Range(Range),
}

/// Numbers between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Drawn evenly in the logarithm.
    pub(super) logarithmic: bool,
    /// Only whole numbers.
    pub(super) whole: bool,
}

/// From this ratio on, the ends of a range differ by orders of magnitude.
const FAR_APART: f64 = 100.0;

/// All keys of the command line.
pub(super) fn all(texts: &[String]) -> Result<Vec<Over>, RunError> {
    let overs: Vec<Over> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    for (number, over) in overs.iter().enumerate() {
        if overs[..number].iter().any(|other| other.key == over.key) {
            let hint = "write all its values in one `--over`";
            return Err(RunError::input(format!("two `--over` have the key `{}`", over.key), hint));
        }
    }
    Ok(overs)
}

fn read(text: &str) -> Result<Over, RunError> {
    let Some((key, values)) = assignment(text) else {
        let message = match text.split_once('=') {
            None => format!("`--over {text}` has no `=`"),
            Some((key, _)) if key.trim().is_empty() => format!("`--over {text}` has no key before `=`"),
            Some(_) => format!("`--over {text}` has no values after `=`"),
        };
        return Err(RunError::input(message, EXAMPLE));
    };
    let key = key.to_owned();
    if let Some(range) = range(text, values)? {
        return Ok(Over { key, values: Values::Range(range) });
    }
    let values: Vec<String> = list(values).into_iter().map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        let message = format!("`--over {text}` has an empty value");
        return Err(RunError::input(message, format!("is there a comma too many? {EXAMPLE}")));
    }
    Ok(Over { key, values: Values::List(values) })
}

/// `lo..hi` or `log:lo..hi`, where both ends are numbers; whole ones where they are written so.
fn range(text: &str, values: &str) -> Result<Option<Range>, RunError> {
    let refused = |reason: &str, hint: &str| Err(RunError::input(format!("`--over {text}` {reason}"), hint));
    let (asked, ends) = match values.strip_prefix("log:") {
        Some(ends) => (true, ends),
        None => (false, values),
    };
    let ends = ends.split_once("..").map(|(low, high)| (low.trim(), high.trim()));
    let numbers = ends.and_then(|(low, high)| Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?)));
    let (Some((low_text, high_text)), Some((low, high))) = (ends, numbers) else {
        return match asked {
            true => refused("is not a range", "a range is two numbers: `log:1e-5..1e-2`"),
            false => Ok(None),
        };
    };
    let whole = [low_text, high_text].iter().all(|end| end.parse::<i64>().is_ok());
    if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
        refused("has an end that is not a finite number", "a range is two numbers: `1e-5..1e-2`")
    } else if low >= high {
        refused("is an empty range", "the smaller number comes first: `1e-5..1e-2`")
    } else if asked && low <= 0.0 {
        refused("reaches zero, which has no logarithm", "leave `log:` away, or begin above zero")
    } else {
        let logarithmic = asked || (low > 0.0 && high / low >= FAR_APART);
        Ok(Some(Range { low, high, logarithmic, whole }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str) -> Result<Values, String> {
        all(&[text.to_owned()]).map(|mut overs| overs.remove(0).values).map_err(|error| error.to_string())
    }

    fn as_range(text: &str) -> (f64, f64, bool, bool) {
        match over(text).unwrap() {
            Values::Range(Range { low, high, logarithmic, whole }) => (low, high, logarithmic, whole),
            Values::List(values) => panic!("{values:?}"),
        }
    }

    #[test]
    fn lists_keep_what_is_between_brackets() {
        let expected = ["2x16", "[20, 30]", "\"a,b\""].map(str::to_owned).to_vec();
        assert_eq!(over("a.b=2x16,[20, 30],\"a,b\"").unwrap(), Values::List(expected));
        let paths = ["../a.csv", "../b.csv"].map(str::to_owned).to_vec();
        assert_eq!(over("term.d.data=../a.csv,../b.csv").unwrap(), Values::List(paths));
    }

    #[test]
    fn ranges_know_their_kind() {
        assert_eq!(as_range("a=1..50"), (1.0, 50.0, false, true));
        assert_eq!(as_range("a=1..100"), (1.0, 100.0, true, true));
        assert_eq!(as_range("a=1e-4..1e-2"), (1e-4, 1e-2, true, false));
        assert_eq!(as_range("a=log:1.0..2"), (1.0, 2.0, true, false));
        assert_eq!(as_range("a= -3 .. 5"), (-3.0, 5.0, false, true));
        assert_eq!(as_range("a=0..1000"), (0.0, 1000.0, false, true));
    }

    #[test]
    fn what_is_none_is_refused_with_an_example() {
        for (text, expected) in [
            ("a", "`--over a` has no `=`"),
            ("=1", "`--over =1` has no key before `=`"),
            ("a=", "`--over a=` has no values after `=`"),
            ("a=1,,2", "`--over a=1,,2` has an empty value"),
            ("a=2..1", "`--over a=2..1` is an empty range"),
            ("a=1..inf", "`--over a=1..inf` has an end that is not a finite number"),
            ("a=log:0..1", "`--over a=log:0..1` reaches zero, which has no logarithm"),
            ("a=log:1", "`--over a=log:1` is not a range"),
        ] {
            let said = over(text).unwrap_err();
            assert_eq!(said.lines().next(), Some(expected));
            assert!(said.contains("\nhint: "), "{said}");
        }
        let twice = all(&["a=1".to_owned(), "a=2".to_owned()]).unwrap_err();
        assert!(twice.message().starts_with("two `--over` have the key `a`"));
    }
}
