//! `disclosure init`: a first domain.toml.

use disclosure_jobs::input::DataSource;
use privacy_data::CsvOptions;

use crate::args::InitArgs;
use crate::error::Failure;
use crate::files::{data_source, print, say};

/// Learns a domain from the data and prints it.
pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    let options =
        CsvOptions { encoding: args.encoding.into(), count_column: args.count.clone(), ..CsvOptions::default() };
    let domain = data_source(&args.data, args.format.spec())?.learn_domain(&options)?;
    print(domain.to_toml().as_bytes())?;
    let (learnt, left_out) = (domain.attributes.len(), domain.left_out.len());
    say(&format!(
        "Learnt {learnt} attribute(s) from the data, left out {left_out}. Labels that were seen give away that somebody\n\
         has them: check the list, then write domain_is_public = true. A private release refuses the domain until then."
    ));
    Ok(())
}
