//! The aggregate functions as bytes, by what they ask. `lcf_state` travels without its secret: a
//! plan has the specification and the digest of the filter, which holds the fingerprint of the
//! secret, and who runs it makes the filter anew from a secret of its own.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::{Result, exec_datafusion_err};
use datafusion::logical_expr::AggregateUDF;
use disclosure_jobs::JobError;
use disclosure_jobs::filter::Job;
use disclosure_jobs::observer::Silent;
use ldp_pmdh::{Schema as ReportSchema, StateDetail};
use privacy_core::prf::Secret;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{DomainFile, Schema};

use super::NO_SECRET;
use super::planned::PlannedState;
use super::wire::{Reader, Writer};
use crate::lcf_state::LcfState;
use crate::marginals::{Marginals, Question};
use crate::report_counts::ReportCounts;

/// The bytes of a function of this crate; none for another one, which travels by its name.
pub(super) fn bytes_of(function: &AggregateUDF) -> Option<Vec<u8>> {
    let function = function.inner().as_ref() as &dyn Any;
    if let Some(marginals) = function.downcast_ref::<Marginals>() {
        return Some(bytes_of_question(marginals.question()));
    }
    if let Some(state) = function.downcast_ref::<LcfState>() {
        return Some(AskedState::new(state).to_bytes());
    }
    if let Some(planned) = function.downcast_ref::<PlannedState>() {
        return Some(planned.bytes().to_vec());
    }
    function.downcast_ref::<ReportCounts>().and_then(bytes_of_reports)
}

/// The function that bytes ask for, made with the secret of this process where it takes one.
pub(super) fn function_of(name: &str, bytes: &[u8], secret: Option<&Secret>) -> Result<Arc<AggregateUDF>> {
    let function = match name {
        "marginals" => question_of(bytes).map(|question| Marginals::new(question).into()),
        "lcf_state" => AskedState::from_bytes(bytes).map(|asked| asked.function(bytes, secret)),
        "report_counts" => reports_of(bytes).map(AggregateUDF::from),
        _ => None,
    };
    // The bytes may hold labels, so they are not repeated.
    let refused = || exec_datafusion_err!("the plan asks for an aggregate function that this part cannot make: {name}");
    Ok(Arc::new(function.ok_or_else(refused)?))
}

fn bytes_of_question(question: &Question) -> Vec<u8> {
    let (schema, sets, count_column) = question.parts();
    let mut writer = Writer::new();
    writer.piece(DomainFile::of(schema.attributes().to_vec()).to_toml().as_bytes());
    writer.number(u64::from(count_column.is_some()));
    writer.piece(count_column.unwrap_or_default().as_bytes());
    writer.piece(&sets.iter().flat_map(|set| set.bits().to_le_bytes()).collect::<Vec<u8>>());
    writer.finish()
}

fn question_of(bytes: &[u8]) -> Option<Question> {
    let mut reader = Reader::new(bytes)?;
    let attributes = DomainFile::parse(reader.text()?).ok()?.attributes;
    // Where labels come from decides about a release and not about a count.
    let schema = Schema::new(attributes, Provenance::LearntFromData).ok()?;
    let has_weights = reader.number()? == 1;
    let count_column = Some(reader.text()?).filter(|_| has_weights);
    let (sets, rest) = reader.piece()?.as_chunks::<16>();
    reader.end().filter(|()| rest.is_empty())?;
    let sets: Vec<AttrSet> = sets.iter().map(|&set| AttrSet::from_bits(u128::from_le_bytes(set))).collect();
    Question::new(Arc::new(schema), &sets, count_column).ok()
}

fn bytes_of_reports(function: &ReportCounts) -> Option<Vec<u8>> {
    let (schema, detail, max_bytes) = function.parts();
    let (kind, columns) = match detail {
        StateDetail::Full => (0, 0),
        StateDetail::UpTo(columns) => (1, columns as u64),
        StateDetail::Reports => (2, 0),
        // A kind that this version does not know is known to nobody.
        _ => return None,
    };
    let mut writer = Writer::new();
    writer.piece(&schema.to_bytes());
    writer.number(kind);
    writer.number(columns);
    writer.number(max_bytes.to_bits());
    Some(writer.finish())
}

