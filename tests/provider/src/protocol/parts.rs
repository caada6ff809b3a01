//! Answers in parts: who asks for them, and what each protocol sends.

use super::{Protocol, anthropic, gemini, ollama, openai};
use crate::answer::Answer;
use crate::content::{Batch, pieces, said};
use crate::schedule::{Decision, Outcome};
use crate::script::Script;
use crate::stream::{Stream, StreamFault};
use serde_json::Value;

/// A call's request, as far as the form of its answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// The answer shall come in parts.
    pub parts: bool,
    /// The engine is held to a schema that has every id.
    pub strict: bool,
}

impl Protocol {
    /// Reads from a request what form of answer it asks for.
    #[must_use]
    pub fn wishes(self, path: &str, body: &[u8]) -> Wishes {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let says = |pointer: &str| body.pointer(pointer);
        let streams = says("/stream").and_then(Value::as_bool);
        let is_object = |pointer: &str| says(pointer).is_some_and(Value::is_object);
        match self {
            Self::Gemini => Wishes {
                parts: path.ends_with(":streamGenerateContent"),
                strict: is_object("/generationConfig/responseJsonSchema")
                    || is_object("/generationConfig/responseSchema"),
            },
            Self::OpenAi => Wishes {
                parts: streams == Some(true),
                strict: says("/response_format/type").and_then(Value::as_str)
                    == Some("json_schema"),
            },
            Self::Anthropic => Wishes {
                parts: streams == Some(true),
                strict: is_object("/output_format") || is_object("/output_config/format"),
            },
            // In parts unless told otherwise.
            Self::Ollama => Wishes { parts: streams != Some(false), strict: is_object("/format") },
            Self::Apertium => Wishes { parts: false, strict: false },
        }
    }

    /// Returns the answer in parts that was decided; nothing where it is sent
    /// whole: an error, or a server that knows no parts.
    #[must_use]
    pub fn answer_in_parts(
        self,
        batch: &Batch,
        decision: &Decision,
        wishes: Wishes,
        script: &Script,
    ) -> Option<Answer> {
        let leaves_out =
            matches!(decision.outcome, Outcome::Dropped | Outcome::Short | Outcome::Shifted);
        if !wishes.parts || script.stream.ignored || wishes.strict && leaves_out {
            return None;
        }
        let parts = match decision.outcome {
            Outcome::Unavailable | Outcome::TooMany | Outcome::RateLimited => return None,
            Outcome::Refused => self.refusal_parts(),
            outcome => {
                let said = said(batch, outcome, decision.variant);
                let pieces = pieces(said.text(), batch.items.len() + 1);
                match self {
                    Self::Gemini => gemini::parts(batch, &said, &pieces),
                    Self::OpenAi => openai::parts(batch, &said, &pieces),
                    Self::Anthropic => anthropic::parts(batch, &said, &pieces),
                    Self::Ollama => ollama::parts(batch, &said, &pieces),
                    Self::Apertium => return None,
                }
            }
        };
        let content_type = match self {
            Self::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        };
        Some(Answer::in_parts(content_type, Stream::new(parts, decision.takes, &script.stream)))
    }

    /// Returns the answer in parts with this fault in it.
    #[must_use]
    pub fn interrupted(self, answer: Answer, fault: StreamFault) -> Answer {
        let stream = answer.stream.map(|stream| stream.with_fault(fault, self.error_part()));
        Answer { stream, ..answer }
    }

    fn refusal_parts(self) -> Vec<String> {
        match self {
            Self::Gemini => gemini::refusal_parts(),
            Self::OpenAi => openai::refusal_parts(),
            Self::Anthropic => anthropic::refusal_parts(),
            Self::Ollama => ollama::refusal_parts(),
            Self::Apertium => Vec::new(),
        }
    }

