//! A file with all its mutants in it: each expression asks which mutant is on.
//!
//! `a + b` becomes `(if crate::mutant::is(7) { a - b } else { a + b })`. The mutated branch keeps
//! the text of the file, and only the other one has the mutants within the operands: the text
//! grows in proportion to the depth of expressions. Comments mark both, so that an error of the
//! compiler leads to the mutants that caused it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::places::Places;

/// A text that goes into a file. At one byte, what ends there comes before what begins there.
struct Insertion {
    at: usize,
    /// Inner ends come first, and outer beginnings.
    order: (bool, isize),
    text: String,
}

/// The file with those mutants that are live; the number of its first mutant is `first`.
pub(super) fn rewritten(text: &str, places: &Places, first: u32, live: &BTreeSet<u32>) -> String {
    let mut insertions = imports(places);
    let mut next = first;
    for place in &places.all {
        let numbers: Vec<u32> = (next..).take(place.changes.len()).collect();
        next += place.changes.len() as u32;
        let branches = numbers.iter().zip(&place.changes).filter(|(number, _)| live.contains(number));
        let branches: Vec<String> = branches.map(|(number, change)| branch(*number, &change.text)).collect();
        if !branches.is_empty() {
            insertions.extend(at_place(&place.range, &branches.join(" else ")));
        }
    }
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    inserted(text, &insertions)
}

fn branch(number: u32, text: &str) -> String {
    format!("if crate::mutant::is({number}) {{/*<{number}*/ {text} /*{number}>*/}}")
}

fn at_place(range: &Range<usize>, branches: &str) -> Vec<Insertion> {
    if range.is_empty() {
        let text = format!(" /*(*/{branches}/*)*/ ");
        return vec![Insertion { at: range.start, order: (true, isize::MIN), text }];
    }
    let length = range.len() as isize;
    vec![
        Insertion { at: range.start, order: (true, -length), text: format!("(/*(*/{branches} else {{") },
        Insertion { at: range.end, order: (false, length), text: "}/*)*/)".to_owned() },
    ]
}

/// `add_up` becomes `{add_up, add_down}`.
fn imports(places: &Places) -> Vec<Insertion> {
    let both = |(range, reverse): &(Range<usize>, String)| {
        [
            Insertion { at: range.start, order: (true, 0), text: "{".to_owned() },
            Insertion { at: range.end, order: (false, 0), text: format!(", {reverse}}}") },
        ]
    };
    places.imports.iter().flat_map(both).collect()
}

fn inserted(text: &str, insertions: &[Insertion]) -> String {
    let mut result = String::with_capacity(2 * text.len());
    let mut done = 0;
    for insertion in insertions {
        result.push_str(&text[done..insertion.at]);
        result.push_str(&insertion.text);
        done = insertion.at;
    }
    result.push_str(&text[done..]);
    result
}

/// A place of a rewritten file, with its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    range: Range<usize>,
    branches: Vec<(u32, Range<usize>)>,
}

/// The mutants that one of these places of a rewritten file belongs to: mutated branches that hold
/// one of them, else all mutants of the expression around the first.
pub(super) fn mutants_at(rewritten: &str, places: &[usize]) -> Vec<u32> {
    let sites = sites(rewritten);
    let branches = sites.iter().flat_map(|site| &site.branches);
    let direct = branches.filter(|(_, range)| places.iter().any(|place| range.contains(place)));
    let direct: Vec<u32> = direct.map(|&(number, _)| number).collect();
    if !direct.is_empty() {
        return direct;
    }
    let around =
        |place: &usize| sites.iter().filter(|site| site.range.contains(place)).min_by_key(|site| site.range.len());
    let site = places.iter().find_map(around);
    site.map_or_else(Vec::new, |site| site.branches.iter().map(|&(number, _)| number).collect())
}

fn sites(rewritten: &str) -> Vec<Site> {
    let (mut open, mut closed): (Vec<Site>, Vec<Site>) = (Vec::new(), Vec::new());
    for (at, _) in rewritten.match_indices("/*") {
        let Some(mark) = rewritten[at + 2..].split("*/").next() else { continue };
        if mark == "(" {
            open.push(Site { range: at..at, branches: Vec::new() });
        } else if mark == ")" {
            closed.extend(open.pop().map(|site| Site { range: site.range.start..at, ..site }));
        } else if let Some(number) = mark.strip_prefix('<').and_then(|number| number.parse().ok()) {
            open.iter_mut().last().into_iter().for_each(|site| site.branches.push((number, at..at)));
        } else if mark.strip_suffix('>').is_some_and(|number| number.parse::<u32>().is_ok()) {
            let last = open.last_mut().and_then(|site| site.branches.last_mut());
            last.into_iter().for_each(|(_, range)| range.end = at);
        }
    }
    closed
}
