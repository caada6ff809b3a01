use serde_json::json;

use super::*;

const EXAMPLE: &str = r#"target = "ko"
providers = ["gemini", "local"]        # in order of preference

[provider.gemini]
kind = "gemini"                        # gemini openai …
model = "gemini-3.5-flash-lite"
base_url = "https://example.com/"      # optional
requests_per_minute = 15               # optional ceilings
timeout_s = 60

[provider.local]
kind = "openai"                        # any server that speaks chat completions
base_url = "http://127.0.0.1:8080/v1"
model = "qwen"

[cache]
mode = "on"                            # on, read, off
max_mb = 512
max_days = 180
reuse = "any"                          # or engine
"#;

fn good(text: &str) -> Settings {
    let checked = check(text);
    assert_eq!(checked.problems, [], "{text}");
    checked.settings.unwrap()
}

#[test]
fn an_example_with_all_settings_is_read() {
    let settings = good(EXAMPLE);
    assert_eq!(check(EXAMPLE).warnings, []);
    assert_eq!(settings.target, "ko");
    assert_eq!(settings.providers, ["gemini", "local"]);
    assert_eq!(settings.provider["gemini"].base_url.as_deref(), Some("https://example.com"));
    assert_eq!(settings.provider["gemini"].requests_per_minute, Some(15));
    assert_eq!(settings.cache.max_bytes(), 512 * 1024 * 1024);
    assert_eq!((settings.cache.max_days, settings.cache.reuse), (Some(180), Reuse::Any));
    let cache = json!({"mode": "on", "max_mb": 512, "max_days": 180, "reuse": "any"});
    assert_eq!(settings.to_json()["cache"], cache);
    assert_eq!(good("").to_json()["cache"], json!({"mode": "on", "max_mb": 512}));
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(good(""), Settings::default());
    assert_eq!(good("\u{feff}# nothing\n"), Settings::default());
}

#[test]
fn a_provider_called_as_its_kind_needs_no_more() {
    let settings = good("providers = ['sample']");
    assert_eq!(settings.provider["sample"].kind, "sample");
    assert_eq!(good("[provider.gemini]\nmodel = 'x'").provider["gemini"].kind, "gemini");
}

#[test]
fn without_an_order_the_order_of_the_file_serves() {
    let settings = good("[provider.z]\nkind = 'openai'\n[provider.a]\nkind = 'gemini'\n");
    assert_eq!(settings.providers, ["z", "a"]);
}

#[test]
fn each_mistake_is_answered_with_its_place_and_what_was_expected() {
    let table: &[(&str, usize, usize, &str, &str)] = &[
        ("target = 5", 1, 10, "target is 5", "text in quotes"),
        ("\n  target = \"korean!\"", 2, 12, "target is \"korean!\"", "a language such as"),
        ("source = 'auto'", 1, 10, "source is 'auto'", "the language is detected"),
        ("target = ", 1, 10, "", "valid TOML"),
        ("target = 'ko'\ntarget = 'en'", 2, 1, "duplicate", "valid TOML"),
        ("providers = 'gemini'", 1, 13, "providers is 'gemini'", "a list of names"),
        ("providers = ['x']", 1, 14, "providers is 'x'", "[provider.x]"),
        ("providers = [3]", 1, 14, "providers is 3", "names in quotes"),
        ("provider = 3", 1, 12, "provider is 3", "a table"),
        ("[provider]\nx = 3", 2, 5, "provider.x is 3", "[provider.x]"),
        ("[provider.x]\nkind = 'gemni'", 2, 8, "provider.x.kind is 'gemni'", "\"gemini\""),
        ("[provider.x]\nmodel = 'm'", 2, 1, "provider.x.kind is missing", "\"gemini\""),
        ("[provider.openai]\ntimeout_s = 0", 2, 13, "timeout_s is 0", "from 1 to 600"),
        ("[provider.openai]\nconcurrency = 1.5", 2, 15, "concurrency is 1.5", "whole number"),
        ("[provider.openai]\nrequests_per_day = '9'", 2, 20, "is '9'", "whole number"),
        ("[provider.openai]\nbase_url = 'ftp://x'", 2, 12, "\"ftp://x\"", "https://"),
        ("[provider.openai]\nbase_url = 'x.com/v1'", 2, 12, "\"x.com/v1\"", "an address"),
        ("[provider.'a b']\nkind = 'openai'", 1, 1, "provider.a b", "at most 40 letters"),
        ("[cache]\nmode = 'yes'", 2, 8, "cache.mode is 'yes'", "one of \"on\", \"read\", \"off\""),
        ("[cache]\nmax_mb = -1", 2, 10, "cache.max_mb is -1", "whole number"),
        ("[cache]\nmax_days = 0", 2, 12, "cache.max_days is 0", "from 1 to 36500"),
        ("[cache]\nreuse = 'all'", 2, 9, "cache.reuse is 'all'", "one of \"engine\", \"any\""),
        ("[page]\nmode = 'pop-up'", 2, 8, "page.mode is 'pop-up'", "\"hover\""),
        ("cache = 1", 1, 9, "cache is 1", "a table"),
    ];
    for (text, line, column, found, expected) in table {
        let checked = check(text);
        assert_eq!(checked.settings, None, "{text}");
        let problem = checked.problems.first().unwrap_or_else(|| panic!("no problem in {text:?}"));
        let words = problem.to_string();
        assert_eq!((problem.line, problem.column), (*line, *column), "{text:?}: {words}");
        assert!(words.contains(found) && words.contains(expected), "{text:?}: {words}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = "target = 1\n[provider.openai]\ntimeout_s = 0\n[cache]\nmode = 1\n";
    let lines: Vec<_> = check(text).problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 3, 5]);
}

