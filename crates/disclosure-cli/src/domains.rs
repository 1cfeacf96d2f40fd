//! The columns of a table: as a spec writes them, or as its data look.

use std::path::Path;

use privacy_data::{AttributeSpec, CsvOptions, DomainFile, learn_domain};

use crate::error::Failure;
use crate::files::{open, say};

/// The attributes that are written down: in the spec, or in the file that it names.
pub(crate) fn written(
    beside: &Path,
    domain: Option<&Path>,
    attributes: &[AttributeSpec],
) -> Result<Option<DomainFile>, Failure> {
    match domain {
        Some(domain) if attributes.is_empty() => {
            let path = beside.join(domain);
            Ok(Some(DomainFile::load(&path).map_err(|error| Failure::from(error).within(&path))?))
        }
        Some(_) => Err(Failure::new("E0236", "give [[attribute]] tables or domain = \"domain.toml\", not both")),
        None if attributes.is_empty() => Ok(None),
        None => Ok(Some(DomainFile {
            learnt_from_data: false,
            domain_is_public: false,
            attributes: attributes.to_vec(),
            left_out: Vec::new(),
        })),
    }
}

/// The attributes that are written down, or those that the data look like. Nothing here has a rule about where labels come
/// from; a person is told.
pub(crate) fn written_or_learnt(
    written: Option<DomainFile>,
    data: &Path,
    options: &CsvOptions,
) -> Result<DomainFile, Failure> {
    match written {
        Some(written) => Ok(written),
        None if data == Path::new("-") => {
            Err(Failure::new("E0236", "data from the standard input is read once: write [[attribute]] tables"))
        }
        None => learnt(data, options),
    }
}

fn learnt(data: &Path, options: &CsvOptions) -> Result<DomainFile, Failure> {
    let columns = learn_domain(open(data)?, options).map_err(|error| Failure::from(error).within(data))?;
    say("The categories were read off the data: a label is there because somebody has it. Write [[attribute]] tables \
         to say what could have been there.");
    if !columns.left_out.is_empty() {
        let places: Vec<String> = columns.left_out.iter().map(|left| left.position.to_string()).collect();
        say(&format!("Columns that are no categories were left out: {}.", places.join(", ")));
    }
    Ok(columns)
}
