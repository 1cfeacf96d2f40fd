//! What a page says, without a word on how it looks.
//!
//! Every text may come from a data file: it is shown as it is or with its misleading characters written out, and never read
//! as markup.

use crate::chart::Chart;

/// A page: what was released, then section by section how and what it is worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Name of the release.
    pub title: String,
    /// First words below the title.
    pub lead: Vec<String>,
    /// In the order in which they are read.
    pub sections: Vec<Section>,
    /// Last words: what made the page.
    pub colophon: String,
}

impl Page {
    /// A page without sections.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The page without every section that is for the owner of the data alone.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.sections = public(self.sections);
        self
    }

    /// Whether [`Page::public`] would leave anything out.
    #[must_use]
    pub fn has_owner_sections(&self) -> bool {
        has_owner_sections(&self.sections)
    }
}

fn has_owner_sections(sections: &[Section]) -> bool {
    sections.iter().any(|section| section.audience == Audience::Owner || has_owner_sections(&section.sections))
}

fn public(sections: Vec<Section>) -> Vec<Section> {
    let open = sections.into_iter().filter(|section| section.audience == Audience::Anybody);
    open.map(|section| Section { sections: public(section.sections), ..section }).collect()
}

/// Who may read a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Whoever may read the release.
    #[default]
    Anybody,
    /// Whoever holds the data: the section is marked, and [`Page::public`] leaves it out with all that is in it.
    Owner,
}

/// A heading and what stands under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Who may read it.
    pub audience: Audience,
    /// What stands directly under the heading.
    pub blocks: Vec<Block>,
    /// Sections within it. Those deeper than five have headings of the fifth level.
    pub sections: Vec<Section>,
}

impl Section {
    /// A section for anybody, with nothing in it.
    #[must_use]
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// The same, with one more block.
    #[must_use]
    pub fn with(mut self, block: impl Into<Block>) -> Self {
        self.blocks.push(block.into());
        self
    }
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph that must not be missed.
    Note(Tone, String),
    /// What is promised.
    Promise(Promise),
    /// Names, each with what it stands for.
    Facts(Vec<(String, Cell)>),
    /// A list of points.
    List(Vec<String>),
    /// Words of a command.
    Code(String),
    /// A table.
    Table(Table),
    /// A picture of numbers.
    Chart(Chart),
    /// Blocks that can be folded away under their first words; printed in full.
    Folded {
        /// The words that stay.
        summary: String,
        /// Whether it is unfolded at first.
        is_open: bool,
        /// What is folded.
        blocks: Vec<Block>,
    },
}

impl From<Promise> for Block {
    fn from(promise: Promise) -> Self {
        Self::Promise(promise)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Chart> for Block {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

/// What stands behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Holds for every input and every attacker that is named.
    Guarantee,
    /// A law with known parameters.
    Calibration,
    /// A model's prediction.
    Proxy,
    /// What was seen in an experiment.
    Measurement,
    /// Nothing is promised.
    Nothing,
    /// A kind that the page does not know; it is said to promise nothing.
    Unknown,
}

impl Kind {
    /// The kind that documents call so: `guarantee`, `calibration`, `proxy`, `measured` or `measurement`, `none`.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        match word {
            "guarantee" => Self::Guarantee,
            "calibration" => Self::Calibration,
            "proxy" => Self::Proxy,
            "measured" | "measurement" => Self::Measurement,
            "none" => Self::Nothing,
            _ => Self::Unknown,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guarantee => "guarantee",
            Self::Calibration => "calibration",
            Self::Proxy => "proxy",
            Self::Measurement => "measurement",
            Self::Nothing => "no promise",
            Self::Unknown => "unknown kind",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Guarantee => "Holds for every table, against the attacker who is named.",
            Self::Calibration => "A law with known parameters: how often it holds is known.",
            Self::Proxy => "A model's prediction: an actual attacker may do better.",
            Self::Measurement => "What was seen in an experiment: another attacker may do better.",
            Self::Nothing => "Nobody is protected by this.",
            Self::Unknown => "The document names a kind that this page does not know: take it for no promise.",
        }
    }
}

/// What is promised, to whom, against whom, and what is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its kind, which is said first.
    pub kind: Kind,
    /// What it is about, if the page makes several.
    pub of: Option<String>,
    /// The promise.
    pub statement: String,
    /// Neighbours, unit, attacker, and whatever else it needs to mean something: names with their texts.
    pub terms: Vec<(String, String)>,
    /// What it does not cover.
    pub not_covered: Vec<String>,
}

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// How many of the first columns name the row.
    pub row_names: usize,
    /// Its rows; a row that is too short ends in empty cells.
    pub rows: Vec<Vec<Cell>>,
    /// What is not shown, and where it is.
    pub left_out: Option<String>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Whether its cells are numbers, which line up at the right.
    pub is_number: bool,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false }
    }

    /// A column of numbers.
    #[must_use]
    pub fn numbers(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true }
    }
}

/// A text, and how it is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Cell {
    /// A text that is meant so.
    #[must_use]
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), tone: Tone::Plain }
    }
}

/// How a text is meant; said by its words, and by its colour besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// It is as it should be.
    Good,
    /// It wants a look.
    Warning,
    /// It is not as it should be.
    Bad,
    /// Less important than its neighbours.
    Faint,
    /// A digest, a path, a name that programs read.
    Machine,
}
