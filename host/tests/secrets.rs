//! Keys: where they come from, where they may go.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;
use webtranslator::provider::Key;
use webtranslator::secrets::{Lookup, Origin, Secrets, SecretsError, last_four};
use webtranslator::settings::RemoteAddress;

const HOME: &str = "https://api.example.com/v1";

struct Fixture {
    dir: TempDir,
    secrets: Secrets,
}

fn fixture() -> Fixture {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("in/secrets.toml");
    Fixture { secrets: Secrets::with_environment(path, |_| None), dir }
}

impl Fixture {
    fn path(&self) -> PathBuf {
        self.dir.path().join("in/secrets.toml")
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(self.dir.path().join("in")).expect("a folder");
        fs::write(self.path(), text).expect("a file");
    }

    fn mode(&self, name: &str) -> u32 {
        let meta = fs::metadata(self.dir.path().join(name)).expect("it is there");
        meta.permissions().mode() & 0o777
    }

    fn found(&self, base_url: &str) -> Option<String> {
        let lookup = self.secrets.lookup("my-gpt", base_url).expect("it can be read");
        lookup.key().map(|key| key.0.clone())
    }

    fn set(&self, key: &str) {
        self.secrets.set("my-gpt", &Key(key.to_owned()), HOME).expect("it can be written");
    }
}

