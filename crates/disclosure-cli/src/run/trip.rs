//! The parts of a job, checked and planned, before anything is drawn.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use disclosure::core::accounting::Neighbours;
use disclosure_jobs::budget::Budget;
use disclosure_jobs::marginals::Spec as NoisySpec;
use disclosure_jobs::screening::TableScreening;
use privacy_data::{DomainFile, Microdata, parse_toml, read_csv};

use super::args::RunArgs;
use super::budget::Purse;
use super::exact_part::ExactPart;
use super::spec::{JobFile, TargetsSpec};
use crate::args::LimitArgs;
use crate::digest::sha256;
use crate::domains::{Written, learnt};
use crate::error::Failure;
use crate::observer::Terminal;
use crate::files::open;
use crate::lcf::FilteredPart;
use crate::progress;
use crate::resplan::{NoisyFrame, NoisyPart};
use disclosure_jobs::exact::ExactSpec;

/// Everything that a job asks for, checked; nothing was drawn, spent or written.
pub(super) struct Trip {
    pub(super) title: String,
    /// SHA-256 of the job, followed by its domain file.
    pub(super) job_sha256: String,
    /// The job as it was written.
    pub(super) parameters: serde_json::Value,
    pub(super) count: Option<String>,
    pub(super) targets: TargetsSpec,
    /// The file as it was read, once.
    pub(super) data: Vec<u8>,
    pub(super) rows: Rc<Microdata>,
    pub(super) budget: Option<Purse>,
    pub(super) screen: Option<TableScreening>,
    pub(super) exact: Option<ExactPart>,
    pub(super) filtered: Option<FilteredPart>,
    pub(super) noisy: Option<NoisyPart>,
}

/// What the job says for all its parts.
struct Frame<'a> {
    beside: &'a Path,
    title: String,
    text: String,
    job_sha256: String,
}

impl Trip {
    /// Reads the job and its data, and plans every part.
    pub(super) fn read(args: &RunArgs) -> Result<Self, Failure> {
        let (file, text) = JobFile::read(&args.job)?;
        let beside = args.job.parent().unwrap_or(Path::new(""));
        let path = data_path(args, &file, beside)?;
        Self::of(args, file, text, &path).map_err(|failure| failure.within(&args.job))
    }

    fn of(args: &RunArgs, mut file: JobFile, text: String, path: &Path) -> Result<Self, Failure> {
        let beside = args.job.parent().unwrap_or(Path::new(""));
        let parameters = parse_toml(&text).map_err(|error| Failure::new("E0210", error.to_string()))?;
        let written = Written::read(beside, file.domain.as_deref(), &file.attributes)?;
        let text = written.as_ref().map_or(text.clone(), |written| [text.as_str(), &written.text].concat());
        let filtered = filtered(args, &mut file, &text)?;
        let data = read_data(path, &args.limits)?;
        let columns = columns(&file, written.as_ref(), &data).map_err(|failure| failure.within(path))?;
        check_vote(&columns, &file, filtered.as_ref())?;
        let schema = columns.clone().into_schema()?;
        let rows = progress::during("reading", || read_csv(data.as_slice(), &schema, &file.options()));
        let rows = Rc::new(rows.map_err(|error| Failure::from(error).within(path))?);
        let frame = Frame { beside, title: file.title(&args.job), job_sha256: sha256(text.as_bytes()), text };
        let mut budget = file.budget.as_ref().map(|budget| Purse::of(budget, beside)).transpose()?;
        let screen = file.screen.take().map(|section| {
            TableScreening::of_section(section, &frame.title, rows.clone(), &Terminal::default())
        });
        let screen = screen.transpose().map_err(|failure| failure.in_section("[screen]"))?;
        let exact = exact(&file, &frame, &rows, budget.as_mut()).map_err(|failure| failure.in_section("[exact]"))?;
        let directory = written.as_ref().map_or(beside, |written| &written.directory);
        let noisy = match (file.noisy.take(), budget.as_mut()) {
            (Some(section), Some(purse)) => {
                Some(noisy(section, &frame, (&file, columns, directory), (purse, &args.limits))?)
            }
            _ => None,
        };
        if let Some(noisy) = &noisy {
            noisy.check_total(rows.total())?;
        }
        let Frame { title, job_sha256, .. } = frame;
        let (count, targets) = (file.count, file.targets);
        Ok(Self { title, job_sha256, parameters, count, targets, data, rows, budget, screen, exact, filtered, noisy })
    }
}

impl Trip {
    /// The number of rows, which noisy tables tell exactly where all neighbours have it.
    pub(super) fn exact_total(&self) -> Option<u64> {
        let promise = self.budget.as_ref()?.budget.terms();
        let is_public = promise.neighbours == Neighbours::Replace && promise.rows_per_person == 1;
        (self.noisy.is_some() && is_public).then(|| self.rows.total())
    }
}