fn reports_of(bytes: &[u8]) -> Option<ReportCounts> {
    let mut reader = Reader::new(bytes)?;
    let schema = ReportSchema::from_bytes(reader.piece()?).ok()?;
    let detail = match (reader.number()?, reader.number()?) {
        (0, 0) => StateDetail::Full,
        (1, columns) => StateDetail::UpTo(usize::try_from(columns).ok()?),
        (2, 0) => StateDetail::Reports,
        _ => return None,
    };
    let max_bytes = f64::from_bits(reader.number()?);
    reader.end()?;
    ReportCounts::new(schema, detail, max_bytes).ok()
}

/// `lcf_state` without its secret.
struct AskedState {
    /// SHA-256 of the fingerprint of the secret, of kinds and thresholds.
    digest: [u8; 32],
    /// The specification as it is written.
    text: String,
    columns: usize,
}

impl AskedState {
    fn new(state: &LcfState) -> Self {
        let job = state.job();
        Self { digest: state.filter().digest(), text: job.text().to_owned(), columns: job.spec().entities.len() }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.piece(&self.digest);
        writer.piece(self.text.as_bytes());
        writer.number(self.columns as u64);
        writer.finish()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes)?;
        let digest = reader.piece()?.try_into().ok()?;
        let text = reader.text()?.to_owned();
        let columns = usize::try_from(reader.number()?).ok()?;
        reader.end()?;
        Some(Self { digest, text, columns })
    }

    /// The function, or one that can be planned and not run.
    fn function(&self, bytes: &[u8], secret: Option<&Secret>) -> AggregateUDF {
        match self.made(secret) {
            Ok(state) => state.into(),
            Err(error) => PlannedState::new(bytes, self.columns, error).into(),
        }
    }

    fn made(&self, secret: Option<&Secret>) -> std::result::Result<LcfState, JobError> {
        let secret = secret.ok_or_else(|| JobError::new(NO_SECRET, "lcf_state: this executor has no secret"))?;
        let job = Job::parse(&self.text)?;
        let filter = job.filter(secret, &Silent)?;
        if filter.digest() != self.digest {
            let message = "lcf_state: this executor has another secret than the filter of the query";
            return Err(JobError::new(NO_SECRET, message));
        }
        LcfState::new(job, filter)
    }
}

#[cfg(test)]
mod tests {
    use privacy_data::{AttributeSpec, MissingPolicy};

    use super::*;

    fn secret(byte: u8) -> Secret {
        Secret::new(&[byte; 32]).unwrap()
    }

    fn state() -> LcfState {
        let text = "group_by = [\"town\"]\nentity = [{column = \"user\", form = \"integer\"}]\n\
                    always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
        let job = Job::parse(text).unwrap();
        let filter = job.filter(&secret(7), &Silent).unwrap();
        LcfState::new(job, filter).unwrap()
    }

    #[test]
    fn a_question_is_the_same_on_the_other_side() {
        let attributes = vec![
            AttributeSpec {
                missing: Some(MissingPolicy::Category),
                column: Some("to\"wn; --".into()),
                ..AttributeSpec::of_labels("town", ["größe", "a\nb", "\u{200b}", "raus"])
            },
            AttributeSpec::of_bins("income", [f64::NEG_INFINITY, 0.1, 1e300, f64::INFINITY]),
            AttributeSpec::of_size("age", 90),
        ];
        let schema = Arc::new(Schema::new(attributes, Provenance::Public).unwrap());
        for count_column in [None, Some(""), Some("n")] {
            let sets = [AttrSet::EMPTY, AttrSet::first(2), AttrSet::single(2)];
            let question = Question::new(Arc::clone(&schema), &sets, count_column).unwrap();
            let function = AggregateUDF::from(Marginals::new(question));
            let bytes = bytes_of(&function).unwrap();
            assert_eq!(*function_of("marginals", &bytes, None).unwrap(), function);
            assert!(function_of("marginals", &bytes[..bytes.len() - 1], None).is_err());
            assert!(function_of("report_counts", &bytes, None).is_err());
        }
    }

    #[test]
    fn no_secret_is_in_a_plan_and_the_same_secret_makes_the_same_function() {
        let function = AggregateUDF::from(state());
        let bytes = bytes_of(&function).unwrap();
        assert!(!bytes.windows(8).any(|window| window == [7; 8]));
        let made = function_of("lcf_state", &bytes, Some(&secret(7))).unwrap();
        assert_eq!(*made, function);
        for other in [None, Some(&secret(8))] {
            let planned = function_of("lcf_state", &bytes, other).unwrap();
            assert_ne!(*planned, function);
            assert_eq!(bytes_of(&planned).unwrap(), bytes, "a scheduler passes on what it was given");
        }
    }
}
