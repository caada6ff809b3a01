use super::*;
use serde_json::json;

/// Checks the values of a body, taken in whole and in pieces of every length.
fn check(form: Form, body: &[u8], expected: &[Value], torn: bool) {
    let shown = String::from_utf8_lossy(body);
    let (values, is_torn) = Events::all(form, body);
    assert_eq!((values.as_slice(), is_torn), (expected, torn), "{shown}");
    for length in 1..=body.len().max(1) {
        let (mut events, mut values) = (Events::default(), Vec::new());
        body.chunks(length).for_each(|piece| events.take_in(piece, &mut values));
        events.line_ends(&[], &mut values);
        events.event_ends(&mut values);
        assert_eq!((values.as_slice(), events.torn), (expected, torn), "{length}: {shown}");
    }
}

#[test]
fn events_are_read_whatever_ends_their_lines() {
    let expected = [json!({"a": "가"}), json!({"b": 2})];
    for end in ["\n", "\r\n", "\r"] {
        let body = ": a comment\n\nevent: x\ndata: {\"a\":\"가\"}\n\n\n: again\ndata:{\"b\":2}\n\ndata: [DONE]\n\n";
        check(Form::Events, body.replace('\n', end).as_bytes(), &expected, false);
    }
    let body = "\u{feff}data: {\"a\":\"가\"}\ndata: {\"b\":2}";
    check(Form::Events, body.as_bytes(), &expected, false);
}

#[test]
fn several_data_lines_are_one_value() {
    let body = b"data: {\r\ndata:   \"a\": 1\r\ndata: }\r\n\r\ndata: {\"b\":2}\r\n\r\n";
    check(Form::Events, body, &[json!({"a": 1}), json!({"b": 2})], false);
}

#[test]
fn a_value_that_cannot_be_read_ends_the_stream() {
    let first = [json!({"a": 1})];
    let body = b"data: {\"a\":1}\n\ndata: {\"lost\n\ndata: {\"b\":2}\n\n";
    check(Form::Events, body, &first, true);
    check(Form::Events, b"data: {\"a\":1}\n\ndata: {\"x\":\"\xff\"}\n\n", &first, true);
    check(Form::Events, b"data: {\"a\":1}\n\ndata: {\"cut", &first, true);
    check(Form::Events, b"data: {\"a\":1}\n\ndata: a word\n\n", &first, false);
    check(Form::Lines, b"{\"a\":1}\n{\"cut\n{\"b\":2}\n", &first, true);
}

#[test]
fn lines_are_read_one_object_each() {
    let body = b"{\"a\":1}\r\n\r\n{\"b\":\"\\ud83d\"}\n";
    check(Form::Lines, body, &[json!({"a": 1}), json!({"b": "\u{fffd}"})], false);
    check(Form::Lines, b"{\"a\":1}", &[json!({"a": 1})], false);
    check(Form::Lines, b"{\"a\":1}\n[2]\n", &[json!({"a": 1})], true);
}

#[test]
fn what_has_no_parts_has_no_values() {
    for body in [&b"[{\"a\":1}]\n"[..], b"<html>\n{\"a\":1}\n", b"", b"\xff\xfe\n{\"a\":1}\n"] {
        let (mut events, mut values) = (Events::default(), Vec::new());
        events.take_in(body, &mut values);
        assert!(values.is_empty());
    }
    // A whole answer over several lines is no line of a stream.
    let (mut events, mut values) = (Events::default(), Vec::new());
    events.take_in(b"{\n  \"a\": {}\n}\n", &mut values);
    assert!(values.is_empty() && events.is_over());
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_no_cut_makes_a_difference(
        body in proptest::collection::vec(proptest::sample::select(&b"data: {}\"[]1a,\\ud8\r\n\xff\xea:"[..]), 0..120),
        cuts in proptest::collection::vec(0..120_usize, 0..6),
    ) {
        let whole = {
            let (mut events, mut values) = (Events::default(), Vec::new());
            events.take_in(&body, &mut values);
            (values, events.torn)
        };
        let (mut events, mut values) = (Events::default(), Vec::new());
        let mut rest = body.as_slice();
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            events.take_in(piece, &mut values);
            rest = after;
        }
        events.take_in(rest, &mut values);
        proptest::prop_assert_eq!((values, events.torn), whole);
    }
}
