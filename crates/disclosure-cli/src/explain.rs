//! `disclosure explain CODE`.

use disclosure_jobs::error::{explanation, explanations};
use privacy_data::{EXPLANATIONS, did_you_mean};

use crate::display::{terminal_width, wrapped};
use crate::error::Failure;
use crate::files::print_answer;

/// Prints the paragraph on a code.
pub(crate) fn run(code: &str) -> Result<(), Failure> {
    let code = code.to_uppercase();
    let Some(text) = explanation(&code) else {
        let known = explanations().map(|(code, _)| code).chain(EXPLANATIONS.iter().map(|(code, _)| *code));
        let meant = did_you_mean(&code, known);
        return Err(Failure::new("E0200", format!("there is no error code {code:?}{meant}"))
            .next("error codes look like E0301"));
    };
    print_answer(&format!("{code}: {}\n\n{}\n", exit_of(&code), wrapped(text, terminal_width().min(90)).join("\n")))
}

fn exit_of(code: &str) -> &'static str {
    match code.as_bytes().get(2) {
        _ if code == "E0108" => "stopped (exit code 130)",
        Some(b'1') => "operating system or engine failure (exit code 1)",
        Some(b'7') => "workbench (exit code 1)",
        Some(b'2') => "invalid command line or specification (exit code 2)",
        Some(b'3') => "invalid data (exit code 3)",
        Some(b'4') => "refused (exit code 4)",
        Some(b'5') => "budget exhausted (exit code 5)",
        Some(b'6') => "resource limit exceeded (exit code 6)",
        _ => "workbench or engine failure (exit code 1)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_once_and_in_order() {
        let mut all: Vec<&str> = explanations().map(|(code, _)| code).collect();
        assert!(all.is_sorted_by(|one, next| one < next));
        all.extend(EXPLANATIONS.iter().map(|(code, _)| *code));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "no code stands in both lists");
    }

    #[test]
    fn every_code_in_the_source_is_explained() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let (mut folders, mut read) = (vec![root.join("src"), root.join("../disclosure-jobs/src")], 0);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("explanations") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let source = std::fs::read_to_string(&path).unwrap();
                    for code in codes(&source) {
                        assert!(explanation(code).is_some(), "{code} of {path:?}");
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 100, "{read}");
    }

    /// What is written as a code, in quotes: an E and four digits.
    fn codes(source: &str) -> impl Iterator<Item = &str> {
        let is_code = |code: &&str| code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let quoted = source.match_indices("\"E0").filter_map(|(at, _)| source.get(at + 1..at + 6));
        quoted.filter(is_code)
    }
}
