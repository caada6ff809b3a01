use super::*;
use crate::provider::{Answer, Key, Text, make};

fn config(base_url: &str, key: Option<&str>) -> Config {
    Config {
        kind: "libretranslate".to_owned(),
        base_url: base_url.to_owned(),
        key: key.map(|key| Key(key.to_owned())),
        ..Config::default()
    }
}

fn ask(texts: &[(&str, bool)]) -> Ask {
    let text = |(text, marked): &(&str, bool)| Text { text: (*text).to_owned(), marked: *marked };
    Ask { target: "pt-BR".to_owned(), texts: texts.iter().map(text).collect(), ..Ask::default() }
}

fn sent(config: &Config, ask: &Ask) -> Value {
    serde_json::from_slice(&make(config).unwrap().build(ask).unwrap().body).unwrap()
}

fn read(ask: &Ask, translated: &Value) -> Reading {
    let body = json!({"translatedText": translated}).to_string().into_bytes();
    let answer = Answer { status: 200, body, ..Answer::default() };
    make(&config("", None)).unwrap().parse(ask, &Response::Answer(answer))
}

#[test]
fn a_batch_is_a_list_with_or_without_a_key() {
    let body = sent(&config("", None), &ask(&[("a < b", false)]));
    let expected = json!({"q": ["a < b"], "source": "auto", "target": "pb", "format": "text"});
    assert_eq!(body, expected);
    let marked = Ask { source: Some("zh".to_owned()), ..ask(&[("<1>a</1> &lt;", true)]) };
    let body = sent(&config("https://libre.test/translate", Some(" k ")), &marked);
    assert_eq!((&body["api_key"], &body["source"]), (&json!("k"), &json!("zh")));
    assert_eq!((&body["q"][0], &body["format"]), (&json!("<a i=1>a</a> &lt;"), &json!("html")));
    let request = make(&config("", None)).unwrap().build(&marked).unwrap();
    assert_eq!(request.url, "http://127.0.0.1:5000/translate");
}

#[test]
fn a_key_goes_over_https_or_to_this_machine_only() {
    let build = |base: &str, key| make(&config(base, key)).unwrap().build(&ask(&[("a", false)]));
    assert!(build("http://127.0.0.1:5000", Some("k")).is_ok());
    assert!(build("HTTPS://libre.test", Some("k")).is_ok());
    assert!(build("http://libre.lan:5000", None).is_ok());
    assert!(build("http://libre.lan:5000", Some(" ")).is_ok());
    let refused = build("http://libre.lan:5000", Some("k"));
    assert_eq!(refused.unwrap_err(), Failure::Misconfigured);
}

#[test]
fn entities_are_read_by_the_server_and_not_again() {
    let texts = ask(&[("<1>a</1> &amp;lt;b&amp;gt;", true), ("&lt;", false)]);
    let reading = read(&texts, &json!(["<a i=\"1\">A</a> &lt;b&gt; <i>", "&lt;"]));
    assert_eq!(reading.items[&0], "<1>A</1> &amp;lt;b&amp;gt; &lt;i>");
    assert_eq!(reading.items[&1], "&lt;");
}

#[test]
fn words_that_look_like_our_tags_go_in_pieces() {
    let texts = ask(&[("<1>a</1> b &lt;a i=1>", true), ("<1>c</1>", true)]);
    let body = sent(&config("", None), &texts);
    assert_eq!(body["q"], json!(["a", "b &lt;a i=1&gt;", "<a i=1>c</a>"]));
    let reading = read(&texts, &json!(["A", "B <a i=1>", "<a i=\"1\">C</a>"]));
    assert_eq!(reading.items[&0], "<1>A</1> B &lt;a i=1>");
    assert_eq!(reading.items[&1], "<1>C</1>");
}

#[test]
fn an_emoji_for_words_is_the_servers_trap() {
    let words = ask(&[("Sign in", false)]);
    let trapped = read(&words, &json!("🦁"));
    assert_eq!((trapped.class, trapped.reason), (Class::ConfigError, "need_key"));
    assert_eq!(read(&words, &json!(["🦁"])).items[&0], "🦁");
    assert_eq!(read(&ask(&[("🦊", false)]), &json!("🦊")).items[&0], "🦊");
    assert_eq!(read(&words, &json!("Entrar")).items[&0], "Entrar");
    let two = ask(&[("Hello", false), ("Sign in", false)]);
    assert_eq!(read(&two, &json!("Olá")).reason, "wrong_count");
    assert_eq!(read(&two, &json!(["Olá", null])).class, Class::Partial);
    assert_eq!(read(&two, &json!({"0": "Olá"})).reason, "wrong_shape");
}
