//! What stands between the cells of a text file.

/// The character between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// One of these between two cells.
    Character(char),
    /// Any number of blanks and tabs.
    Blanks,
}

impl Separator {
    /// The separator of a line: a semicolon before a comma (which may be within numbers then), before a tab.
    pub(super) fn of(line: &str) -> Self {
        let unquoted: String = line.split('"').step_by(2).collect();
        let found = [';', ',', '\t'].into_iter().find(|&character| unquoted.contains(character));
        found.map_or(Self::Blanks, Self::Character)
    }

    /// The cells of a line, without blanks and quotes around them. Separators within quotes do not count.
    pub(super) fn split(self, line: &str) -> Vec<&str> {
        let Self::Character(separator) = self else {
            return line.split_whitespace().map(bare).collect();
        };
        let mut is_quoted = false;
        let is_end = |character: char| {
            is_quoted ^= character == '"';
            character == separator && !is_quoted
        };
        line.split(is_end).map(bare).collect()
    }

    /// The cells of a header; empty for a column without a name.
    pub(super) fn names(self, line: &str) -> Vec<String> {
        self.split(line).into_iter().map(str::to_owned).collect()
    }
}

fn bare(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_separator_is_found() {
        for line in ["x, t ,u", "x;t;u", "x\tt\tu", "  x  t    u", "\"x\", \"t\", \"u\""] {
            assert_eq!(Separator::of(line).split(line), ["x", "t", "u"], "{line}");
        }
        assert_eq!(Separator::of("1,5;2,5").split("1,5;2,5"), ["1,5", "2,5"]);
    }

    #[test]
    fn separators_within_quotes_do_not_count() {
        let line = "\"flux, W\",x,";
        assert_eq!(Separator::of(line), Separator::Character(','));
        assert_eq!(Separator::of(line).split(line), ["flux, W", "x", ""]);
        assert_eq!(Separator::of("\"a;b\" c"), Separator::Blanks);
    }
}
