//! The project: what was learnt of the data, and every state of the choices. It is kept in a file,
//! so that a reload loses nothing.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::storage::system;
use disclosure_jobs::privacy_data::{DomainFile, FileOptions, make_owner_folder};
use disclosure_jobs::regular::read_for_owner;
use serde::{Deserialize, Serialize};

use crate::choices::Choices;

/// Most states that can be gone back to.
const MOST_STATES: usize = 100;
/// Largest project file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 26;

/// What was learnt of the data when they were opened. For the owner alone.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Opening {
    /// What was found out about the form of the file: "fields separated by semicolons".
    pub(crate) form: Option<String>,
    /// The attributes, as a domain file.
    pub(crate) domain: String,
    /// Columns of the header that cannot be attributes, with the reason.
    pub(crate) refused: Vec<(String, String)>,
    /// Number of rows.
    pub(crate) rows: u64,
    /// Rows of each category of each attribute.
    pub(crate) counts: Vec<Vec<u64>>,
    /// The domain file, once it was parsed: it may have 128,000 labels.
    #[serde(skip)]
    pub(crate) parsed: OnceLock<DomainFile>,
}

impl PartialEq for Opening {
    fn eq(&self, other: &Self) -> bool {
        (&self.form, &self.domain, &self.refused) == (&other.form, &other.domain, &other.refused)
            && (self.rows, &self.counts) == (other.rows, &other.counts)
    }
}

impl Opening {
    /// The attributes that were learnt.
    ///
    /// # Errors
    /// Those of a project file that somebody changed.
    pub(crate) fn domain(&self) -> Result<&DomainFile, JobError> {
        if let Some(parsed) = self.parsed.get() {
            return Ok(parsed);
        }
        let parsed = DomainFile::parse(&self.domain)?;
        Ok(self.parsed.get_or_init(|| parsed))
    }
}

/// What was learnt, and the states of the choices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Project {
    schema: Schema,
    #[serde(with = "shared")]
    openings: Vec<Arc<Opening>>,
    #[serde(with = "shared")]
    states: Vec<Arc<Choices>>,
    /// The state that is shown.
    at: usize,
    /// Grows with every change: a page that shows an older one cannot change anything.
    revision: u64,
}

/// Values that copies of a project share, as a list.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(values: &[Arc<T>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| &**value))
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<Arc<T>>, D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
    }
}

/// The format of a project file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Schema {
    #[serde(rename = "disclosure.workbench/1")]
    V1,
}

impl Default for Project {
    fn default() -> Self {
        Self { schema: Schema::V1, openings: Vec::new(), states: vec![Arc::default()], at: 0, revision: 0 }
    }
}

impl Project {
    /// The project that is kept at `path`; a new one where the file is missing.
    ///
    /// # Errors
    /// E0705 for a file that is no project of this version; as [`read_for_owner`].
    pub(crate) fn load(path: &Path) -> Result<Self, JobError> {
        let irregular = invalid(path, "is a link, not a file, or larger than 64 MiB");
        let Some(bytes) = read_for_owner(path, MOST_BYTES, irregular)? else { return Ok(Self::default()) };
        let project: Self = serde_json::from_slice(&bytes).map_err(|_| invalid(path, "is not one of this version"))?;
        match project.is_consistent() {
            true => Ok(project),
            false => Err(invalid(path, "names states or columns that it does not have")),
        }
    }

    fn is_consistent(&self) -> bool {
        let opened = self.states.iter().filter_map(|state| state.opened);
        self.at < self.states.len()
            && opened.max().is_none_or(|last| last < self.openings.len())
            && self.openings.iter().all(|opening| opening.domain().is_ok_and(|file| file.clone().into_schema().is_ok()))
    }

    /// Keeps the project, for the owner alone.
    ///
    /// # Errors
    /// Those of a file that cannot be written.
    pub(crate) fn save(&self, path: &Path) -> Result<(), JobError> {
        if let Some(folder) = path.parent() {
            make_owner_folder(&system(), folder)?;
        }
        let options = FileOptions { for_owner: true, replaces: true };
        // Kept, and no output: nobody has to hear of it where a job is stopped.
        Ok(options.keep_on(&system(), path, self.text(MOST_BYTES)?.as_bytes())?)
    }

