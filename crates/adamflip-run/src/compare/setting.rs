//! `--settings NAME:key=value,…`: changes of the file under a name.

use crate::batch::{assignment, list};
use crate::error::RunError;

const EXAMPLE: &str = "write for example `--settings wide:network.hidden=2x64,train.resample=50`";

/// Changes of the file under a name; under none it is the file as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: Option<String>,
    pub(super) set: Vec<String>,
}

/// All settings of the command line; the file as it is where there are none.
pub(super) fn all(texts: &[String]) -> Result<Vec<Setting>, RunError> {
    let settings: Vec<Setting> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    // Names of folders, which some systems do not tell apart by capitals.
    let key = |setting: &Setting| setting.name.as_deref().unwrap_or_default().to_lowercase();
    for (number, setting) in settings.iter().enumerate() {
        if settings[..number].iter().any(|other| key(other) == key(setting)) {
            let name = setting.name.as_deref().unwrap_or_default();
            return Err(RunError::input(
                format!("two settings are named `{name}`"),
                "give each its own name",
            ));
        }
    }
    Ok(if settings.is_empty() { vec![Setting::default()] } else { settings })
}

fn read(text: &str) -> Result<Setting, RunError> {
    let Some((name, changes)) = text.split_once(':') else {
        return Err(RunError::input(format!("`--settings {text}` has no `:` after the name"), EXAMPLE));
    };
    let name = name.trim();
    let plain = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        let message = format!("`{name}` in `--settings {text}` is not a name");
        return Err(RunError::input(
            message,
            format!("a name is letters, digits, `_`, `-` and `.`: {EXAMPLE}"),
        ));
    }
    let mut set = Vec::new();
    // A name alone is the file as it is.
    for change in list(changes).into_iter().filter(|_| !changes.trim().is_empty()) {
        if assignment(change).is_none() {
            let message = format!("`{change}` in `--settings {text}` is not a key, `=` and a value");
            return Err(RunError::input(message, EXAMPLE));
        }
        set.push(change.to_owned());
    }
    Ok(Setting { name: Some(name.to_owned()), set })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(texts: &[&str]) -> Result<Vec<Setting>, String> {
        all(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_is_a_name_and_changes() {
        assert_eq!(settings(&[]).unwrap(), [Setting::default()]);
        let found = settings(&["base:", "wide: network.hidden=[64, 64], train.seed=1"]).unwrap();
        assert_eq!(found[0], Setting { name: Some("base".into()), set: vec![] });
        assert_eq!(found[1].set, ["network.hidden=[64, 64]", "train.seed=1"]);
    }

    #[test]
    fn what_is_none_is_refused_with_an_example() {
        for (texts, expected) in [
            (&["wide"][..], "`--settings wide` has no `:` after the name"),
            (&[":a=1"], "`` in `--settings :a=1` is not a name"),
            (&["a/b:a=1"], "`a/b` in `--settings a/b:a=1` is not a name"),
            (&["..:a=1"], "`..` in `--settings ..:a=1` is not a name"),
            (&["a:b"], "`b` in `--settings a:b` is not a key, `=` and a value"),
            (&["a:b=1,"], "`` in `--settings a:b=1,` is not a key, `=` and a value"),
            (&["a:b=1", "A:b=2"], "two settings are named `A`"),
        ] {
            let text = settings(texts).unwrap_err();
            assert_eq!(text.lines().next(), Some(expected));
            assert!(text.contains("\nhint: "), "{text}");
        }
    }
}