/// Refuses groups by the vote that the exact part counts: their numbers would tell what it withholds, and it judges its own alone.
fn check_vote(columns: &DomainFile, file: &JobFile, filtered: Option<&FilteredPart>) -> Result<(), Failure> {
    let (Some(vote), Some(filtered)) = (file.exact.as_ref().and_then(ExactSpec::response_column), filtered) else {
        return Ok(());
    };
    let mut grouped = columns.attributes.iter().filter(|attribute| filtered.group_by().contains(&attribute.name));
    if grouped.any(|attribute| attribute.column() == vote) {
        let words =
            "[filtered] groups by the vote that [exact] counts: its exact numbers would tell what [exact] withholds";
        return Err(Failure::new("E0244", words));
    }
    Ok(())
}

fn data_path(args: &RunArgs, file: &JobFile, beside: &Path) -> Result<PathBuf, Failure> {
    match (&args.data, &file.data) {
        (Some(data), _) => Ok(data.clone()),
        (None, Some(data)) if data == Path::new("-") => Ok(data.clone()),
        (None, Some(data)) => Ok(beside.join(data)),
        (None, None) => Err(Failure::new("E0244", "the job names no data: write data = \"table.csv\", or name a file")
            .within(&args.job)),
    }
}

/// The bytes of the data, which every part reads; refused above the memory that a run may take.
fn read_data(path: &Path, limits: &LimitArgs) -> Result<Vec<u8>, Failure> {
    let most = limits.max_memory.saturating_mul(1 << 20);
    let mut data = Vec::new();
    let read = open(path)?.take(most.saturating_add(1)).read_to_end(&mut data);
    read.map_err(|source| Failure::reading(path, &source))?;
    if data.len() as u64 > most {
        return Err(Failure::new("E0661", format!("the data are larger than {} MiB", limits.max_memory)).within(path));
    }
    Ok(data)
}

/// The columns as they are written or as they look, with that of a vote.
fn columns(file: &JobFile, written: Option<&Written>, data: &[u8]) -> Result<DomainFile, Failure> {
    let mut columns = match written {
        Some(written) => written.file.clone(),
        None => learnt(data, &file.options())?,
    };
    columns.attributes.retain(|attribute| Some(&attribute.name) != file.count.as_ref());
    if let Some(exact) = &file.exact {
        exact.with_response(&mut columns);
    }
    Ok(columns)
}

/// The filter; its secret is read before the data are, and not asked for without it.
fn filtered(args: &RunArgs, file: &mut JobFile, text: &str) -> Result<Option<FilteredPart>, Failure> {
    match (file.filtered.take(), &args.secret_file) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            Err(Failure::new("E0245", "--secret-file is for [filtered], and the job has no such section"))
        }
        (Some(_), None) => {
            let failure = Failure::new("E0245", "[filtered] draws under a secret: name its file");
            Err(failure.next("--secret-file key, and --new-secret for the first time"))
        }
        (Some(section), Some(secret)) => {
            let part = FilteredPart::new(section, text, file.encoding, secret, args.new_secret);
            Ok(Some(part.map_err(|failure| failure.in_section("[filtered]"))?))
        }
    }
}

fn exact(
    file: &JobFile,
    frame: &Frame<'_>,
    rows: &Microdata,
    budget: Option<&mut Purse>,
) -> Result<Option<ExactPart>, Failure> {
    let Some(section) = &file.exact else { return Ok(None) };
    let named = (frame.title.as_str(), frame.job_sha256.as_str());
    let part = progress::during("planning", || ExactPart::new(section, frame.beside, named, rows))?;
    if let (Some(purse), Some(cost)) = (budget, part.noise()) {
        purse.take_epsilon(cost)?;
    }
    Ok(Some(part))
}

fn noisy(
    section: NoisySpec,
    frame: &Frame<'_>,
    (file, columns, directory): (&JobFile, DomainFile, &Path),
    (purse, limits): (&mut Purse, &LimitArgs),
) -> Result<NoisyPart, Failure> {
    let (budget, encoding) = (&mut purse.budget, file.encoding);
    let around = NoisyFrame {
        title: &frame.title,
        text: frame.text.clone(),
        directory,
        columns,
        count: file.count.clone(),
        encoding: encoding.into(),
        budget: Budget { cost: budget.left()?, terms: budget.cost_terms() },
        terms: budget.terms(),
    };
    let part = NoisyPart::new(section, around, &limits.limits());
    let part = part.map_err(|failure| failure.in_section("[noisy]"))?;
    budget.charge("noisy", part.rho())?;
    Ok(part)
}
