//! No image of a process's memory after a crash: rows and secrets are in it.

/// From now on a crash of this process leaves no image of its memory: core files are limited to
/// 0 bytes, and on Linux the process is not dumpable, which also keeps images from a program that
/// collects them, and other processes of the user from its memory. [`read_secret`] and
/// [`make_secret`] call it; a shell that reads rows does so before it reads any.
///
/// A system that does not let a process say so keeps its own rule.
///
/// [`read_secret`]: crate::secret::read_secret
/// [`make_secret`]: crate::secret::make_secret
#[cfg(unix)]
pub fn leave_no_image() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Core).maximum;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum }).unwrap_or_default();
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).unwrap_or_default();
}

/// Elsewhere there is nothing to say.
#[cfg(not(unix))]
pub fn leave_no_image() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    #[test]
    fn who_reads_a_secret_leaves_no_image() {
        let directory = tempfile::tempdir().unwrap();
        // Not there; what comes after a secret that is there is the same.
        crate::secret::read_secret(&directory.path().join("none")).unwrap_err();
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
