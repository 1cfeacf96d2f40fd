//! The columns of a table: as a spec writes them, or as its data look.

use std::io::Read;
use std::path::{Path, PathBuf};

use privacy_data::{AttributeSpec, CsvOptions, DomainFile, learn_domain};

use crate::error::Failure;
use crate::files::{read_text, say};

/// The attributes of a spec, or those of its domain file.
pub(crate) struct Written {
    pub(crate) file: DomainFile,
    /// The text of the domain file; empty when there is none.
    pub(crate) text: String,
    /// Where files that the attributes name are looked for.
    pub(crate) directory: PathBuf,
}

impl Written {
    /// What a spec in the directory `beside` writes down, if anything: not both in it and in a file.
    pub(crate) fn read(
        beside: &Path,
        domain: Option<&Path>,
        attributes: &[AttributeSpec],
    ) -> Result<Option<Self>, Failure> {
        match domain {
            Some(file) if attributes.is_empty() => {
                let path = beside.join(file);
                let text = read_text(&path)?;
                let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                let parsed = if json { DomainFile::parse_json(&text) } else { DomainFile::parse(&text) };
                let file = parsed.map_err(|error| Failure::from(error).within(&path))?;
                let directory = path.parent().unwrap_or(Path::new("")).to_owned();
                Ok(Some(Self { file, text, directory }))
            }
            Some(_) => Err(Failure::new("E0236", "give [[attribute]] tables or domain = \"domain.toml\", not both")),
            None if attributes.is_empty() => Ok(None),
            None => {
                let attributes = attributes.to_vec();
                let file =
                    DomainFile { learnt_from_data: false, domain_is_public: false, attributes, left_out: Vec::new() };
                Ok(Some(Self { file, text: String::new(), directory: beside.to_owned() }))
            }
        }
    }
}

/// The attributes that data look like.
pub(crate) fn learnt(data: impl Read, options: &CsvOptions) -> Result<DomainFile, Failure> {
    let columns = learn_domain(data, options)?;
    say("The categories were read off the data: a label is there because somebody has it. Write [[attribute]] tables \
         to say what could have been there.");
    if !columns.left_out.is_empty() {
        let places: Vec<String> = columns.left_out.iter().map(|left| left.position.to_string()).collect();
        say(&format!("Columns that are no categories were left out: {}.", places.join(", ")));
    }
    Ok(columns)
}
