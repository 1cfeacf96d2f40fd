//! What a page says, independent of how it looks.
//!
//! Any text may come from a data file. It is shown literally, with misleading characters written
//! out, and is never parsed as markup.

use crate::chart::Chart;
use crate::promise::{PromiseCard, PromiseSection};
use crate::table::{Cell, Table};

/// A page: a title, an introduction, and sections in reading order.
///
/// # Example
///
/// ```
/// use disclosure_report::{Page, Section, render};
///
/// let page = Page::new("Survey 2024")
///     .lead("Three tables with noise.")
///     .section(Section::new("Tables").text("Counts of respondents."))
///     .section(Section::owner("Attack").text("Two suppressed cells can be bounded."))
///     .colophon("Made by hand.");
/// assert!(page.has_owner_sections());
///
/// // The published page must not contain what is meant for the data owner alone.
/// let html = render(&page.public());
/// assert!(html.contains("Counts of respondents.") && !html.contains("suppressed cells"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Name of the release; also the title of the document.
    pub title: String,
    /// Introductory paragraphs below the title.
    pub lead: Vec<String>,
    /// What a reader must know first: verdict, protection, budget. Shown above the contents,
    /// without headings; [`Page::public`] removes those for the data owner.
    pub overview: Vec<Section>,
    /// Sections in reading order.
    pub sections: Vec<Section>,
    /// Footer, for example the program and version that made the page. Empty for none.
    pub colophon: String,
}

impl Page {
    /// Creates a page without sections.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds an introductory paragraph.
    #[must_use]
    pub fn lead(mut self, text: impl Into<String>) -> Self {
        self.lead.push(text.into());
        self
    }

    /// Appends a section without a heading to the first screen.
    #[must_use]
    pub fn overview(mut self, section: Section) -> Self {
        self.overview.push(section);
        self
    }

    /// Appends a section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Sets the footer.
    #[must_use]
    pub fn colophon(mut self, text: impl Into<String>) -> Self {
        self.colophon = text.into();
        self
    }

    /// Removes every section, at any depth, whose audience is [`Audience::Owner`].
    ///
    /// Only the mark decides: the contents of the remaining sections are not examined.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.overview = public(self.overview);
        self.sections = public(self.sections);
        self
    }

    /// Whether [`Page::public`] would remove anything.
    #[must_use]
    pub fn has_owner_sections(&self) -> bool {
        has_owner_sections(&self.overview) || has_owner_sections(&self.sections)
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
    /// Everyone who may read the release.
    #[default]
    Anybody,
    /// The data owner alone. The section carries a badge, and [`Page::public`] removes it
    /// together with its subsections.
    Owner,
}

/// A heading with blocks and subsections below it.
///
/// # Example
///
/// ```
/// use disclosure_report::{Block, Column, Section, Table, Tone};
///
/// let table = Table::new("Respondents by sex", [Column::words("sex"), Column::numbers("people")])
///     .row(["female", "312"])
///     .row(["male", "298"]);
/// let section = Section::new("Sex")
///     .text("Counts after noise.")
///     .with(Block::Note(Tone::Warning, "Counts below 20 are unreliable.".into()))
///     .with(table)
///     .subsection(Section::owner("Cells withheld").text("None."));
/// assert_eq!((section.blocks.len(), section.sections.len()), (3, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Who may read the section and its subsections.
    pub audience: Audience,
    /// Content directly below the heading.
    pub blocks: Vec<Block>,
    /// Subsections. Headings deeper than the fifth level are set at the fifth.
    pub sections: Vec<Section>,
}

impl Section {
    /// Creates an empty section that anybody may read.
    #[must_use]
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// Creates an empty section for the data owner alone.
    #[must_use]
    pub fn owner(heading: impl Into<String>) -> Self {
        Self { audience: Audience::Owner, ..Self::new(heading) }
    }

    /// Appends a block: a table, a chart, a promise, or any [`Block`].
    #[must_use]
    pub fn with(mut self, block: impl Into<Block>) -> Self {
        self.blocks.push(block.into());
        self
    }

    /// Appends a paragraph.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with(Block::Text(text.into()))
    }

    /// Appends a subsection.
    #[must_use]
    pub fn subsection(mut self, section: Self) -> Self {
        self.sections.push(section);
        self
    }
}

/// A piece of content in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A highlighted paragraph, coloured by its tone.
    Note(Tone, String),
    /// A privacy statement with its kind and terms.
    Promise(PromiseSection),
    /// All privacy statements of one part.
    Promises(PromiseCard),
    /// Terms and their values, as a description list.
    Facts(Vec<(String, Cell)>),
    /// A bulleted list.
    List(Vec<String>),
    /// Preformatted text, for example a command line.
    Code(String),
    /// A table.
    Table(Table),
    /// A chart, drawn as inline SVG.
    Chart(Chart),
    /// Blocks that the reader can expand. They are printed as they are on the screen.
    Folded {
        /// The line that stays visible.
        summary: String,
        /// Whether the blocks are expanded initially.
        is_open: bool,
        /// The collapsible content.
        blocks: Vec<Block>,
    },
}

impl From<PromiseSection> for Block {
    fn from(promise: PromiseSection) -> Self {
        Self::Promise(promise)
    }
}

impl From<PromiseCard> for Block {
    fn from(card: PromiseCard) -> Self {
        Self::Promises(card)
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

/// The role of a text. Colour only repeats what the words say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// No emphasis.
    #[default]
    Plain,
    /// A requirement is met.
    Good,
    /// The reader should check this.
    Warning,
    /// A requirement is not met.
    Bad,
    /// Less important than the surrounding text.
    Faint,
    /// Machine-readable text such as a digest or a path; set in a monospaced font.
    Machine,
}
