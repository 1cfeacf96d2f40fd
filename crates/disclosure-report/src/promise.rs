//! Privacy statements as they appear on a page.

/// How a statement is supported. This decides how much a reader may rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementKind {
    /// Holds for every input and every attacker named in the statement.
    Guarantee,
    /// A probability law whose parameters are known.
    Calibration,
    /// The prediction of a model.
    Proxy,
    /// The outcome of an experiment.
    Measurement,
    /// No protection is claimed.
    Nothing,
    /// A kind that this version does not know. Treat the statement as no promise.
    Unknown,
}

impl StatementKind {
    /// Parses the word used in documents: `guarantee`, `calibration`, `proxy`, `measured` or
    /// `measurement`, `none`. Any other word gives [`StatementKind::Unknown`].
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "guarantee" => Self::Guarantee,
            "calibration" => Self::Calibration,
            "proxy" => Self::Proxy,
            "measured" | "measurement" => Self::Measurement,
            "none" => Self::Nothing,
            _ => Self::Unknown,
        }
    }

    /// The word shown on the page.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guarantee => "Guarantee",
            Self::Calibration => "Calibration",
            Self::Proxy => "Proxy",
            Self::Measurement => "Measurement",
            Self::Nothing => "No promise",
            Self::Unknown => "Unknown kind",
        }
    }

    /// One sentence for readers who do not know the word.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Guarantee => "Holds for every table, against the attacker named here.",
            Self::Calibration => "Follows from a probability distribution with known parameters.",
            Self::Proxy => "Predicted by a model: an actual attacker may do better.",
            Self::Measurement => "Observed in an experiment: another attacker may do better.",
            Self::Nothing => "This protects nobody.",
            Self::Unknown => "This page does not know this kind of statement: treat it as no promise.",
        }
    }
}

/// A privacy statement: what is promised, to whom, against whom, and what is left open.
///
/// # Example
///
/// ```
/// use disclosure_report::{PromiseSection, StatementKind};
///
/// let promise = PromiseSection::new(StatementKind::Guarantee, "0.5-zCDP")
///     .about("the noisy tables")
///     .term("neighbours", "one row added or removed")
///     .term("against", "anyone who sees the whole release")
///     .not_covered("sampling error");
/// assert_eq!(promise.terms.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromiseSection {
    /// How the statement is supported; shown first.
    pub kind: StatementKind,
    /// Which part of the release the statement is about, if the page makes several.
    pub subject: Option<String>,
    /// The statement itself, for example `0.5-zCDP`.
    pub statement: String,
    /// The terms that give the statement its meaning, as name and text: neighbours, unit,
    /// attacker.
    pub terms: Vec<(String, String)>,
    /// What the statement does not cover, one item each.
    pub not_covered: Vec<String>,
}

impl PromiseSection {
    /// Creates a statement without terms.
    #[must_use]
    pub fn new(kind: StatementKind, statement: impl Into<String>) -> Self {
        Self { kind, subject: None, statement: statement.into(), terms: Vec::new(), not_covered: Vec::new() }
    }

    /// Names the part of the release that the statement is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Adds a term.
    #[must_use]
    pub fn term(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.terms.push((name.into(), text.into()));
        self
    }

    /// Adds something that the statement does not cover.
    #[must_use]
    pub fn not_covered(mut self, item: impl Into<String>) -> Self {
        self.not_covered.push(item.into());
        self
    }
}

/// What one part of a release promises, on one card: terms that all its statements share, and what
/// none of them covers, are said once.
///
/// # Example
///
/// ```
/// use disclosure_report::{PromiseCard, PromiseSection, Section, StatementKind};
///
/// let privacy = PromiseSection::new(StatementKind::Guarantee, "0.5-zCDP").not_covered("sampling error");
/// let intervals = PromiseSection::new(StatementKind::Calibration, "95 % intervals for each number");
/// let card = PromiseCard { subject: "Noisy tables".into(), promises: vec![privacy, intervals] };
/// assert_eq!(Section::new("What is promised").with(card).blocks.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromiseCard {
    /// The part of the release.
    pub subject: String,
    /// Its statements; their own subjects are not shown.
    pub promises: Vec<PromiseSection>,
}