#[test]
fn a_key_is_stored_for_the_readers_eyes_alone() {
    let fixture = fixture();
    assert_eq!(fixture.secrets.lookup("my-gpt", HOME).unwrap(), Lookup::Missing);
    fixture.set("SECRET123");
    assert_eq!(fixture.found(HOME).as_deref(), Some("SECRET123"));
    assert_eq!((fixture.mode("in/secrets.toml"), fixture.mode("in")), (0o600, 0o700));
    let names: Vec<_> = fs::read_dir(fixture.dir.path().join("in"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "the file and its lock, no rest of writing: {names:?}");
}

#[test]
fn a_key_goes_only_where_it_was_entered_for() {
    let fixture = fixture();
    fixture.set("SECRET123");
    for same in [HOME, "https://api.example.com", "https://API.example.com:443/v2/"] {
        assert!(fixture.found(same).is_some(), "{same}");
    }
    for other in [
        "https://api.example.com:444",
        "https://example.com",
        "https://api.example.com.evil.test",
        "http://api.example.com",
        "http://127.0.0.1:443",
    ] {
        let lookup = fixture.secrets.lookup("my-gpt", other).unwrap();
        assert!(matches!(&lookup, Lookup::Withheld { .. }), "{other}: {lookup:?}");
    }
    let lookup = fixture.secrets.lookup("my-gpt", "https://other.test").unwrap();
    let Lookup::Withheld { reason } = lookup else { panic!("withheld") };
    assert!(reason.contains("entered for https://api.example.com:443"), "{reason}");
    assert!(reason.contains("enter the key again") && !reason.contains("SECRET"), "{reason}");
}

#[test]
fn the_environment_comes_first_and_only_over_safe_ways() {
    let fixture = fixture();
    fixture.set("FROMFILE");
    let secrets = Secrets::with_environment(fixture.path(), |name| {
        (name == "WEBTRANSLATOR_KEY_MY_GPT").then(|| " FROMENV\n".to_owned())
    });
    let Lookup::Found { key, origin } = secrets.lookup("my-gpt", "https://any.test").unwrap()
    else {
        panic!("found");
    };
    assert_eq!(key.0, "FROMENV");
    assert_eq!(origin, Origin::Environment("WEBTRANSLATOR_KEY_MY_GPT".to_owned()));
    let lookup = secrets.lookup("my-gpt", "http://192.168.0.2").unwrap();
    assert!(matches!(lookup, Lookup::Withheld { .. }));
    assert!(secrets.lookup("my-gpt", "http://[::1]:8080/v1").unwrap().key().is_some());
}

#[test]
fn a_key_written_by_hand_is_bound_to_its_first_address() {
    let fixture = fixture();
    fixture.write("my-gpt = \"SECRET123\"\nother = \"X\"\n");
    assert!(fixture.found(HOME).is_some());
    assert!(fixture.found("https://other.test").is_none());
    assert!(fs::read_to_string(fixture.path()).unwrap().contains("other = \"X\""));
}

#[test]
fn rights_of_others_are_taken_away() {
    let fixture = fixture();
    fixture.write("my-gpt = \"SECRET123\"\n");
    fs::set_permissions(fixture.path(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(fixture.secrets.mend_mode().unwrap(), "it says that others could read");
    assert!(!fixture.secrets.mend_mode().unwrap());
    fs::set_permissions(fixture.path(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(fixture.found(HOME).is_some());
    assert_eq!(fixture.mode("in/secrets.toml"), 0o600);
}

#[test]
fn a_key_can_be_removed_and_others_stay() {
    let fixture = fixture();
    fixture.set("SECRET123");
    fixture.secrets.set("b", &Key("OTHER".to_owned()), HOME).unwrap();
    fixture.secrets.remove("my-gpt").unwrap();
    fixture.secrets.remove("never").unwrap();
    assert_eq!(fixture.found(HOME), None);
    assert!(fixture.secrets.lookup("b", HOME).unwrap().key().is_some());
    assert!(!fs::read_to_string(fixture.path()).unwrap().contains("SECRET123"));
}

#[test]
fn what_no_header_can_carry_is_no_key() {
    let fixture = fixture();
    for key in ["", "  ", "a b", "a\nb"] {
        let result = fixture.secrets.set("x", &Key(key.to_owned()), HOME);
        assert!(matches!(result, Err(SecretsError::Key)), "{key:?}");
    }
    let result = fixture.secrets.set("x", &Key("k".to_owned()), "ftp://x");
    assert!(matches!(result, Err(SecretsError::Address(_))));
}

#[test]
fn a_damaged_file_is_told_without_its_text_and_not_overwritten() {
    let fixture = fixture();
    let text = "ok = 'x'\nmy-gpt = \"SECRET123\n";
    fixture.write(text);
    let error = fixture.secrets.lookup("my-gpt", HOME).unwrap_err().to_string();
    assert!(error.contains("line 2") && !error.contains("SECRET123"), "{error}");
    assert!(fixture.secrets.set("b", &Key("K".to_owned()), HOME).is_err());
    assert_eq!(fs::read_to_string(fixture.path()).unwrap(), text);
}

#[test]
fn the_debug_form_shows_no_key() {
    let fixture = fixture();
    fixture.set("SECRET123");
    let lookup = fixture.secrets.lookup("my-gpt", HOME).unwrap();
    assert!(!format!("{lookup:?} {:?}", fixture.secrets).contains("SECRET123"));
}

#[test]
fn the_last_four_characters_are_told_of_a_long_key_only() {
    assert_eq!(last_four(&Key("sk-1234567890abcd".to_owned())), "abcd");
    assert_eq!(last_four(&Key("short".to_owned())), "");
}

#[test]
fn keys_that_are_set_at_once_are_all_kept() {
    let fixture = fixture();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let path = fixture.path();
            scope.spawn(move || {
                let secrets = Secrets::with_environment(path, |_| None);
                secrets.set(&format!("p{n}"), &Key("K".to_owned()), HOME).expect("set");
            });
        }
    });
    for n in 0..8 {
        let lookup = fixture.secrets.lookup(&format!("p{n}"), HOME).unwrap();
        assert!(lookup.key().is_some(), "p{n}");
    }
}

fn remote(address: &str) -> RemoteAddress {
    RemoteAddress::parse(address).expect("an address").0
}

#[test]
fn the_password_of_the_shared_cache_is_bound_to_its_server() {
    let fixture = fixture();
    let found = |address: &str| {
        let lookup = fixture.secrets.lookup_remote(&remote(address)).unwrap();
        lookup.key().map(|key| key.0.clone())
    };
    let password = Key("a pass word".to_owned());
    fixture.secrets.set_remote(&password, &remote("rediss://ann@cache.lan/3")).unwrap();
    for same in ["rediss://ann@cache.lan/3", "rediss://bob@cache.lan:6379"] {
        assert_eq!(found(same).as_deref(), Some("a pass word"), "{same}");
    }
    for other in ["rediss://cache.lan:6380", "rediss://other.lan", "redis://cache.lan"] {
        assert_eq!(found(other), None, "{other}");
    }
    for none in ["", " x", "x\n"] {
        let result =
            fixture.secrets.set_remote(&Key(none.to_owned()), &remote("redis://localhost"));
        assert!(matches!(result, Err(SecretsError::Key)), "{none:?}");
    }
}

#[test]
fn the_password_of_the_shared_cache_goes_over_tls_or_to_this_machine_only() {
    let secrets = Secrets::with_environment(fixture().path(), |name| {
        (name == "WEBTRANSLATOR_KEY_CACHE").then(|| "FROMENV".to_owned())
    });
    for (address, expected) in [
        ("rediss://cache.lan", true),
        ("redis://127.0.0.1:7000", true),
        ("redis://cache.lan", false),
        ("redis://192.168.0.9", false),
    ] {
        let lookup = secrets.lookup_remote(&remote(address)).unwrap();
        assert_eq!(lookup.key().is_some(), expected, "{address}");
        if !expected {
            let reason = lookup.to_string();
            assert!(reason.contains("rediss") && !reason.contains("FROMENV"), "{reason}");
        }
    }
}