#[test]
fn two_names_may_not_share_a_variable() {
    let text = "[provider.a-b]\nkind = 'openai'\n[provider.A_B]\nkind = 'openai'\n";
    assert!(check(text).problems[0].to_string().contains("differs from \"a-b\""));
}

#[test]
fn what_is_not_known_is_a_warning_with_a_suggestion() {
    let checked = check("taget = 'ko'\n[cache]\nmax-mb = 3\nflavour = 'x'\n");
    assert!(checked.settings.is_some());
    let words: Vec<String> = checked.warnings.iter().map(ToString::to_string).collect();
    assert!(words[0].contains("line 1, column 1: taget: expected target?"), "{words:?}");
    assert!(words[1].contains("cache.max-mb: expected max_mb?"), "{words:?}");
    assert!(words[2].contains("one of mode, max_mb"), "{words:?}");
}

#[test]
fn a_key_in_the_settings_is_handed_over_and_taken_out() {
    let text = "[provider.gemini]\nmodel = 'm' # mine\napi_key = 'SECRET123'\n";
    let checked = check(text);
    assert_eq!(checked.stray_keys.len(), 1);
    assert_eq!(checked.stray_keys[0].key.0, "SECRET123");
    assert!(!format!("{checked:?}").contains("SECRET123"));
    assert_eq!(without_keys(text).unwrap(), "[provider.gemini]\nmodel = 'm' # mine\n");
}

#[test]
fn no_secret_is_shown() {
    for text in [
        "[provider.openai]\nbase_url = 'https://user:SECRET123@x.com'",
        "[provider.openai]\nbase_url = 'https://x.com/?key=SECRET123'",
        "[provider.openai]\napi_key = ['SECRET123']",
        "[provider.openai]\napikey = 'SECRET123'",
        "[cache]\nremote = 'redis://:SECRET123@x'",
    ] {
        let checked = check(text);
        let all: Vec<_> = checked.problems.iter().chain(&checked.warnings).collect();
        assert!(!all.is_empty(), "{text}");
        assert!(!format!("{all:?}").contains("SECRET123"), "{all:?}");
    }
}

#[test]
fn http_to_another_machine_is_warned_of() {
    let warned =
        |url: &str| !check(&format!("[provider.openai]\nbase_url = '{url}'\n")).warnings.is_empty();
    assert!(warned("http://192.168.0.2:8080/v1"));
    assert!(warned("http://127.0.0.1.evil.test"));
    for loopback in ["http://127.0.0.1:1", "http://localhost", "http://[::1]:8", "https://x.com"] {
        assert!(!warned(loopback), "{loopback}");
    }
}

#[test]
fn an_edit_keeps_comments_and_order() {
    let change = json!({
        "target": "ja",
        "page": {"mode": "both"},
        "provider": {"gemini": {"requests_per_minute": null, "model": "x", "timeout_s": 30}},
        "cache": {"mode": "read"},
        "has_key": true,
    });
    let text = edit(EXAMPLE, &change).unwrap();
    let expected = EXAMPLE
        .replace("target = \"ko\"", "target = \"ja\"")
        .replace("requests_per_minute = 15               # optional ceilings\n", "")
        .replace("gemini-3.5-flash-lite", "x")
        .replace("timeout_s = 60", "timeout_s = 30")
        .replace("mode = \"on\" ", "mode = \"read\" ");
    assert_eq!(text, format!("{expected}\n[page]\nmode = \"both\"\n"));
}

