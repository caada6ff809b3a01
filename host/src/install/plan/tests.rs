use super::super::environment::tests::{Made, environment};
use super::*;

const HOST: &str = "/home/kim/.local/share/webtranslator/bin/webtranslator";
const CHROMIUM_FILE: &str =
    "/home/kim/.config/chromium/NativeMessagingHosts/org.webtranslator.host.json";
const FIREFOX_FILE: &str = "/home/kim/.mozilla/native-messaging-hosts/org.webtranslator.host.json";

fn home() -> Environment {
    environment(&[("HOME", "/home/kim"), ("PATH", "/games")]).unwrap()
}

fn planned(look: &Made, options: &Options) -> Plan {
    plan(&home(), look, Path::new(HOST), options).unwrap()
}

fn files(plan: &Plan) -> Vec<String> {
    plan.registrations.iter().map(|row| row.file.display().to_string()).collect()
}

/// A machine with this manifest of Chromium's and nothing else.
fn chromium_with(content: &str) -> Made {
    let mut look = Made::default();
    look.0.insert(PathBuf::from(CHROMIUM_FILE), content.as_bytes().to_vec());
    look
}

fn written_for(host: &str) -> String {
    let allowed = manifest::entries(Family::Chromium, &[], &[]);
    manifest::write(Family::Chromium, Path::new(host), &allowed).unwrap()
}

#[test]
fn a_browser_is_found_by_its_folder_or_by_its_program() {
    let check = |sign: &str, file: &str| {
        assert_eq!(files(&planned(&Made::with(&[sign]), &Options::default())), [file], "{sign}");
    };
    check("/home/kim/.config/chromium/Local State", CHROMIUM_FILE);
    check("/usr/bin/chromium", CHROMIUM_FILE);
    check("/games/chromium", CHROMIUM_FILE);
    check("/home/kim/.mozilla/firefox/profiles.ini", FIREFOX_FILE);
    check("/home/kim/.config/mozilla/firefox/profiles.ini", FIREFOX_FILE);
    check("/usr/bin/firefox-esr", FIREFOX_FILE);
    check("/home/kim/snap/firefox/common/.mozilla", FIREFOX_FILE);
    check("/opt/zen-browser/zen", FIREFOX_FILE);
}

#[test]
fn nothing_found_is_nothing_planned_and_said() {
    let plan = planned(&Made::default(), &Options::default());
    assert!(plan.registrations.is_empty());
    assert!(plan.render().contains("no browser was found"), "{}", plan.render());
}

#[test]
fn browsers_that_read_one_folder_share_one_file() {
    let look = Made::with(&["/usr/bin/firefox", "/usr/bin/zen", "/usr/bin/floorp"]);
    let plan = planned(&look, &Options::default());
    assert_eq!(plan.registrations[0].browsers, ["Firefox", "Zen", "Floorp"]);
    assert_eq!(
        files(&plan)[1..],
        ["/home/kim/.floorp/native-messaging-hosts/org.webtranslator.host.json"]
    );
}

#[test]
fn all_writes_every_row_but_those_on_request() {
    let options = Options { all: true, ..Options::default() };
    let plan = planned(&Made::default(), &options);
    let names: Vec<_> = plan.registrations.iter().flat_map(|row| row.browsers.clone()).collect();
    for browser in BROWSERS {
        assert_eq!(names.contains(&browser.name), browser.on_request.is_none(), "{}", browser.id);
    }
}

#[test]
fn a_browser_that_hides_its_reader_is_registered_only_by_name() {
    let look = Made::with(&["/home/kim/.local/share/torbrowser/tbb/x"]);
    let plan = planned(&look, &Options::default());
    assert!(plan.registrations.is_empty());
    assert!(plan.notes[0].contains("--browser tor-browser"), "{:?}", plan.notes);
    let named = Options { browsers: vec!["tor-browser".to_owned()], ..Options::default() };
    assert_eq!(planned(&look, &named).registrations.len(), 1);
}