    fn error_part(self) -> String {
        match self {
            Self::Gemini => gemini::error_part(),
            Self::OpenAi => openai::error_part(),
            Self::Anthropic => anthropic::error_part(),
            Self::Ollama => ollama::error_part(),
            Self::Apertium => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{Form, Item};
    use crate::stream::Streaming;
    use serde_json::json;
    use std::time::Duration;

    const ALL: [Protocol; 4] =
        [Protocol::Gemini, Protocol::OpenAi, Protocol::Anthropic, Protocol::Ollama];
    const PARTS: Wishes = Wishes { parts: true, strict: false };

    fn batch() -> Batch {
        let item = |n: usize| Item { id: n.to_string(), text: format!("text {n}") };
        Batch { items: (0..4).map(item).collect(), form: Form::KeyedJson }
    }

    fn in_parts(protocol: Protocol, outcome: Outcome, wishes: Wishes) -> Option<Answer> {
        let takes = Duration::from_millis(60);
        let decision = Decision { outcome, takes, retry_after: None, variant: 0 };
        protocol.answer_in_parts(&batch(), &decision, wishes, &Script::default())
    }

    fn values(answer: &Answer) -> Vec<Value> {
        let parts = answer.stream.iter().flat_map(|stream| &stream.parts);
        let text: Vec<u8> = parts.flat_map(|(_, part)| part.to_vec()).collect();
        let text = String::from_utf8(text).unwrap();
        let lines = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn text_of(values: &[Value]) -> String {
        let places = [
            "/candidates/0/content/parts/0/text",
            "/choices/0/delta/content",
            "/delta/text",
            "/message/content",
        ];
        let text = |value: &Value| {
            places.iter().find_map(|p| value.pointer(p)?.as_str().map(String::from))
        };
        values.iter().filter_map(text).collect()
    }

    #[test]
    fn the_parts_of_every_protocol_are_what_the_engine_said() {
        for protocol in ALL {
            let answer = in_parts(protocol, Outcome::Ok, PARTS).unwrap();
            let expected =
                r#"{"0":"가«text 0»","1":"가«text 1»","2":"가«text 2»","3":"가«text 3»"}"#;
            assert_eq!(text_of(&values(&answer)), expected, "{protocol:?}");
            let stream = answer.stream.unwrap();
            assert_eq!(stream.parts.len(), 6, "{protocol:?}");
            assert_eq!(stream.parts[5].0, Duration::from_millis(60));
        }
    }

    #[test]
    fn the_end_is_told_as_each_protocol_tells_it() {
        let last = |protocol, outcome| {
            let values = values(&in_parts(protocol, outcome, PARTS).unwrap());
            let reasons = [
                "/candidates/0/finishReason",
                "/promptFeedback/blockReason",
                "/choices/0/finish_reason",
                "/delta/stop_reason",
                "/done_reason",
            ];
            let of = |value: &Value| {
                reasons.iter().find_map(|p| value.pointer(p)?.as_str().map(String::from))
            };
            values.iter().rev().find_map(of).unwrap()
        };
        for (protocol, whole, cut, refused) in [
            (Protocol::Gemini, "STOP", "MAX_TOKENS", "PROHIBITED_CONTENT"),
            (Protocol::OpenAi, "stop", "length", "stop"),
            (Protocol::Anthropic, "end_turn", "max_tokens", "refusal"),
            (Protocol::Ollama, "stop", "length", "stop"),
        ] {
            assert_eq!(last(protocol, Outcome::Ok), whole);
            assert_eq!(last(protocol, Outcome::Truncated), cut);
            assert_eq!(last(protocol, Outcome::Refused), refused);
        }
    }

    #[test]
    fn an_error_and_what_a_schema_rules_out_do_not_come_in_parts() {
        for protocol in ALL {
            assert!(in_parts(protocol, Outcome::Unavailable, PARTS).is_none());
            assert!(in_parts(protocol, Outcome::Ok, Wishes { parts: false, ..PARTS }).is_none());
            let strict = Wishes { strict: true, ..PARTS };
            assert!(in_parts(protocol, Outcome::Ok, strict).is_some());
            for outcome in [Outcome::Dropped, Outcome::Short, Outcome::Shifted] {
                assert!(in_parts(protocol, outcome, PARTS).is_some());
                assert!(in_parts(protocol, outcome, strict).is_none());
            }
        }
        let ignored = Streaming { ignored: true, ..Streaming::default() };
        let script = Script { stream: ignored, ..Script::default() };
        let decision =
            Decision { outcome: Outcome::Ok, takes: Duration::ZERO, retry_after: None, variant: 0 };
        assert!(Protocol::OpenAi.answer_in_parts(&batch(), &decision, PARTS, &script).is_none());
    }

    #[test]
    fn a_request_says_whether_it_wants_parts_and_a_schema() {
        let check = |protocol: Protocol, path: &str, body: Value, parts, strict| {
            let found = protocol.wishes(path, body.to_string().as_bytes());
            assert_eq!(found, Wishes { parts, strict }, "{path} {body}");
        };
        let schema = json!({"type": "object"});
        let generation = json!({"generationConfig": {"responseJsonSchema": schema}});
        check(Protocol::Gemini, "/m:streamGenerateContent", generation, true, true);
        check(Protocol::Gemini, "/m:generateContent", json!({}), false, false);
        let format = json!({"type": "json_schema", "json_schema": {"schema": schema}});
        check(Protocol::OpenAi, "", json!({"stream": true, "response_format": format}), true, true);
        let object = json!({"response_format": {"type": "json_object"}});
        check(Protocol::OpenAi, "", object, false, false);
        let output = json!({"stream": true, "output_config": {"format": {"schema": schema}}});
        check(Protocol::Anthropic, "", output, true, true);
        check(Protocol::Ollama, "", json!({"format": schema}), true, true);
        check(Protocol::Ollama, "", json!({"stream": false, "format": "json"}), false, false);
        assert!(!Protocol::OpenAi.wishes("", b"no json").parts);
    }
}
