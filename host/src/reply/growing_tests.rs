use super::*;
use crate::reply::{Batch, read};

/// What is sure of a reply to so many texts that comes letter by letter.
fn sure(count: usize, reply: &str) -> Vec<(usize, String)> {
    let mut growing = Growing::new(count);
    reply.chars().flat_map(|c| growing.take_in(&c.to_string())).collect()
}

fn check(reply: &str, expected: &[&str]) {
    let texts: Vec<String> = sure(4, reply).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, expected, "{reply}");
}

#[test]
fn an_item_is_sure_when_the_next_one_has_begun() {
    let mut growing = Growing::new(3);
    assert_eq!(growing.take_in(" {\"0\":\"가\""), []);
    assert_eq!(growing.take_in(", \"1\" : \""), []);
    assert_eq!(growing.take_in("나"), [(0, "가".to_owned())]);
    assert_eq!(growing.take_in("다\",\"2\":\"라\"}"), [(1, "나다".to_owned())]);
    assert!(growing.is_over(), "the last item waits for the end");
}

#[test]
fn texts_are_read_as_at_the_end_of_a_reply() {
    let reply = r#"{"0":"a \"b\" \\ \n\u00e9\ud83d\ude00","1":"\u00e9 x","2":"\/","3":"z"}"#;
    check(reply, &["a \"b\" \\ \né😀", "é x", "/"]);
    let sources = ["1", "2", "3", "4"];
    let whole = read(reply, Batch { sources: &sources, target: "ko" }, false);
    for (id, text) in sure(4, reply) {
        assert_eq!(whole.items[&id], text);
    }
}

#[test]
fn nothing_is_sure_of_another_form_than_the_one_that_was_asked_for() {
    for reply in [
        "Here it is: {\"0\":\"a\",\"1\":\"b\"}",
        "```json\n{\"0\":\"a\",\"1\":\"b\"}\n```",
        "<think>x</think>{\"0\":\"a\",\"1\":\"b\"}",
        "[\"a\",\"b\",\"c\"]",
        "[{\"0\":\"a\"},{\"1\":\"b\"}]",
        "{\"1\":\"a\",\"2\":\"b\"}",
        "{\"t\":{\"0\":\"a\",\"1\":\"b\"}}",
        "{0:\"a\",1:\"b\",2:\"c\"}",
        "{\"00\":\"a\",\"1\":\"b\"}",
        "{\"0\":{\"text\":\"a\"},\"1\":\"b\"}",
        "{\"0\":null,\"1\":\"b\"}",
        "{\u{201c}0\u{201d}:\"a\",\"1\":\"b\"}",
    ] {
        check(reply, &[]);
    }
}

#[test]
fn a_gap_a_repeat_a_blank_and_a_bare_quote_end_it_before_they_do_harm() {
    check("{\"0\":\"a\",\"1\":\"b\",\"3\":\"d\"}", &["a"]);
    check("{\"0\":\"a\",\"0\":\"b\",\"1\":\"c\"}", &[]);
    check("{\"0\":\"a\",\"1\":\"b\",\"1\":\"c\",\"2\":\"d\"}", &["a"]);
    check("{\"0\":\"a and b\",\"1\":\"\",\"2\":\"c\",\"3\":\"d\"}", &[]);
    check("{\"0\":\"a and b\",\"1\":\"\\n \\t\",\"2\":\"c\",\"3\":\"d\"}", &[]);
    check("{\"0\":\"he said \"a\", and\",\"1\":\"b\",\"2\":\"c\"}", &[]);
    check("{\"0\":\"a\",\"1\":\"b\",\"2\":\"c\",\"3\":\"d\",\"4\":\"e\"}", &["a", "b", "c"]);
    check("{\"0\":\"a\",\"1\":\"b\"}{\"0\":\"c\",\"1\":\"d\"}", &["a"]);
    check("{\"0\":\"a\",\"99999999999999999999\":\"b\"}", &[]);
}

#[test]
fn a_long_reply_takes_linear_time() {
    let items: Vec<String> = (0..100_000).map(|id| format!("\"{id}\":\"text {id}\"")).collect();
    let reply = format!("{{{}}}", items.join(","));
    let mut growing = Growing::new(items.len());
    let pieces = reply.as_bytes().chunks(3).map(|piece| std::str::from_utf8(piece).unwrap());
    assert_eq!(pieces.flat_map(|piece| growing.take_in(piece)).count(), items.len() - 1);
}

proptest::proptest! {
    #[test]
    fn what_is_sure_is_what_the_whole_reply_says(reply in "[{]\"0\":\"[ab\\\\\" ]{0,4}\",[\"0-3:a,} ]{0,40}") {
        let sources = ["1", "2", "3", "4"];
        let whole = read(&reply, Batch { sources: &sources, target: "ko" }, true);
        let sure = sure(4, &reply);
        let refused = ["duplicate_id", "one_based", "extra_ids", "untranslated"].contains(&whole.reason);
        for (id, text) in sure.into_iter().filter(|_| !refused) {
            proptest::prop_assert_eq!(whole.items.get(&id), Some(&text), "{}", reply);
        }
    }
}
