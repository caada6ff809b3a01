use super::*;

fn written(family: Family) -> String {
    write(family, Path::new("/opt/번역 도구/webtranslator"), &entries(family, &[], &[])).unwrap()
}

#[test]
fn what_is_written_has_the_five_keys_of_its_family_and_reads_back() {
    for family in [Family::Chromium, Family::Firefox] {
        let text = written(family);
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        let list = list_key(family).to_owned();
        assert_eq!(keys, [list, "description".into(), "name".into(), "path".into(), "type".into()]);
        let manifest = read(family, text.as_bytes()).unwrap();
        assert_eq!(manifest.path, Path::new("/opt/번역 도구/webtranslator"));
        assert_eq!(manifest.allowed, entries(family, &[], &[]));
    }
}

fn check_fault(family: Family, change: impl Fn(&str) -> String, expected: &str) {
    let fault = read(family, change(&written(family)).as_bytes()).unwrap_err();
    let text = fault.to_string();
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_a_browser_refuses_is_named_with_line_and_column() {
    use Family::{Chromium, Firefox};
    check_fault(Chromium, |text| text.replace("\n}", ",\n}"), "line 9, column 1: trailing comma");
    check_fault(
        Firefox,
        |text| text.replace("{\n", "{\n  \"version\": \"1\",\n"),
        "line 2, column 11: unknown field `version`",
    );
    check_fault(
        Firefox,
        |text| text.replace("{\n", "{\n  \"allowed_origins\": [],\n"),
        "unknown field `allowed_origins`",
    );
    check_fault(Chromium, |text| text.replace("/\"\n", "\"\n"), "which lacks its last slash");
    check_fault(
        Chromium,
        |text| text.replace("chrome-extension://", "extension://"),
        "32 letters a to p",
    );
    check_fault(Chromium, |text| text.replace("\"/opt", "\"opt"), "is not absolute");
    check_fault(Chromium, |text| text.replace("stdio", "pkcs11"), "instead of \"stdio\"");
    check_fault(Chromium, |text| text.replace("org.web", "com.web"), "the file's name asks for");
    check_fault(Firefox, |text| text.replace("\"description\"", "\"path\""), "duplicate field");
    check_fault(
        Chromium,
        |text| text.replace("allowed_origins", "allowed"),
        "allowed_origins is missing",
    );
    check_fault(Firefox, |text| text.replace(GECKO_ID, EXTENSION_ID), "not the id of an add-on");
    check_fault(Chromium, |_| "[]".to_owned(), "not one JSON object");
    check_fault(Chromium, |_| String::new(), "EOF while parsing");
}

#[test]
fn chromium_takes_unknown_keys_and_both_take_a_byte_order_mark() {
    let text = written(Family::Chromium).replace("{\n", "{\n  \"version\": \"1\",\n");
    assert!(read(Family::Chromium, text.as_bytes()).is_ok());
    let text = format!("\u{feff}{}", written(Family::Firefox));
    assert!(read(Family::Firefox, text.as_bytes()).is_ok());
}

#[test]
fn ids_go_to_the_family_whose_form_they_have() {
    let store = "abcdefghijklmnopabcdefghijklmnop".to_owned();
    let ids = [store.clone(), "own@build.example".to_owned(), "nonsense".to_owned()];
    assert_eq!(
        entries(Family::Chromium, &ids, &[]),
        [format!("chrome-extension://{EXTENSION_ID}/"), format!("chrome-extension://{store}/")]
    );
    assert_eq!(entries(Family::Firefox, &ids, &[]), [GECKO_ID, "own@build.example"]);
}

#[test]
fn ids_that_were_added_earlier_stay() {
    let first = entries(Family::Chromium, &["abcdefghijklmnopabcdefghijklmnop".to_owned()], &[]);
    assert_eq!(entries(Family::Chromium, &[], &first), first);
    assert_eq!(entries(Family::Chromium, &[], &["chrome-extension://*/".to_owned()]).len(), 1);
}

#[test]
fn the_ids_of_add_ons_are_told_from_others() {
    for id in ["webtranslator@example.org", "@x", "{12345678-1234-1234-1234-123456789abc}"] {
        assert!(is_gecko_id(id), "{id}");
    }
    for id in ["", "plain", "a@", "{123}", "a b@c", "abcdefghijklmnopabcdefghijklmnop"] {
        assert!(!is_gecko_id(id), "{id}");
    }
}
