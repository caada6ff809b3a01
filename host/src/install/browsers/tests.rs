use super::*;

#[test]
fn ids_and_names_are_unique() {
    for (index, browser) in BROWSERS.iter().enumerate() {
        for other in &BROWSERS[index + 1..] {
            assert_ne!(browser.id, other.id);
            assert_ne!(browser.name, other.name);
        }
    }
}

#[test]
fn every_row_has_a_manifest_folder_of_its_familys_name_and_a_sign() {
    for browser in BROWSERS {
        let tail = match browser.family {
            Family::Chromium => "/NativeMessagingHosts",
            Family::Firefox => "/native-messaging-hosts",
        };
        assert!(!browser.linux.hosts.is_empty(), "{}", browser.id);
        for place in browser.linux.hosts {
            let (Place::Home(path) | Place::Config(path) | Place::Data(path) | Place::Root(path)) =
                place;
            assert!(path.ends_with(tail), "{}: {path}", browser.id);
        }
        assert!(!browser.linux.signs.is_empty(), "{}", browser.id);
        assert!(!browser.linux.programs.is_empty(), "{}", browser.id);
    }
}
