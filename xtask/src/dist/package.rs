//! How a binary is handed on: manual and completions, an archive, a package for Debian, a
//! container.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{make_directory, write};
use crate::workspace::Error;

/// A user without rights, and nothing but the static binary: `podman run --read-only`.
pub(super) const CONTAINERFILE: &str = "\
FROM scratch
COPY disclosure /disclosure
USER 65534:65534
WORKDIR /data
ENTRYPOINT [\"/disclosure\"]
";

/// A job for the trial of a binary.
pub(super) const JOB: &str = "\
up_to = 1
neighbours = \"add-remove\"
[privacy]
rho = 0.5
[[attribute]]
name = \"sex\"
labels = [\"f\", \"m\"]
";
pub(super) const ROWS: &str = "sex\nf\nm\nm\n";

/// The manual page and the completions, as the binary prints them.
pub(super) fn words(folder: &Path) -> Result<(), Error> {
    for (file, words) in [
        ("disclosure.1", &["man"][..]),
        ("disclosure.bash", &["completions", "bash"]),
        ("_disclosure", &["completions", "zsh"]),
        ("disclosure.fish", &["completions", "fish"]),
    ] {
        let output = Command::new(folder.join("disclosure")).args(words).stdin(Stdio::null()).output();
        let output = output.ok().filter(|output| output.status.success());
        let output = output.ok_or_else(|| Error::Step { command: format!("disclosure {}", words.join(" ")) })?;
        write(&folder.join(file), &output.stdout)?;
    }
    Ok(())
}

/// An archive with the same bytes whenever and by whomever it is made.
pub(super) fn archive(output: &Path, name: &str) -> Result<(), Error> {
    let fixed = "--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner";
    let shell = format!("tar {fixed} -c {name} | gzip -9n > {name}.tar.gz");
    step(&shell, output)
}

/// A package for Debian, where its tools are and the binary needs no libraries of this machine.
pub(super) fn debian(output: &Path, folder: &Path, target: &str) -> Result<(), Error> {
    let Some(architecture) = architecture(target) else { return Ok(()) };
    if !super::runs("dpkg-deb", &["--version"]) {
        println!("SKIPPED the package for Debian: dpkg-deb is missing");
        return Ok(());
    }
    let tree = folder.with_extension("deb-tree");
    let _ = std::fs::remove_dir_all(&tree);
    let version = env!("CARGO_PKG_VERSION");
    let places = [
        ("disclosure", "usr/bin/disclosure"),
        ("disclosure.1", "usr/share/man/man1/disclosure.1"),
        ("disclosure.bash", "usr/share/bash-completion/completions/disclosure"),
        ("_disclosure", "usr/share/zsh/vendor-completions/_disclosure"),
        ("LICENSE-MIT", "usr/share/doc/disclosure/copyright"),
    ];
    for (from, to) in places.iter().filter(|(from, _)| folder.join(from).exists()) {
        let to = tree.join(to);
        make_directory(to.parent().unwrap_or(&tree))?;
        std::fs::copy(folder.join(from), &to).map_err(|source| Error::File { path: to, source })?;
    }
    make_directory(&tree.join("DEBIAN"))?;
    let control = format!(
        "Package: disclosure\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: disclosure\n\
         Section: science\nPriority: optional\n\
         Description: decide what may be published about people, and publish it\n"
    );
    write(&tree.join("DEBIAN/control"), control.as_bytes())?;
    let shell = format!(
        "SOURCE_DATE_EPOCH=0 dpkg-deb --root-owner-group --build {} disclosure_{version}_{architecture}.deb",
        tree.display()
    );
    step(&shell, output)?;
    std::fs::remove_dir_all(&tree).map_err(|source| Error::File { path: tree, source })
}

/// What Debian calls the machine of a static target.
fn architecture(target: &str) -> Option<&'static str> {
    match target {
        "x86_64-unknown-linux-musl" => Some("amd64"),
        "aarch64-unknown-linux-musl" => Some("arm64"),
        _ => None,
    }
}

fn step(shell: &str, folder: &Path) -> Result<(), Error> {
    let status = Command::new("sh").args(["-c", shell]).current_dir(folder).stdout(Stdio::null()).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Step { command: shell.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_static_binaries_become_packages() {
        assert_eq!(architecture("x86_64-unknown-linux-musl"), Some("amd64"));
        assert_eq!(architecture("x86_64-unknown-linux-gnu"), None);
    }

    #[test]
    fn an_archive_has_the_same_bytes_whenever_it_is_made() {
        let place = tempfile::tempdir().unwrap();
        let make = || {
            make_directory(&place.path().join("a")).unwrap();
            write(&place.path().join("a/file"), b"text").unwrap();
            archive(place.path(), "a").unwrap();
            std::fs::read(place.path().join("a.tar.gz")).unwrap()
        };
        let first = make();
        std::fs::remove_dir_all(place.path().join("a")).unwrap();
        assert_eq!(make(), first);
    }
}
