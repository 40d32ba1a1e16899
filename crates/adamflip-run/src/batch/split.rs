//! Lists and assignments as they are written on the command line.

/// The parts between commas, but not those within brackets, braces or quotes: `1,[2,3],"a,b"` has three.
pub(crate) fn list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut quote: Option<char> = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// A key and what is assigned to it, both written.
pub(crate) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    (!key.is_empty() && !value.is_empty()).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_within_brackets_and_quotes_do_not_split() {
        assert_eq!(list("1,2, 3"), ["1", "2", "3"]);
        assert_eq!(
            list("[20,30],[{ a = 1, b = 2 }],max(a, b)"),
            ["[20,30]", "[{ a = 1, b = 2 }]", "max(a, b)"]
        );
        assert_eq!(list(r#""a,b",'c,"d'"#), [r#""a,b""#, r#"'c,"d'"#]);
        assert_eq!(list("1,,2,"), ["1", "", "2", ""]);
        assert_eq!(list("]),1"), ["])", "1"]);
        assert_eq!(list(""), [""]);
    }

    #[test]
    fn assignments_need_both_sides() {
        assert_eq!(assignment("a.b = c=d"), Some(("a.b", "c=d")));
        for text in ["a", "=1", "a=", " = "] {
            assert_eq!(assignment(text), None, "{text}");
        }
    }
}
