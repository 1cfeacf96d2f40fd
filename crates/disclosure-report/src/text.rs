//! Makes arbitrary texts safe to show: no markup, no characters that hide or reorder others, and
//! a bounded length.

/// Longest text that is shown in full, in characters.
const LONGEST: usize = 600;

/// Appends a text, escaped. A text above [`LONGEST`] is truncated and followed by its length.
pub(crate) fn push_text(out: &mut String, text: &str) {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            push_escaped(out, &text[..end]);
            out.push_str(&format!("… ({} characters)", text.chars().count()));
        }
        None => push_escaped(out, text),
    }
}

/// Appends a text, escaped, without truncating it.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push(' '),
            c if misleads(c) => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
}

/// Whether a character is invisible or changes the order or shape of others. Such characters are
/// written out, so that labels that differ also look different.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}'
        )
        // Spaces that cannot be distinguished from the ordinary one.
        || (c.is_whitespace() && !matches!(c, ' ' | '\u{202f}'))
}

/// A sentence or a term with a capital first letter, unless its first word has a digit or another
/// capital: `zCDP` and `0.5-zCDP` stay as they are.
pub(crate) fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    // A word may be a megabyte long; no more of it is shown.
    let mut word = letters.clone().take(LONGEST).take_while(|c| ![' ', ':', ','].contains(c));
    if word.any(|c| c.is_uppercase() || c.is_numeric()) {
        return text.to_owned();
    }
    first.to_uppercase().collect::<String>() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        push_text(&mut out, text);
        out
    }

    #[test]
    fn markup_is_written_out() {
        assert_eq!(escaped("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
    }

    #[test]
    fn characters_that_hide_or_reorder_are_shown_as_numbers() {
        assert_eq!(escaped("a\u{202e}b\u{200b}c\u{feff}\u{0}"), "a\\u202Eb\\u200Bc\\uFEFF\\u0000");
        assert_eq!(escaped("é 漢 Ω −\u{202f}"), "é 漢 Ω −\u{202f}");
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(escaped(&"é".repeat(601)), format!("{}… (601 characters)", "é".repeat(600)));
        assert_eq!(escaped(&"x".repeat(600)), "x".repeat(600));
    }

    #[test]
    fn sentences_begin_with_a_capital_and_symbols_stay() {
        for (text, shown) in [
            ("no class is disclosed", "No class is disclosed"),
            ("0.5-zCDP", "0.5-zCDP"),
            ("zCDP of a row", "zCDP of a row"),
            ("épreuve", "Épreuve"),
            ("no: ABC", "No: ABC"),
            ("no,1", "No,1"),
            ("ßen", "SSen"),
            (" A", " A"),
            ("", ""),
        ] {
            assert_eq!(sentence_case(text), shown);
        }
    }
}
