//! Where a source file can hold a mutant, and what the mutant reads.
//!
//! Left out: what is evaluated at compile time, tests, what is shown to people (`Debug`,
//! `Display`), and the bodies of macros other than assertions and `vec!`.

use std::ops::Range;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Item, ReturnType, Signature, Token, UnOp, UseTree};

use super::operators;

/// Macros whose bodies are expressions with commas between them.
const LISTS: &[&str] = &["assert", "assert_eq", "assert_ne", "vec"];

/// A place of a file, with the mutants that it can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its bytes: an expression; or nothing, behind the brace that opens the body of a function.
    pub(super) range: Range<usize>,
    pub(super) changes: Vec<Change>,
}

/// A mutant: the text that takes the place of an expression, or comes before a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) text: String,
    /// The change, as it is printed.
    pub(super) shown: String,
}

/// What a file has of places, in the order of the syntax tree.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) all: Vec<Place>,
    /// Imported roundings, and the name of the reverse, which a mutant needs too.
    pub(super) imports: Vec<(Range<usize>, String)>,
}

pub(super) fn places(text: &str) -> Result<Places, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { text, found: Places::default() };
    finder.visit_file(&file);
    let Places { all, imports } = finder.found;
    // A name that is imported already is not imported twice.
    let names: Vec<&str> = imports.iter().map(|(range, _)| &text[range.clone()]).collect();
    let imports = imports.iter().filter(|(_, reverse)| !names.contains(&reverse.as_str())).cloned().collect();
    Ok(Places { all, imports })
}

struct Finder<'a> {
    text: &'a str,
    found: Places,
}

impl Finder<'_> {
    fn source(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    fn add(&mut self, span: Span, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.found.all.push(Place { range: span.byte_range(), changes });
        }
    }

    fn binary(&mut self, node: &syn::ExprBinary) {
        // A chain of `let` is no expression of its own.
        if matches!(node.op, BinOp::And(_)) && (has_let(&node.left) || has_let(&node.right)) {
            return;
        }
        let operator = self.source(node.op.span());
        let is_assignment = operators::of_assignment(operator).is_some();
        let (left, right) = (self.source(node.left.span()), self.source(node.right.span()));
        let change = |other: &String| Change {
            text: if is_assignment { format!("{left} {other} {right}") } else { format!("({left}) {other} ({right})") },
            shown: format!("`{operator}` becomes `{other}` in `{}`", operators::one_line(self.source(node.span()))),
        };
        let changes = operators::others(operator).iter().map(change).collect();
        self.add(node.span(), changes);
    }

    fn unary(&mut self, node: &syn::ExprUnary) {
        let operator = match node.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => return,
        };
        let text = format!("({})", self.source(node.expr.span()));
        let shown = format!("`{operator}` is left out of `{}`", operators::one_line(self.source(node.span())));
        self.add(node.span(), vec![Change { text, shown }]);
    }

    fn reversed_method(&mut self, node: &syn::ExprMethodCall) {
        let Some(reverse) = operators::reverse(&node.method.to_string()) else { return };
        let (whole, name) = (node.span().byte_range(), node.method.span().byte_range());
        let text = format!("{}{reverse}{}", &self.text[whole.start..name.start], &self.text[name.end..whole.end]);
        let shown = format!("`{}` becomes `{reverse}` in `{}`", node.method, operators::one_line(&self.text[whole]));
        self.add(node.span(), vec![Change { text, shown }]);
    }

    fn reversed_path(&mut self, node: &syn::ExprPath) {
        let Some(last) = node.path.segments.last().filter(|last| last.arguments.is_empty()) else { return };
        // A variable may be called `floor`; a function of that name is one of a type.
        let is_variable = node.path.segments.len() == 1 && ["floor", "ceil"].iter().any(|name| last.ident == name);
        let Some(reverse) = operators::reverse(&last.ident.to_string()).filter(|_| !is_variable) else { return };
        let (whole, name) = (node.span().byte_range(), last.ident.span().byte_range());
        let text = format!("{}{reverse}", &self.text[whole.start..name.start]);
        self.add(node.span(), vec![Change { text, shown: format!("`{}` becomes `{reverse}`", last.ident) }]);
    }

    fn results(&mut self, signature: &Signature, body: &Block) {
        let ReturnType::Type(_, output) = &signature.output else { return };
        let open = body.brace_token.span.open().byte_range().end;
        let inner = self.text[open..body.brace_token.span.close().byte_range().start].trim();
        let change = |value: &&str| Change {
            text: format!("return {value};"),
            shown: format!("`{}` returns `{value}`", signature.ident),
        };
        let values = operators::constants(self.source(output.span()));
        let changes: Vec<Change> = values.iter().filter(|value| inner != **value).map(change).collect();
        if !changes.is_empty() {
            self.found.all.push(Place { range: open..open, changes });
        }
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, body: &Block) {
        let is_shown = ["expecting", "describe"].iter().any(|name| signature.ident == name);
        if is_test(attributes) || signature.constness.is_some() || is_shown {
            return;
        }
        self.results(signature, body);
        visit::visit_block(self, body);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) => self.function(&item.attrs, &item.sig, &item.block),
            Item::Impl(item) if !is_test(&item.attrs) && !is_for_people(item) => {
                visit::visit_item_impl(self, item);
            }
            Item::Mod(item) if !is_test(&item.attrs) => visit::visit_item_mod(self, item),
            Item::Trait(item) => visit::visit_item_trait(self, item),
            Item::Use(item) if !is_test(&item.attrs) => self.visit_use_tree(&item.tree),
            _ => {}
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.attrs, &item.sig, body);
        }
    }

    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        if let UseTree::Name(name) = tree
            && let Some(reverse) = operators::reverse(&name.ident.to_string())
        {
            self.found.imports.push((name.span().byte_range(), reverse));
        }
        visit::visit_use_tree(self, tree);
    }

    fn visit_expr(&mut self, node: &'ast Expr) {
        match node {
            Expr::Binary(node) => self.binary(node),
            Expr::Unary(node) => self.unary(node),
            Expr::MethodCall(node) => self.reversed_method(node),
            Expr::Path(node) => self.reversed_path(node),
            _ => {}
        }
        visit::visit_expr(self, node);
    }

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        let name = node.path.segments.last();
        let is_list = name.is_some_and(|name| LISTS.iter().any(|list| name.ident == list));
        if is_list && let Ok(list) = node.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            list.iter().for_each(|item| self.visit_expr(item));
        }
    }

    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_field_value(&mut self, node: &'ast syn::FieldValue) {
        // `S { field }` has no expression of its own.
        if node.colon_token.is_some() {
            self.visit_expr(&node.expr);
        }
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
}

fn has_let(node: &Expr) -> bool {
    match node {
        Expr::Let(_) => true,
        Expr::Binary(node) => matches!(node.op, BinOp::And(_)) && (has_let(&node.left) || has_let(&node.right)),
        _ => false,
    }
}

/// `#[test]` or `#[cfg(test)]`; what other conditions have as well is not for tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            list.tokens.clone().into_iter().any(|token| token.to_string() == "test")
        }
        _ => false,
    })
}

fn is_for_people(item: &syn::ItemImpl) -> bool {
    let name = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    name.is_some_and(|name| name.ident == "Debug" || name.ident == "Display")
}
