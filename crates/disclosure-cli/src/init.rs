//! `disclosure init`: a first domain.toml, and a job to be filled in.

use std::path::{Component, Path, PathBuf};

use disclosure_jobs::input::{DataSource, job_skeleton, learn_spec};
use disclosure_jobs::observer::during;
use disclosure_jobs::sink::{DirectorySink, Sink};
use privacy_data::{CsvOptions, DomainFile};

use crate::args::InitArgs;
use crate::error::Failure;
use crate::files::{data_source, is_stream, named, print, say};
use crate::observer::Terminal;

/// Most of a stream that is held in memory.
const MAX_HELD_MIB: u64 = 1024;

/// Learns a domain from the data and prints it, or writes it with a job into a directory.
pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    let options =
        CsvOptions { encoding: args.encoding.into(), count_column: args.count.clone(), ..CsvOptions::default() };
    let learn = learn_spec(&args.bins, &args.quantiles, args.missing.as_deref())?;
    args.output.as_ref().map(|_| named(&args.data)).transpose()?;
    let source = data_source(&args.data, args.format.spec())?;
    // Its form and its labels are two readings.
    let source = if is_stream(&args.data) { source.into_snapshot(MAX_HELD_MIB)? } else { source };
    let domain = during(&Terminal, "reading", || source.learn_domain_with(&options, &learn))?;
    match &args.output {
        Some(output) => write_start(args, output, &domain)?,
        None => print(domain.to_toml().as_bytes())?,
    }
    let (learnt, left_out) = (domain.attributes.len(), domain.left_out.len());
    say(&format!(
        "Learnt {learnt} attribute(s) from the data and left out {left_out}. A label taken from the data discloses that someone \
         has it: check the list, then write domain_is_public = true. Private releases refuse the domain until then."
    ));
    Ok(())
}

fn write_start(args: &InitArgs, output: &Path, domain: &DomainFile) -> Result<(), Failure> {
    let title = args.data.file_stem().map_or_else(|| "release".into(), |stem| stem.to_string_lossy());
    let mut sink = DirectorySink::create(named(output)?)?;
    sink.write("domain.toml", domain.to_toml().as_bytes())?;
    sink.write("job.toml", job_skeleton(domain, &beside(&args.data, output), &title).as_bytes())?;
    sink.commit()?;
    let output = output.display();
    say(&format!(
        "Wrote {output}/domain.toml and {output}/job.toml.\nNext: disclosure run {output}/job.toml -o out --dry-run"
    ));
    Ok(())
}

/// The data as a job in `directory` names them: upwards and down again, where both are below a
/// common directory.
fn beside(data: &Path, directory: &Path) -> String {
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = directory.file_name().map(PathBuf::from).unwrap_or_default();
    let (Ok(data), Ok(parent)) = (data.canonicalize(), parent.canonicalize()) else {
        return data.to_string_lossy().into_owned();
    };
    let from = parent.join(name);
    let shared = from.components().zip(data.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(data.components().skip(shared)).collect();
    path.to_string_lossy().into_owned()
}
