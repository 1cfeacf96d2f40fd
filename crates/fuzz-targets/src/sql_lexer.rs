//! Reads SQL as PostgreSQL splits it into tokens: written from the manual's chapter "Lexical
//! Structure", and from nothing that writes the SQL.

/// A token, as the parser of a server sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name in double quotes, without them, each doubled quote as one.
    Quoted(String),
    /// A key word, a name without quotes or a parameter; also the letter before a text or a name
    /// with escapes, which is a token of its own here.
    Word(String),
    /// Digits, with a point and an exponent as far as they go.
    Number(String),
    /// A text constant, as it is written between its quotes.
    Text(String),
    /// A single character of punctuation.
    Symbol(char),
}

/// Why a text does not split into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlexed {
    /// A NUL ends a statement for a server that is written in C.
    Nul,
    /// A quote, a dollar quote or a comment that nothing ends.
    Unterminated,
}

/// The tokens of a text.
pub(crate) fn tokens(sql: &str) -> Result<Vec<Token>, Unlexed> {
    if sql.contains('\0') {
        return Err(Unlexed::Nul);
    }
    let (mut rest, mut tokens) = (sql, Vec::new());
    while let Some(first) = rest.chars().next() {
        rest = match first {
            // The white space of its lexer; what Unicode has besides is part of a word.
            ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' => &rest[1..],
            '-' if rest.starts_with("--") => line_comment(rest),
            '/' if rest.starts_with("/*") => block_comment(rest)?,
            '"' => push_quoted(&rest[1..], &mut tokens)?,
            '\'' => push_text(&rest[1..], &mut tokens)?,
            '$' => push_dollar(rest, &mut tokens)?,
            '0'..='9' => push_while(rest, Token::Number, is_in_number, &mut tokens),
            _ if is_in_word(first) => push_while(rest, Token::Word, is_in_word, &mut tokens),
            _ => {
                tokens.push(Token::Symbol(first));
                &rest[first.len_utf8()..]
            }
        };
    }
    Ok(tokens)
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

fn is_in_number(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_')
}

fn push_while<'a>(
    rest: &'a str,
    token: fn(String) -> Token,
    belongs: fn(char) -> bool,
    tokens: &mut Vec<Token>,
) -> &'a str {
    let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    tokens.push(token(rest[..end].to_owned()));
    &rest[end..]
}

/// What is behind a comment that the end of its line ends.
fn line_comment(rest: &str) -> &str {
    rest.find(['\n', '\r']).map_or("", |end| &rest[end..])
}

/// What is behind a comment between marks, which may have others within.
fn block_comment(rest: &str) -> Result<&str, Unlexed> {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        match here {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Ok(&rest[at..]);
        }
    }
    Err(Unlexed::Unterminated)
}

/// The text up to the quote that stands alone, each doubled quote as one, and what is behind it.
fn until_quote(mut rest: &str, quote: char, has_escapes: bool) -> Result<(String, &str), Unlexed> {
    let mut text = String::new();
    loop {
        let at = rest.find(|c| c == quote || (has_escapes && c == '\\')).ok_or(Unlexed::Unterminated)?;
        text.push_str(&rest[..at]);
        let mut behind = rest[at..].chars();
        let (found, next) = (behind.next(), behind.next());
        match (found, next) {
            (Some('\\'), Some(escaped)) if has_escapes => text.extend(['\\', escaped]),
            (_, Some(doubled)) if doubled == quote => text.push(quote),
            _ if found == Some(quote) => return Ok((text, &rest[at + 1..])),
            _ => return Err(Unlexed::Unterminated),
        }
        rest = behind.as_str();
    }
}

fn push_quoted<'a>(rest: &'a str, tokens: &mut Vec<Token>) -> Result<&'a str, Unlexed> {
    let (name, rest) = until_quote(rest, '"', false)?;
    tokens.push(Token::Quoted(name));
    Ok(rest)
}

/// A text; one behind `E` has escapes.
fn push_text<'a>(rest: &'a str, tokens: &mut Vec<Token>) -> Result<&'a str, Unlexed> {
    let has_escapes = matches!(tokens.last(), Some(Token::Word(word)) if word.eq_ignore_ascii_case("e"));
    let (text, rest) = until_quote(rest, '\'', has_escapes)?;
    tokens.push(Token::Text(text));
    Ok(rest)
}

/// A text between dollar signs with a tag, or a single dollar sign.
fn push_dollar<'a>(rest: &'a str, tokens: &mut Vec<Token>) -> Result<&'a str, Unlexed> {
    let is_in_tag = |c: char| c != '$' && is_in_word(c);
    let tag = rest[1..].find(|c| !is_in_tag(c)).map(|end| &rest[..=end]);
    let is_tag =
        |tag: &&str| rest[tag.len()..].starts_with('$') && !rest[1..].starts_with(|c: char| c.is_ascii_digit());
    let Some(tag) = tag.filter(is_tag) else {
        return Ok(push_while(rest, Token::Word, is_in_word, tokens));
    };
    let mark = &rest[..=tag.len()];
    let (text, rest) = rest[mark.len()..].split_once(mark).ok_or(Unlexed::Unterminated)?;
    tokens.push(Token::Text(text.to_owned()));
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Token {
        Token::Word(text.to_owned())
    }

    #[test]
    fn tokens_are_those_of_the_manual() {
        let quoted = |name: &str| Token::Quoted(name.to_owned());
        let text = |text: &str| Token::Text(text.to_owned());
        for (sql, expected) in [
            ("SELECT \"a\"\"b\"", vec![word("SELECT"), quoted("a\"b")]),
            ("\"\"\"\"", vec![quoted("\"")]),
            ("\"a\"\"\" b", vec![quoted("a\""), word("b")]),
            ("x -- y\nz", vec![word("x"), word("z")]),
            ("x /* a /* b */ c */ z", vec![word("x"), word("z")]),
            ("'it''s' E'a\\'b'", vec![text("it's"), word("E"), text("a\\'b")]),
            ("$$a'\"$$ $t$ $$ $t$ $1", vec![text("a'\""), text(" $$ "), word("$1")]),
            ("1.5e3, é", vec![Token::Number("1.5e3".to_owned()), Token::Symbol(','), word("é")]),
            ("a\u{a0}b\u{201c}", vec![word("a\u{a0}b\u{201c}")]),
        ] {
            assert_eq!(tokens(sql), Ok(expected), "{sql}");
        }
    }

    #[test]
    fn what_nothing_ends_is_no_token() {
        for sql in ["\"a", "\"a\"\"", "'a", "E'a\\'", "/* a /* b */", "$t$ a $$", "'a\\' '"] {
            assert_eq!(tokens(sql), Err(Unlexed::Unterminated), "{sql}");
        }
        assert_eq!(tokens("a\0b"), Err(Unlexed::Nul));
    }
}
