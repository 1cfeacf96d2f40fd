//! `ballista://host:port/path?seconds=600`: a scheduler, and files that all parts of its cluster
//! and this program find at one path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use disclosure_jobs::JobError;
use url::Url;

use super::network::{Listening, wrong};

const SCHEME: &str = "ballista";
/// The port of a scheduler where none is written.
const PORT: u16 = 50050;
/// How long a query may take, each time it is asked, where nothing is written: ten minutes.
const SECONDS: u64 = 600;
/// Most parts of the rows that are counted side by side, where nothing is written.
const PARTITIONS: usize = 16;

/// A scheduler and the files that are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClusterAddress {
    pub(crate) scheduler: Listening,
    pub(crate) path: PathBuf,
    pub(crate) patience: Duration,
    pub(crate) partitions: usize,
}

/// Whether a name of data is an address of a cluster.
pub(crate) fn is_cluster(name: &Path) -> bool {
    name.to_string_lossy().starts_with("ballista://")
}

impl ClusterAddress {
    /// # Errors
    /// E0734 for an address that is not valid, and for one on a network that is not trusted.
    pub(crate) fn parse(address: &str) -> Result<Self, JobError> {
        let url = Url::parse(address).map_err(|_| wrong("the address cannot be read"))?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("the address names no host"))?;
        if url.scheme() != SCHEME || url.fragment().is_some() {
            return Err(wrong("the address is not ballista://host:port/path"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("the address has a user or a password, and Ballista knows neither"));
        }
        let (mut is_trusted, mut seconds, mut partitions) = (false, SECONDS, PARTITIONS);
        for (key, value) in url.query_pairs() {
            match key.as_ref() {
                "network" if value == "trusted" => is_trusted = true,
                "seconds" => seconds = at_least_one(&value)?,
                "partitions" => partitions = usize::try_from(at_least_one(&value)?).unwrap_or(usize::MAX),
                _ => return Err(wrong("after the path come network=trusted, seconds=N and partitions=N alone")),
            }
        }
        let port = url.port().unwrap_or(PORT);
        let scheduler = Listening::new(&format!("{host}:{port}"), is_trusted)?;
        // A path of the address is escaped as that of an address of a file is.
        let path = Url::parse(&format!("file://{}", url.path())).ok().and_then(|path| path.to_file_path().ok());
        // The root of all files is no place that somebody means.
        let path = path.filter(|path| path.parent().is_some()).ok_or_else(|| wrong("the address names no path"))?;
        Ok(Self { scheduler, path, patience: Duration::from_secs(seconds), partitions })
    }
}

fn at_least_one(value: &str) -> Result<u64, JobError> {
    let number = value.parse().ok().filter(|&number: &u64| number > 0);
    number.ok_or_else(|| wrong("seconds and partitions are whole numbers from 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheduler_a_path_and_limits() {
        let found = ClusterAddress::parse("ballista://127.0.0.1:7/lake/a%20b/%23x.parquet?seconds=5").unwrap();
        assert_eq!(found.path, Path::new("/lake/a b/#x.parquet"));
        assert_eq!((found.scheduler.port(), found.patience, found.partitions), (7, Duration::from_secs(5), 16));
        let found = ClusterAddress::parse("ballista://10.0.0.2/lake?network=trusted&partitions=200").unwrap();
        assert_eq!((found.scheduler.port(), found.partitions), (50050, 200));
        assert!(is_cluster(Path::new("ballista://x")) && !is_cluster(Path::new("ballista")));
    }

    #[test]
    fn addresses_that_are_not_valid_or_not_safe_are_refused_and_repeat_nothing() {
        for wrong in [
            "ballista:///lake",
            "ballista://127.0.0.1",
            "ballista://127.0.0.1/",
            "ballista://10.0.0.2/lake",
            "ballista://8.8.8.8/lake?network=trusted",
            "ballista://me:hunter2@127.0.0.1/lake",
            "ballista://127.0.0.1/lake?seconds=0",
            "ballista://127.0.0.1/lake?seconds=hunter2",
            "ballista://127.0.0.1/lake?network=open",
            "ballista://127.0.0.1/lake?tls=hunter2",
            "ballista://127.0.0.1/lake#hunter2",
            "df://127.0.0.1/lake",
        ] {
            let error = ClusterAddress::parse(wrong).unwrap_err();
            assert!(error.has_code("E0734") && !error.message().contains("hunter2"), "{wrong}: {error}");
        }
    }
}
