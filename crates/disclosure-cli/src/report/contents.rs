//! What the files of a trip hold: tables by the part that they belong to, and documents of the review.

use disclosure_report::{Block, Section, Tone};

use super::directory::{Directory, Entry};
use super::error::ReportError;
use super::record::{name_of, several};
use super::resplan::too_large;
use super::sheet::Sheet;
use super::{frechet, review, tables};

/// Sections made of the files.
#[derive(Default)]
pub(super) struct Contents {
    /// Tables, which wait for the record that says what they count.
    exact: Vec<(String, Sheet, String)>,
    exact_unit: Option<String>,
    filtered: Vec<Section>,
    noisy: Vec<Section>,
    after: Vec<Block>,
    /// What the exact part says of itself besides its tables.
    said: Vec<Section>,
    pub(super) review: Vec<Section>,
}

impl Contents {
    pub(super) fn add(&mut self, directory: &mut Directory, entry: &Entry) -> Result<(), ReportError> {
        let bytes = directory.read(entry)?;
        let below = entry.path.strip_prefix("release/").unwrap_or(&entry.path).to_owned();
        match bytes {
            Some(bytes) if entry.stays => self.review.extend(review::section(directory, entry, &bytes)?),
            Some(bytes) if below.ends_with(".csv") => self.add_table(directory, entry, &below, &bytes)?,
            Some(bytes) if below == "exact/release.json" => {
                self.said = frechet::said(&entry.path, &bytes)?;
                self.exact_unit = Some(frechet::unit_of(&entry.path, &bytes)?);
            }
            None if below.ends_with(".csv") && !entry.stays => self.noisy.push(too_large(below, &entry.path)),
            _ => {}
        }
        Ok(())
    }

    fn add_table(
        &mut self,
        directory: &mut Directory,
        entry: &Entry,
        below: &str,
        bytes: &[u8],
    ) -> Result<(), ReportError> {
        let sheet = Sheet::read(directory, &entry.path, bytes)?;
        let name = name_of(&sheet.names);
        let (folder, file) = below.split_once('/').unwrap_or(("", below));
        match folder {
            "exact" => self.exact.push((name, sheet, entry.path.clone())),
            "noisy" if ["nonnegative_", "rounded_"].iter().any(|start| file.starts_with(start)) => {
                self.after.push(tables::folded(&name, &sheet, &entry.path));
            }
            "noisy" => self.noisy.push(tables::section(name, &sheet, "counts", &entry.path)),
            _ => self.filtered.push(tables::section(name, &sheet, "rows", &entry.path)),
        }
        Ok(())
    }

    pub(super) fn lead(&self) -> String {
        let parts = [
            (self.exact.len(), "table of the exact part", "tables of the exact part"),
            (self.filtered.len(), "table of groups", "tables of groups"),
            (self.noisy.len(), "table with noise", "tables with noise"),
        ];
        let parts = parts.into_iter().filter(|&(tables, ..)| tables > 0);
        let said: Vec<String> = parts.map(|(tables, one, many)| several(tables, one, many)).collect();
        if said.is_empty() { "No tables.".to_owned() } else { format!("{}.", said.join(", ")) }
    }

    /// All tables, part by part.
    pub(super) fn tables(&mut self, overview: Option<Section>) -> Section {
        let mut all = Section::new("Tables");
        all.sections.extend(overview);
        let mut part = |heading: &str, words: &str, mut sections: Vec<Section>| {
            if !sections.is_empty() {
                let mut section = Section::new(heading).with(Block::Text(words.to_owned()));
                section.sections.append(&mut sections);
                all.sections.push(section);
            }
        };
        let unit = self.exact_unit.as_deref().unwrap_or("people who are counted");
        let exact = std::mem::take(&mut self.exact).into_iter();
        let exact = exact.map(|(name, sheet, path)| tables::section(name, &sheet, unit, &path));
        let exact = std::mem::take(&mut self.said).into_iter().chain(exact).collect();
        part("Exact tables", "Counts as they are, except where a cell says otherwise.", exact);
        let groups =
            "Groups that pass the low-count filter, with their exact numbers of rows. Groups of few are not there.";
        part("Groups", groups, std::mem::take(&mut self.filtered));
        let noisy = "Values are unbiased: they may be negative and need not be whole. All tables add up to each other.";
        part("Tables with noise", noisy, std::mem::take(&mut self.noisy));
        if !self.after.is_empty() {
            let words =
                "Made from the noisy tables alone, at no cost. No longer unbiased; the intervals do not hold for them.";
            let mut section = Section::new("Tables after the noise").with(Block::Note(Tone::Warning, words.to_owned()));
            section.blocks.append(&mut self.after);
            all.sections.push(section);
        }
        all
    }
}
