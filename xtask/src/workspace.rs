//! What the checks look at: the members of the workspace and the files of its tree.

use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};
use sha2::{Digest, Sha256};

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the rules of the workspace are broken in {count} places")]
    Breaches { count: usize },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Toml { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{}: {source}", path.display())]
    Syntax { path: PathBuf, source: syn::Error },
    #[error("cargo metadata: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    #[error("failed: {command}")]
    Step { command: String },
    #[error("{count} verdicts are not what they must be")]
    Verdicts { count: usize },
    #[error("no scenario {id}")]
    NoScenario { id: String },
    #[error(transparent)]
    Attack(#[from] attack_sim::Error),
    #[error("docs/schemas/documents.toml: {name} is of the type {path}, which is not in the sources")]
    NoDocument { name: String, path: String },
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{} lists no code: begin it with `{head}`", path.display())]
    NoList { path: PathBuf, head: &'static str },
    #[error("mutants: {0}")]
    Mutants(String),
    #[error("OpenBLAS is missing: apt-get install --no-install-recommends libopenblas-dev")]
    NoOpenBlas,
}

/// The end of the name of a package in the directory `tests/` of a crate (docs/decisions/0026).
pub(crate) const OF_TESTS: &str = "-tests";

/// The program in such a package that compiles the files of the crate, with the tests inside.
pub(crate) const INSIDE: &str = "inside";

/// A member of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The text of its `Cargo.toml`.
    pub(crate) manifest: String,
    /// Whether `cargo publish` would publish it.
    pub(crate) is_publishable: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency of a member.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) is_dev: bool,
    /// Given by a path, and by nothing else.
    pub(crate) is_path_only: bool,
}

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) members: Vec<Member>,
}

/// The Cargo that runs this program, or the one of the path.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The directory of the workspace: that of `cargo run`, so that one program serves several
/// checkouts, and else the one it was built in.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    xtask.parent().expect("xtask is a directory of the workspace").to_path_buf()
}

impl Workspace {
    pub(crate) fn load(root: &Path) -> Result<Self, Error> {
        let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
        let members: Result<Vec<Member>, Error> = metadata.workspace_packages().into_iter().map(member).collect();
        Ok(Self { root: root.to_path_buf(), members: members? })
    }
}

fn member(package: &cargo_metadata::Package) -> Result<Member, Error> {
    let dependencies = package.dependencies.iter().map(|dependency| Dependency {
        name: dependency.name.clone(),
        is_dev: dependency.kind == DependencyKind::Development,
        is_path_only: dependency.path.is_some() && dependency.req.to_string() == "*",
    });
    Ok(Member {
        name: package.name.to_string(),
        manifest: read(package.manifest_path.as_std_path())?,
        is_publishable: package.publish.as_ref().is_none_or(|registries| !registries.is_empty()),
        dependencies: dependencies.collect(),
    })
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_path_buf(), source })
}

/// SHA-256 of a file, in hexadecimal.
pub(crate) fn digest(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::File { path: path.to_path_buf(), source })?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// All files below a directory, in order; not those of version control or made by a build.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { path: directory.to_path_buf(), source };
    let mut entries = std::fs::read_dir(directory).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        if !entry.file_type().map_err(failed)?.is_dir() {
            found.push(entry.path());
        } else if !["target", "out", ".git"].iter().any(|skipped| name == *skipped) {
            found.extend(files(&entry.path())?);
        }
    }
    Ok(found)
}

/// The path of a file as a reader of the repository writes it.
pub(crate) fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
