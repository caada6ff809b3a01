//! The way of one text, and what the queue makes of bad replies.

use scripted_provider::{Script, stand_in};
use serde_json::json;

use crate::browser::{Home, serve};

#[test]
fn texts_are_translated_and_remembered() {
    let server = serve(Script::default());
    for kind in ["openai", "gemini"] {
        let home = Home::at(&server, kind);
        let mut browser = home.greeted();
        browser.translate(1, &["Hello there", "Read more", "Hello there"]);
        let finished = browser.finish(1);
        assert_eq!(finished.text(0), stand_in::stand_in("Hello there"));
        assert_eq!(finished.text(1), stand_in::stand_in("Read more"));
        assert_eq!(finished.text(2), finished.text(0));
        assert_eq!(finished.done["translated"], 3);
        assert_eq!(finished.done["from_cache"], 0);
        let paid = server.calls().len();

        let mut second = home.greeted();
        second.translate(1, &["Hello there", "Read more"]);
        let again = second.finish(1);
        assert_eq!(again.text(0), finished.text(0));
        assert_eq!(again.done["from_cache"], 2);
        assert_eq!(server.calls().len(), paid, "{kind}: the second browser paid again");
    }
}
