//! Names and labels that are SQL to a program that does not quote them.

/// Quotes of every kind, ends of statements, comments and lines, parameters, and letters that look
/// like others: names of columns and tables, and labels.
pub(crate) const HOSTILE: [&str; 18] = [
    "age",
    "a\"b",
    "a'b",
    "`a`",
    "\"; DROP TABLE canary; --",
    "'; DROP TABLE canary; --",
    "x) TO PROGRAM 'touch /tmp/owned'; --",
    "two\nlines; DELETE FROM canary",
    "/* a",
    "*/ -- b",
    "*",
    "$1 $$ %s {} ? :a \\' \\",
    "E'\\x27'",
    "\u{430}ge",
    "\u{ff41}ge",
    "\u{201c}a\u{201d}; \u{2018}b\u{2019}",
    "\u{ff02}; DROP TABLE canary; \u{ff07}",
    "a\u{2bc}b\u{202e}",
];
