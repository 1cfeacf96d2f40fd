//! The secret key of a filter is in its file, and nowhere else.

use crate::support::{Bench, PORT, files, people, shell};

/// Every way in which 32 bytes may be written out.
fn spelled(secret: &[u8]) -> Vec<Vec<u8>> {
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let decimal = secret.iter().map(u8::to_string).collect::<Vec<_>>();
    let half = secret.len() / 2;
    let texts = [hex.clone(), hex.to_uppercase(), decimal.join(", "), decimal.join(",")];
    texts.into_iter().map(String::into_bytes).chain([secret[..half].to_vec(), secret[half..].to_vec()]).collect()
}

fn shows(bytes: &[u8], secret: &[u8]) -> bool {
    spelled(secret).iter().any(|way| bytes.windows(way.len()).any(|window| window == way))
}

#[test]
fn the_secret_key_of_a_filter_is_on_no_page_and_in_no_other_file() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    bench.choose("ways", &[("filter", "1")]);
    let law = [("bound", "2"), ("mean", "8"), ("sd", "1,5"), ("scale", "4"), ("attribute", "1"), ("attribute", "2")];
    assert_eq!(bench.choose("filter", &law), "check");
    assert_eq!(bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]), "releases");
    let folder = bench.path("disclosure-workbench");
    let secret = std::fs::read(folder.join("key")).unwrap();
    assert!(shows(format!("{secret:?}").as_bytes(), &secret) && !shows(&[0; 200], &secret));
    for page in ["", "columns", "tables", "ways", "filter", "check", "run", "job", "status", "releases"] {
        assert!(!shows(&bench.get(page).bytes, &secret), "{page}");
    }
    for form in ["verify", "report", "download", "odds"] {
        let answer = bench.post(form, &[("number", "1"), ("file", "release/filtered.csv"), ("public", "1")]);
        assert!(!shows(&answer.bytes, &secret), "{form}");
    }
    let written = files(&folder);
    assert!(written.iter().any(|(name, _)| name == "key.registry") && written.len() > 5);
    for (name, bytes) in written {
        assert_eq!(shows(&bytes, &secret), name == "key", "{name}");
    }
    // A key that cannot be used is not shown either: one that is too long, and of other terms.
    for (length, byte) in [(33, 7), (32, 0x5a)] {
        std::fs::write(folder.join("key"), vec![byte; length]).unwrap();
        bench.post("run", &[("title", ""), ("owner", ""), ("release", "1")]);
        let ended = std::iter::repeat_with(|| bench.page("status")).find(|page| !page.contains("<progress")).unwrap();
        assert!(ended.contains("key") && !shows(ended.as_bytes(), &[byte; 32]), "{ended}");
    }
}

/// The choices say which budget is left and which key is used: nobody else may put others there.
#[cfg(unix)]
#[test]
fn a_folder_that_every_user_can_write_to_is_not_served() {
    use disclosure_web::App;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::with(&[("people.csv", &people(40))]);
    bench.open("people.csv");
    let place = bench.closed();
    let folder = place.path().join("disclosure-workbench");
    let code = || App::open(place.path(), PORT, shell()).map(drop).map_err(|error| error.code().to_owned());
    assert_eq!(code(), Ok(()));
    for (path, mode, normal) in [
        (place.path().to_owned(), 0o777, 0o700),
        (folder.clone(), 0o777, 0o700),
        (folder.join("project.json"), 0o644, 0o600),
    ] {
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(code(), Err("E0419".to_owned()), "{}", path.display());
        std::fs::set_permissions(&path, Permissions::from_mode(normal)).unwrap();
    }
    assert_eq!(code(), Ok(()));
}
