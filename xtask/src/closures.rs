//! Named closures, `let name = |...| ...`: a private function has a signature and documentation
//! where a closure has neither, so a crate has at most one for every ten functions, and no closure
//! is called `of`. Tests do not count.

use std::iter::Peekable;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree, token_stream};
use quote::ToTokens;
use syn::Item;

use crate::api::crates::{self, Module};
use crate::tidy::Breach;
use crate::workspace::Error;

/// How many functions there are for a named closure, at least.
const FUNCTIONS: usize = 10;

/// A name that says nothing of what the closure gives.
const EMPTY_NAME: &str = "of";

/// What a crate has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    closures: usize,
    functions: usize,
    with_empty_names: usize,
}

pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for library in crates::all(root)? {
        let Figures { closures, functions, with_empty_names } = of_module(&library.root);
        let most = functions / FUNCTIONS;
        if closures > most {
            let problem = format!(
                "has {closures} named closures in {functions} functions, at most {most} may it: make functions of them"
            );
            found.push(Breach::new(&library.name, problem));
        }
        if with_empty_names > 0 {
            let problem = format!("has {with_empty_names} closures named `{EMPTY_NAME}`: say what they give");
            found.push(Breach::new(&library.name, problem));
        }
    }
    Ok(found)
}

fn of_module(root: &Module) -> Figures {
    let mut figures = Figures::default();
    let items = root.all().into_iter().flat_map(|module| &module.items);
    for item in items.filter(|item| !matches!(item, Item::Mod(_))) {
        figures.add(item.to_token_stream());
    }
    figures
}

impl Figures {
    fn add_closure(&mut self, name: Option<&str>) {
        self.closures += usize::from(name.is_some());
        self.with_empty_names += usize::from(name == Some(EMPTY_NAME));
    }

    fn add(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.add(group.stream()),
                // `fn` without a name behind it is a type.
                TokenTree::Ident(word) if word == "fn" => {
                    self.functions += usize::from(matches!(tokens.peek(), Some(TokenTree::Ident(_))));
                }
                TokenTree::Ident(word) if word == "let" => self.add_closure(closure_name(&mut tokens).as_deref()),
                _ => {}
            }
        }
    }
}

/// The name of a closure, where what follows `let` is a name, perhaps with a type, and a closure.
/// Reads no further than to the value, so that closures within it are seen.
fn closure_name(tokens: &mut Peekable<token_stream::IntoIter>) -> Option<String> {
    while tokens.next_if(|token| is_word(token, "mut")).is_some() {}
    let name = tokens.next_if(|token| matches!(token, TokenTree::Ident(_)))?.to_string();
    if tokens.next_if(|token| is_mark(token, ':')).is_some() {
        while tokens.next_if(|token| !is_mark(token, '=') && !is_mark(token, ';')).is_some() {}
    }
    tokens.next_if(|token| is_mark(token, '='))?;
    while tokens.next_if(|token| is_word(token, "move")).is_some() {}
    tokens.peek().filter(|token| is_mark(token, '|')).map(|_| name)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(own) if own == word)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(own) if own.as_char() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(source: &str) -> Figures {
        let mut figures = Figures::default();
        figures.add(source.parse().unwrap());
        figures
    }

    #[test]
    fn closures_with_a_name_are_counted_wherever_they_are() {
        let source =
            "fn f(g: fn(u8) -> u8) { let a = |x| x; if true { let mut b: F = move |x: u8| { let c = || 1; x }; } }";
        assert_eq!(figures(source), Figures { closures: 3, functions: 1, with_empty_names: 0 });
        let source = "fn f() { let of = |x| x; let at = |x| x; let of = 3; }";
        assert_eq!(figures(source), Figures { closures: 2, functions: 1, with_empty_names: 1 });
    }

    #[test]
    fn closures_that_are_passed_on_and_other_values_are_not_counted() {
        let source = "impl A { fn f() { let a = v.map(|x| x); let b = x | y; let (c, d) = |x| x; if let Some(e) = f(|| 1) {} } }";
        assert_eq!(figures(source), Figures { closures: 0, functions: 1, with_empty_names: 0 });
    }

    #[test]
    fn a_crate_with_more_than_one_in_ten_is_a_breach_and_its_tests_do_not_count() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crates/lcf/src");
        std::fs::create_dir_all(&folder).unwrap();
        let source = |closures: &str| {
            let functions: String = (0..10).map(|i| format!("fn f{i}() {{}}\n")).collect();
            format!("{functions}fn g() {{ {closures} }}\n#[cfg(test)]\nmod tests {{ fn t() {{ let x = || 1; }} }}")
        };
        std::fs::write(folder.join("lib.rs"), source("let a = || 1;")).unwrap();
        assert_eq!(breaches(root.path()).unwrap(), []);
        std::fs::write(folder.join("lib.rs"), source("let a = || 1; let b = || 2;")).unwrap();
        let problem = &breaches(root.path()).unwrap()[0].problem;
        assert!(problem.starts_with("has 2 named closures in 11 functions, at most 1"), "{problem}");
    }
}
