//! What an operator, a name of a rounding and the result of a function become.

/// Operators and what takes their place; those of an assignment end in `=` as well.
const BINARY: &[(&str, &[&str])] = &[
    ("+", &["-", "*"]),
    ("-", &["+", "/"]),
    ("*", &["+", "/"]),
    ("/", &["*", "%"]),
    ("%", &["/", "+"]),
    ("&", &["|", "^"]),
    ("|", &["&", "^"]),
    ("^", &["&", "|"]),
    ("<<", &[">>"]),
    (">>", &["<<"]),
];

/// Comparisons move their boundary, and are negated.
const LOGICAL: &[(&str, &[&str])] = &[
    ("<", &["<=", ">="]),
    ("<=", &["<", ">"]),
    (">", &[">=", "<="]),
    (">=", &[">", "<"]),
    ("==", &["!="]),
    ("!=", &["=="]),
    ("&&", &["||"]),
    ("||", &["&&"]),
];

/// What is rounded up by `NAME_up`, and down by `NAME_down`.
const ROUNDED: &[&str] = &["add", "sub", "mul", "div", "sqrt", "exp", "ln", "ln_1p", "sum", "next", "two_steps"];

pub(super) fn others(operator: &str) -> Vec<String> {
    if let Some(found) = replacements(LOGICAL, operator).or_else(|| replacements(BINARY, operator)) {
        return found.iter().map(|&other| other.to_owned()).collect();
    }
    let plain = of_assignment(operator).and_then(|plain| replacements(BINARY, plain)).unwrap_or_default();
    plain.iter().map(|other| format!("{other}=")).collect()
}

/// What takes the place of an operator in a table.
fn replacements(table: &'static [(&str, &[&str])], operator: &str) -> Option<&'static [&'static str]> {
    table.iter().find(|(from, _)| *from == operator).map(|(_, to)| *to)
}

/// The operator of an assignment such as `+=`.
pub(super) fn of_assignment(operator: &str) -> Option<&str> {
    let plain = operator.strip_suffix('=')?;
    BINARY.iter().any(|(from, _)| *from == plain).then_some(plain)
}

/// The rounding to the other side.
pub(super) fn reverse(name: &str) -> Option<String> {
    match name {
        "ceil" => Some("floor".to_owned()),
        "floor" => Some("ceil".to_owned()),
        _ => {
            let (stem, side) = name.rsplit_once('_').filter(|(stem, _)| ROUNDED.contains(stem))?;
            match side {
                "up" => Some(format!("{stem}_down")),
                "down" => Some(format!("{stem}_up")),
                _ => None,
            }
        }
    }
}

/// Constants for the result of a function, by the text of its type.
pub(super) fn constants(output: &str) -> &'static [&'static str] {
    match output {
        "bool" => &["true", "false"],
        "f64" | "f32" => &["0.0", "1.0"],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            &["0", "1"]
        }
        _ if output.starts_with("Option<") => &["None"],
        _ if output.starts_with("Result<(),") || output == "Result<()>" => &["Ok(())"],
        _ => &[],
    }
}

/// A text on one line, and not a long one.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(70) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}
