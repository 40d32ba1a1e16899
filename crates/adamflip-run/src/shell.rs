//! Words of commands as a shell takes them.

use std::path::Path;

/// A path as a shell takes it.
pub fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// A word as a POSIX shell takes it, on one line whatever is in it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().any(char::is_control) {
        // Only dollar quotes (POSIX 2024) can write a line end without one.
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A character between dollar quotes.
fn escaped(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        _ if c.is_control() => c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect(),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("constants.load=2", "constants.load=2"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            (r#"x="a\b""#, r#"'x="a\b"'"#),
            ("train.stages[0].lr=1", "'train.stages[0].lr=1'"),
            ("it's\n\u{1b}", r"$'it\'s\n\033'"),
        ] {
            assert_eq!(quoted(word), expected, "{word:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_them_back() {
        for word in ["it's", "$HOME `ls` \"x\" \\n *", "~", "π = [1, 2]"] {
            let script = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
