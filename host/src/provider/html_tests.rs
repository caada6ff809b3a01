use super::*;

const XML: Form =
    Form { shape: Shape::Quoted("x", "id"), strokes: true, escapes: true, decodes: true };
const HTML: Form =
    Form { shape: Shape::Unquoted("a", "i"), strokes: false, escapes: true, decodes: true };
const NAMED: Form = Form { shape: Shape::Named("b"), strokes: false, escapes: true, decodes: true };
const BARE: Form = Form { shape: Shape::Bare, strokes: true, escapes: false, decodes: false };

fn marked(text: &str) -> Text {
    Text { text: text.to_owned(), marked: true }
}

#[test]
fn each_form_writes_tags_and_words_in_its_own_way() {
    let text = marked("A <1>b &lt; c</1> <2/> &amp; d > e");
    for (form, expected) in [
        (XML, "A <x id=\"1\">b &lt; c</x> <x id=\"2\"/> &amp; d &gt; e"),
        (HTML, "A <a i=1>b &lt; c</a> <a i=2></a> &amp; d &gt; e"),
        (NAMED, "A <b1>b &lt; c</b1> <b2></b2> &amp; d &gt; e"),
        (BARE, "A <1>b < c</1> <2/> & d > e"),
    ] {
        assert_eq!(form.written(&text), expected);
    }
    let plain = Text { text: "<1> & \u{1}\u{ffff}\t".to_owned(), marked: false };
    assert_eq!(XML.written(&plain), "&lt;1&gt; &amp; \t");
    assert_eq!(BARE.written(&plain), plain.text);
}

#[test]
fn an_answer_is_read_back_however_the_engine_writes_it() {
    let source = "A <1>b <2>c</2></1> <3/>";
    let check = |form: Form, answer: &str, expected: &str| {
        assert_eq!(form.read(&marked(source), answer, |words| words), expected, "{answer}");
    };
    check(
        XML,
        "<x id=\"1\"><x id=\"2\">C</x> B</x><x id=\"3\"/> &apos;",
        "<1><2>C</2> B</1><3/> '",
    );
    check(XML, "<x id='1'>B <X ID=\"2\" >C</X></x> <x id=\"3\"></x>", "<1>B <2>C</2></1> <3/>");
    check(HTML, "<a i=\"1\" style=\"\">B <a i=2>C</a></a><a i=3>", "<1>B <2>C</2></1><3/>");
    check(HTML, "<a i=3 /><a i=1>&eacute;&lt;b&gt;</a>", "<3/><1>é&lt;b></1>");
    check(NAMED, "<B1>B <b2>C</b1></b2><b3/>", "<1>B <2>C</1></2><3/>");
    check(NAMED, "<b3></b3> <b2>C</b2>", "<3/> <2>C</2>");
    check(BARE, "<1>B & <2>C</2></1> <3/>", "<1>B &amp; <2>C</2></1> <3/>");
}

#[test]
fn what_is_not_a_tag_of_the_source_is_text() {
    let check = |form: Form, answer: &str, expected: &str| {
        let read = form.read(&marked("A <1>b</1> <2/>"), answer, |words| words);
        assert_eq!(read, expected, "{answer}");
    };
    check(HTML, "<script>x</script>", "&lt;script>x&lt;/script>");
    check(HTML, "<a i=9>x</a> <a href=\"/\">y</a>", "&lt;a i=9>x&lt;/a> &lt;a href=\"/\">y&lt;/a>");
    check(HTML, "<a i=1>x <a>y</a></a></a>", "<1>x &lt;a>y&lt;/a></1>&lt;/a>");
    check(HTML, "<1>x</1>", "&lt;1>x&lt;/1>");
    check(NAMED, "<b>x</b><b01>y</b1x>", "&lt;b>x&lt;/b>&lt;b01>y&lt;/b1x>");
    check(NAMED, "<b1234567>", "&lt;b1234567>");
    check(XML, "a < b <x id=\"1\" <x id=\"1\">c</x>", "a &lt; b &lt;x id=\"1\" <1>c</1>");
    check(XML, "<x", "&lt;x");
    check(XML, "</x/>", "&lt;/x/>");
    check(BARE, "< 1 > <7> é>", "&lt; 1 > &lt;7> é>");
}

#[test]
fn a_pair_that_came_in_pieces_is_one_pair() {
    let source = "<1>Für den </1><2>37. Wettbewerb</2><3> und den </3><4>18.</4>";
    let check = |answer: &str, expected: &str| {
        assert_eq!(HTML.read(&marked(source), answer, |words| words), expected, "{answer}");
    };
    check(
        "<a i=1></a>Artigos <a i=1>para o</a> <a i=2>37º <a i=3>e</a></a> <a i=4>18º</a>.",
        "Artigos <1>para o</1> <2>37º <3>e</3></2> <4>18º</4>.",
    );
    check("<a i=1>a</a> b <a i=1>c</a><a i=1>d</a>", "<1>a b cd</1>");
    check("<a i=1></a>a<a i=1></a>", "<1>a</1>");
    check("<a i=1>a <a i=2>b</a></a> <a i=1>c</a> <a i=2>d</a>", "<1>a <2>b</2> c</1> <2>d</2>");
    check("<a i=1>a</a><a i=2>b</a><a i=1>c</a>", "<1>a</1><2>b</2><1>c</1>");
}

#[test]
fn words_that_would_be_read_as_tags_are_noticed() {
    let literal = Form { decodes: false, ..HTML };
    assert!(literal.is_ambiguous(&marked("<1>a</1> &lt;a i=1&gt;".replace("&gt;", ">").as_str())));
    assert!(!literal.is_ambiguous(&marked("<1>a</1> &lt;b> <2/>")));
    assert!(!HTML.is_ambiguous(&marked("<1>a</1> &lt;a i=1>")));
    assert!(BARE.is_ambiguous(&marked("&lt;1>")) && !BARE.is_ambiguous(&marked("<1>a</1>")));
}
