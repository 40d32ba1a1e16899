//! Text within SVG and HTML.

/// Signs that mean something there stand for themselves, also between double quotes.
pub fn escaped(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_sign_of_a_text_is_taken_for_markup() {
        assert_eq!(escaped("a < \"b\" & c\u{1b}>\n"), "a &lt; &quot;b&quot; &amp; c &gt; ");
    }
}
