//! How a binary is handed on: manual and completions, an archive, a package for Debian, a
//! container.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::trial::{self, EMULATOR, is_own};
use super::{failed, io, make_directory, read, runs, step, write};
use crate::workspace::Error;

/// A user without rights, and nothing but the static binary: `podman run --read-only`.
const CONTAINERFILE: &str = "\
FROM scratch
COPY disclosure /disclosure
USER 65534:65534
WORKDIR /data
ENTRYPOINT [\"/disclosure\"]
";

/// The manual page and the completions, as the binary prints them, or as `said` has them.
pub(super) fn words(folder: &Path, target: &str, said: Option<&Path>) -> Result<(), Error> {
    for (file, words) in [
        ("disclosure.1", &["man"][..]),
        ("disclosure.bash", &["completions", "bash"]),
        ("_disclosure", &["completions", "zsh"]),
        ("disclosure.fish", &["completions", "fish"]),
    ] {
        if let Some(said) = said {
            write(&folder.join(file), &read(&said.join(file))?)?;
            continue;
        }
        let output = speaker(folder, target).args(words).stdin(Stdio::null()).output();
        let output = output.ok().filter(|output| output.status.success());
        let output = output.ok_or_else(|| failed(&format!("disclosure {}", words.join(" "))))?;
        write(&folder.join(file), &output.stdout)?;
    }
    Ok(())
}

/// The binary of a target, emulated where it is another machine's.
fn speaker(folder: &Path, target: &str) -> Command {
    let binary = folder.join("disclosure");
    if is_own(target) {
        return Command::new(binary);
    }
    let mut emulated = Command::new(EMULATOR);
    emulated.arg(binary);
    emulated
}

/// An archive with the same bytes whenever and by whomever it is made.
pub(super) fn archive(output: &Path, name: &str) -> Result<(), Error> {
    let fixed = "--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX";
    let shell = format!("tar {fixed} -c {name} | gzip -9n > {name}.tar.gz");
    step(&shell, output)
}

/// The licences of the crates that are in the binary.
pub(super) const OTHERS: &str = "LICENSES-OF-OTHERS";

/// Where the files of a folder go on a machine with Debian.
const PLACES: [(&str, &str); 8] = [
    ("disclosure", "usr/bin/disclosure"),
    ("disclosure.1", "usr/share/man/man1/disclosure.1"),
    ("disclosure.bash", "usr/share/bash-completion/completions/disclosure"),
    ("_disclosure", "usr/share/zsh/vendor-completions/_disclosure"),
    ("disclosure.fish", "usr/share/fish/vendor_completions.d/disclosure.fish"),
    ("LICENSE-MIT", "usr/share/doc/disclosure/copyright"),
    (OTHERS, "usr/share/doc/disclosure/licenses-of-others"),
    ("CHANGELOG.md", "usr/share/doc/disclosure/changelog"),
];

/// What stands above the text of one of our two licences in the package for Debian.
const COPYRIGHT: &str = "\
disclosure, from https://github.com/disclosure-rs/disclosure, can be used under the Apache License,
Version 2.0 (/usr/share/common-licenses/Apache-2.0), or under the MIT licence below. The licences of
the crates that are in it stand in licenses-of-others.gz beside this file.

";

/// A package for Debian, where its tools are.
pub(super) fn debian(output: &Path, folder: &Path, target: &str) -> Result<Option<PathBuf>, Error> {
    if !runs("dpkg-deb", &["--version"]) {
        println!("SKIPPED the package for Debian: dpkg-deb is missing");
        return Ok(None);
    }
    let name = format!("disclosure_{}_{}", env!("CARGO_PKG_VERSION"), architecture(target));
    let tree = output.join(&name);
    for (from, to) in PLACES {
        let to = tree.join(to);
        make_directory(to.parent().unwrap_or(&tree))?;
        std::fs::copy(folder.join(from), &to).map_err(io(&to))?;
    }
    let copyright = tree.join("usr/share/doc/disclosure/copyright");
    let text = [COPYRIGHT.as_bytes(), &read(&copyright)?].concat();
    write(&copyright, &text)?;
    make_directory(&tree.join("DEBIAN"))?;
    write(&tree.join("DEBIAN/control"), control(target, &tree)?.as_bytes())?;
    let compressed = format!(
        "(cd {name}/usr/share && gzip -9n man/man1/* doc/disclosure/changelog doc/disclosure/licenses-of-others)"
    );
    let built = format!("SOURCE_DATE_EPOCH=0 dpkg-deb --root-owner-group --build {name} {name}.deb");
    // Anyone who builds it may have another mask for new files.
    step(&format!("chmod -R u=rwX,go=rX {name} && {compressed} && {built}"), output)?;
    std::fs::remove_dir_all(&tree).map_err(io(&tree))?;
    Ok(Some(output.join(name + ".deb")))
}

/// Every package needs an address.
const MAINTAINER: &str = "the disclosure authors <disclosure-rs@users.noreply.github.com>";

fn control(target: &str, tree: &Path) -> Result<String, Error> {
    let mut bytes = 0;
    for (_, place) in PLACES {
        let path = tree.join(place);
        bytes += std::fs::metadata(&path).map_err(io(&path))?.len();
    }
    Ok(format!(
        "Package: disclosure\nVersion: {}\nArchitecture: {}\nMaintainer: {MAINTAINER}\nSection: science\n\
         Priority: optional\nHomepage: https://github.com/disclosure-rs/disclosure\n\
         Installed-Size: {}\nDescription: decide what may be published about people, and publish it\n",
        env!("CARGO_PKG_VERSION"),
        architecture(target),
        bytes.div_ceil(1024)
    ))
}

/// The container file, and an image where podman can build one.
pub(super) fn container(output: &Path, folder: &Path) -> Result<(), Error> {
    write(&output.join("Containerfile"), CONTAINERFILE.as_bytes())?;
    if !runs("podman", &["--version"]) {
        println!("SKIPPED the container: podman is missing");
        return Ok(());
    }
    let build = "podman --storage-driver vfs build --isolation chroot --tag disclosure --file Containerfile";
    step(&format!("{build} {}", folder.display()), output)?;
    trial::contained(output)
}

/// What Debian calls the machine of a target.
fn architecture(target: &str) -> &'static str {
    if target.starts_with("aarch64") { "arm64" } else { "amd64" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_machine_that_debian_knows() {
        assert_eq!(super::super::TARGETS.map(architecture), ["amd64", "arm64"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_archive_has_the_same_bytes_whenever_it_is_made() {
        let place = tempfile::tempdir().unwrap();
        let make = |mode: u32| {
            make_directory(&place.path().join("a")).unwrap();
            write(&place.path().join("a/file"), b"text").unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(place.path().join("a/file"), mode).unwrap();
            archive(place.path(), "a").unwrap();
            std::fs::read(place.path().join("a.tar.gz")).unwrap()
        };
        let first = make(0o644);
        std::fs::remove_dir_all(place.path().join("a")).unwrap();
        assert_eq!(make(0o660), first);
    }
}