    /// The project as it is kept: without the oldest states where it would have more bytes than can
    /// be read again.
    fn text(&self, most_bytes: u64) -> Result<String, JobError> {
        let mut kept = self.clone();
        loop {
            let text = json(&kept)?;
            let mut excess = (text.len() as u64).saturating_sub(most_bytes);
            if excess == 0 || kept.states.len() == 1 {
                return Ok(text);
            }
            // Only what goes is written again, not all that stays for each state that goes.
            while excess > 0 && kept.states.len() > 1 {
                let (state, openings) = kept.drop_oldest();
                let lengths = openings.iter().map(|opening| json(opening.as_ref()).map(|text| text.len() + 1));
                let length = lengths.sum::<Result<usize, JobError>>()? + json(state.as_ref())?.len() + 1;
                excess = excess.saturating_sub(length as u64);
            }
        }
    }

    /// Drops the oldest state, or the newest where the oldest is shown; returns it, and what no
    /// state refers to any more.
    fn drop_oldest(&mut self) -> (Arc<Choices>, Vec<Arc<Opening>>) {
        let first = if self.at > 0 { 0 } else { self.states.len() - 1 };
        let state = self.states.remove(first);
        self.at = self.at.saturating_sub(usize::from(first == 0));
        (state, self.forget_openings())
    }

    /// The choices that are shown.
    pub(crate) fn choices(&self) -> &Choices {
        &self.states[self.at]
    }

    /// What was learnt of the data of the choices that are shown.
    pub(crate) fn opening(&self) -> Option<&Opening> {
        self.openings.get(self.choices().opened?).map(Arc::as_ref)
    }

    /// The number of the last change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Remembers what was learnt; returns its index.
    pub(crate) fn add_opening(&mut self, opening: Opening) -> usize {
        if let Some(known) = self.openings.iter().position(|known| **known == opening) {
            return known;
        }
        self.openings.push(Arc::new(opening));
        self.openings.len() - 1
    }

    /// Makes these the choices; those before can be gone back to.
    pub(crate) fn apply(&mut self, choices: Choices) {
        if choices == *self.choices() {
            return;
        }
        self.states.truncate(self.at + 1);
        self.states.push(Arc::new(choices));
        if self.states.len() > MOST_STATES {
            self.states.remove(0);
        }
        self.at = self.states.len() - 1;
        self.revision += 1;
        self.forget_openings();
    }

    /// Whether there is a state before this one, and one after it.
    pub(crate) fn can_move(&self) -> (bool, bool) {
        (self.at > 0, self.at + 1 < self.states.len())
    }

    /// Goes back to the state before.
    pub(crate) fn undo(&mut self) {
        if self.at > 0 {
            self.at -= 1;
            self.revision += 1;
        }
    }

    /// Goes on to the state after.
    pub(crate) fn redo(&mut self) {
        if self.at + 1 < self.states.len() {
            self.at += 1;
            self.revision += 1;
        }
    }

    /// Drops what no state refers to, and returns it.
    fn forget_openings(&mut self) -> Vec<Arc<Opening>> {
        let mut kept = Vec::new();
        let mut places = vec![None; self.openings.len()];
        for state in &mut self.states {
            let Some(opened) = state.opened else { continue };
            let place = *places[opened].get_or_insert_with(|| {
                kept.push(Arc::clone(&self.openings[opened]));
                kept.len() - 1
            });
            if place != opened {
                Arc::make_mut(state).opened = Some(place);
            }
        }
        let old = std::mem::replace(&mut self.openings, kept);
        old.into_iter().zip(places).filter(|(_, place)| place.is_none()).map(|(opening, _)| opening).collect()
    }
}

/// Part of a project, or all of it, as it is kept.
fn json(part: &impl Serialize) -> Result<String, JobError> {
    serde_json::to_string(part).map_err(|error| JobError::new("E0705", error.to_string()))
}

