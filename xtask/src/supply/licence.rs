//! Expressions of licences, as in the manifest of a crate: names joined by OR, AND and brackets.

/// Whether an expression can be met with licences that `is_allowed`. The slash of old manifests
/// means OR; a name includes its exception (`Apache-2.0 WITH LLVM-exception`).
pub(super) fn is_met(expression: &str, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, is_allowed };
    reader.any() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    is_allowed: &'a dyn Fn(&str) -> bool,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    /// `A OR B`, of which AND binds closer.
    fn any(&mut self) -> Option<bool> {
        let mut is_met = self.all()?;
        while self.takes("OR") {
            is_met |= self.all()?;
        }
        Some(is_met)
    }

    fn all(&mut self) -> Option<bool> {
        let mut is_met = self.one()?;
        while self.takes("AND") {
            is_met &= self.one()?;
        }
        Some(is_met)
    }

    fn one(&mut self) -> Option<bool> {
        let name = self.next()?;
        if name == "(" {
            let is_met = self.any()?;
            return self.takes(")").then_some(is_met);
        }
        if self.takes("WITH") {
            let exception = self.next()?;
            return Some((self.is_allowed)(&format!("{name} WITH {exception}")));
        }
        Some(!["OR", "AND", ")"].contains(&name) && (self.is_allowed)(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_is_enough_and_all_of_several_are_needed() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        let is_met = |expression: &str| is_met(expression, &|name| allowed.contains(&name));
        for expression in [
            "MIT",
            "GPL-3.0/MIT",
            "MIT OR LGPL-2.1-or-later",
            "(GPL-3.0 OR MIT) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
            "GPL-3.0 AND GPL-2.0 OR MIT",
        ] {
            assert!(is_met(expression), "{expression}");
        }
        for expression in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0",
            "(MIT",
            "MIT MIT",
            "MIT OR",
            "not stated",
            "OR",
            "MIT WITH",
        ] {
            assert!(!is_met(expression), "{expression}");
        }
    }
}