#[test]
fn sandboxed_browsers_are_explained() {
    let look = Made::with(&[
        "/home/kim/.var/app/com.brave.Browser/x",
        "/home/kim/snap/chromium/x",
        "/home/kim/snap/firefox/x",
    ]);
    let notes = planned(&look, &Options::default()).notes.join("\n");
    assert!(notes.contains("Brave from Flatpak"), "{notes}");
    assert!(notes.contains("Chromium from Snap cannot"), "{notes}");
    assert!(notes.contains("Firefox from Snap asks once"), "{notes}");
}

#[test]
fn what_stands_there_already_is_kept_and_ours_is_updated() {
    let look = chromium_with(&written_for(HOST));
    assert_eq!(planned(&look, &Options::default()).registrations[0].action, Action::Keep);

    let older = "/home/kim/.local/share/webtranslator/old/webtranslator";
    let mut look = chromium_with(&written_for(older));
    look.0.insert(PathBuf::from(older), Vec::new());
    assert_eq!(planned(&look, &Options::default()).registrations[0].action, Action::Update);
}

#[test]
fn a_registration_of_another_install_stays_unless_it_leads_nowhere() {
    let mut look = chromium_with(&written_for("/opt/other/webtranslator"));
    let action =
        |look: &Made, options: &Options| planned(look, options).registrations.remove(0).action;
    assert_eq!(action(&look, &Options::default()), Action::Update, "it leads nowhere");

    look.0.insert(PathBuf::from("/opt/other/webtranslator"), Vec::new());
    let Action::Leave(why) = action(&look, &Options::default()) else { panic!("not left") };
    assert!(why.contains("/opt/other/webtranslator"), "{why}");
    let force = Options { force: true, ..Options::default() };
    assert_eq!(action(&look, &force), Action::Update);
}

#[test]
fn a_foreign_file_of_the_same_name_is_left() {
    for content in ["{", "{}", &written_for(HOST).replace("org.webtranslator", "org.other")] {
        let plan = planned(&chromium_with(content), &Options::default());
        assert!(matches!(plan.registrations[0].action, Action::Leave(_)), "{content}");
    }
}

#[test]
fn further_ids_reach_the_family_whose_form_they_have() {
    let store = "abcdefghijklmnopabcdefghijklmnop";
    let options =
        Options { all: true, extension_ids: vec![store.to_owned()], ..Options::default() };
    for row in planned(&Made::default(), &options).registrations {
        assert_eq!(row.content.contains(store), row.family == Family::Chromium);
    }
}

#[test]
fn a_request_that_makes_no_sense_is_refused_as_a_whole() {
    let refused = |environment: &Environment, options: &Options, host: &Path| {
        plan(environment, &Made::default(), host, options).unwrap_err()
    };
    let host = Path::new(HOST);
    let named = Options { browsers: vec!["netscape".to_owned()], ..Options::default() };
    assert_eq!(refused(&home(), &named, host), Refusal::UnknownBrowser("netscape".to_owned()));
    let id = Options { extension_ids: vec!["x".to_owned()], ..Options::default() };
    assert_eq!(refused(&home(), &id, host), Refusal::BadId("x".to_owned()));
    let sudo = Environment { sudo: true, ..home() };
    assert_eq!(refused(&sudo, &Options::default(), host), Refusal::Sudo);
    assert!(Refusal::Sudo.to_string().contains("without sudo"));
}

#[cfg(unix)]
#[test]
fn a_path_that_json_cannot_carry_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let host = Path::new(std::ffi::OsStr::from_bytes(b"/opt/\xff/webtranslator"));
    let options = Options { all: true, ..Options::default() };
    let refusal = plan(&home(), &Made::default(), host, &options).unwrap_err();
    assert!(refusal.to_string().contains("not UTF-8"), "{refusal}");
}

#[test]
fn a_named_folder_is_written_without_a_home_and_under_sudo() {
    let dir = Path::new("/profiles/a b/NativeMessagingHosts");
    let plan =
        plan_dir(&Made::default(), Path::new(HOST), (dir, Family::Firefox), &Options::default())
            .unwrap();
    assert_eq!(plan.registrations[0].file, dir.join(MANIFEST_FILE));
    assert!(plan.registrations[0].content.contains("allowed_extensions"));
}