#[test]
fn an_edit_starts_a_file_and_a_provider() {
    let change = json!({"target": "ko", "providers": ["a"], "provider": {"a": {"kind": "openai"}}});
    let text = edit("", &change).unwrap();
    assert_eq!(text, "target = \"ko\"\nproviders = [\"a\"]\n\n[provider.a]\nkind = \"openai\"\n");
    let gone = edit(&text, &json!({"providers": null, "provider": {"a": null}})).unwrap();
    assert_eq!(good(&gone).provider.len(), 0);
}

#[test]
fn an_edit_that_would_not_pass_is_refused() {
    for change in [
        json!({"target": "?"}),
        json!({"target": true}),
        json!({"providers": ["nobody"]}),
        json!({"provider": {"local": null}}),
        json!({"provider": {"local": {"kind": "x"}}}),
        json!({"provider": {"local": {"key": "SECRET123"}}}),
        json!({"cache": 3}),
        json!([]),
    ] {
        let problem = edit(EXAMPLE, &change).unwrap_err();
        assert!(!problem.to_string().contains("SECRET123"));
    }
    assert!(edit("target = ", &json!({})).unwrap_err().expected.contains("valid TOML"));
}

#[test]
fn the_wires_form_goes_back_in_unchanged() {
    let settings = good(EXAMPLE);
    let text = edit(EXAMPLE, &settings.to_json()).unwrap();
    assert_eq!(good(&text), settings);
    assert_eq!(settings.to_json()["provider"]["local"]["kind"], "openai");
    assert_eq!(settings.to_json()["source"], json!(null));
}

#[test]
fn the_shared_cache_is_set_up_with_an_address_and_a_prefix() {
    let settings = good("[cache]\nremote = 'rediss://ann@cache.lan/2'\nremote_prefix = 'home:'\n");
    let remote = settings.cache.remote.as_ref().unwrap();
    assert_eq!((remote.user(), remote.database()), (Some("ann"), 2));
    assert_eq!(settings.cache.remote_prefix, "home:");
    let json = settings.to_json();
    assert_eq!(json["cache"]["remote"], "rediss://ann@cache.lan/2");
    assert_eq!(json["cache"]["remote_prefix"], "home:");
    assert_eq!(good("[cache]\nremote = ''\n").cache, CacheSettings::default());
    assert_eq!(good("").to_json()["cache"].get("remote"), None);
    for text in ["remote = 'http://x'", "remote = 5", "remote_prefix = ''", "remote_prefix = 'a b'"]
    {
        assert_eq!(check(&format!("[cache]\n{text}\n")).problems.len(), 1, "{text}");
    }
}

#[test]
fn the_password_of_the_shared_cache_is_found_and_taken_out() {
    let text =
        "[cache]\nmode = \"on\"\nremote = \"redis://ann:s3cret@10.0.0.7/1\" # ours\nmax_mb = 7\n";
    let checked = check(text);
    assert_eq!(checked.problems, []);
    let [stray] = &checked.stray_keys[..] else { panic!("one key") };
    assert_eq!((stray.provider.as_str(), stray.key.0.as_str()), (REMOTE_KEY, "s3cret"));
    let [warning] = &checked.warnings[..] else { panic!("one warning") };
    assert!(warning.expected.contains("rediss://") && warning.found.is_empty(), "{warning}");
    let without = without_keys(text).unwrap();
    assert_eq!(without, text.replace(":s3cret@", "@"));
    assert_eq!(without_keys(&without).unwrap(), without);
    assert!(!format!("{checked:?}").contains("s3cret"));
    let wrong = check("[cache]\nremote = 'redis://:s3cret@cache/x'\n").problems;
    assert!(!wrong[0].to_string().contains("s3cret"), "{}", wrong[0]);
}

#[test]
fn no_provider_has_the_name_of_the_shared_caches_key() {
    for name in ["cache", "CACHE"] {
        let problems = check(&format!("[provider.{name}]\nkind = 'gemini'\n")).problems;
        assert!(problems[0].expected.contains("another name"), "{problems:?}");
    }
}