/// The refusal of a project file.
fn invalid(path: &Path, problem: &str) -> JobError {
    JobError::new("E0705", format!("the project file {problem}")).within(path).next("rename it, and start again")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn titled(title: &str, opened: Option<usize>) -> Choices {
        Choices { title: title.to_owned(), opened, ..Choices::default() }
    }

    fn opening(rows: u64) -> Opening {
        let domain = "learnt_from_data = true\n[[attribute]]\nname = \"a\"\nsize = 2\n".to_owned();
        Opening { form: None, domain, refused: Vec::new(), rows, counts: vec![vec![rows, 0]], parsed: OnceLock::new() }
    }

    #[test]
    fn every_state_can_be_gone_back_to_and_on_from() {
        let mut project = Project::default();
        let first = project.add_opening(opening(1));
        project.apply(titled("a", Some(first)));
        let second = project.add_opening(opening(2));
        project.apply(titled("b", Some(second)));
        project.apply(titled("b", project.choices().opened));
        assert_eq!((project.opening().unwrap().rows, project.can_move()), (2, (true, false)));
        project.undo();
        assert_eq!((project.choices().title.as_str(), project.opening().unwrap().rows), ("a", 1));
        project.redo();
        assert_eq!(project.choices().title, "b");
        project.undo();
        project.undo();
        project.undo();
        assert_eq!((project.choices(), project.can_move()), (&Choices::default(), (false, true)));
        let before = project.revision();
        project.apply(titled("c", None));
        assert!(project.revision() > before && project.openings.is_empty(), "nothing refers to them");
        assert_eq!(project.can_move(), (true, false));
    }

    /// At the limit that just keeps a project, and a byte below that of the next longer one. An
    /// opening counts with the last state that refers to it.
    #[test]
    fn no_more_states_are_dropped_than_must_be() {
        let mut project = Project::default();
        for rows in 0..6 {
            let opened = project.add_opening(opening(rows / 2));
            project.apply(titled(&"x".repeat(100 + rows as usize), Some(opened)));
        }
        project.undo();
        let lengths = |project: &Project| json(project).unwrap().len() as u64;
        let (mut dropped, mut whole) = (vec![project.clone()], project.clone());
        while whole.states.len() > 1 {
            whole.drop_oldest();
            dropped.push(whole.clone());
        }
        for pair in dropped.windows(2) {
            let (longer, shorter) = (lengths(&pair[0]), lengths(&pair[1]));
            for most in [longer - 1, shorter] {
                let read: Project = serde_json::from_str(&project.text(most).unwrap()).unwrap();
                assert_eq!(read.states.len(), pair[1].states.len(), "{most}");
                assert_eq!(read.choices().title, project.choices().title);
                assert_eq!(read.openings.len(), pair[1].openings.len());
            }
        }
    }

    #[test]
    fn states_are_kept_for_the_owner_and_read_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("deep/project.json");
        let mut project = Project::load(&path).unwrap();
        (0..150).for_each(|number| project.apply(titled(&number.to_string(), None)));
        project.save(&path).unwrap();
        let read = Project::load(&path).unwrap();
        assert_eq!((read.states.len(), read.choices(), read.revision), (MOST_STATES, project.choices(), 150));
        // What is kept can be read again, whatever was chosen: the oldest states go first.
        let long = "x".repeat(30 << 10);
        for number in 0..3 {
            project.apply(titled(&format!("{number}{long}"), None));
        }
        fs::write(&path, project.text(1 << 16).unwrap()).unwrap();
        let read = Project::load(&path).unwrap();
        assert_eq!((read.states.len(), read.choices()), (2, project.choices()));
        assert_eq!(project.states.len(), MOST_STATES, "the workbench itself goes on with all of them");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        for wrong in
            ["", "{}", "{\"schema\":\"disclosure.workbench/1\",\"openings\":[],\"states\":[],\"at\":0,\"revision\":0}"]
        {
            fs::write(&path, wrong).unwrap();
            assert!(Project::load(&path).unwrap_err().has_code("E0705"), "{wrong}");
        }
    }

    #[test]
    fn a_project_file_is_never_larger_than_what_is_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("project.json");
        // Two states of this length are more than a file may have.
        let longer = "x".repeat(MOST_BYTES as usize / 2);
        let mut project = Project::default();
        (0..2).for_each(|number| project.apply(titled(&format!("{number}{longer}"), None)));
        project.save(&path).unwrap();
        let length = fs::metadata(&path).unwrap().len();
        assert!(length > MOST_BYTES / 2 && length <= MOST_BYTES, "{length}");
        fs::File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(Project::load(&path).unwrap_err().to_string().contains("64 MiB"));
    }
}
