//! Engines on this machine: where to look for them, and what an answer means.
//!
//! Pure: `session::detect` asks. What answers at a usual port may be anything,
//! so each engine is known by the form of what it says, not by its port alone.

use serde_json::Value;

use super::Answer;

/// The hosts that are looked at: this machine's, in both families.
pub const HOSTS: [&str; 2] = ["127.0.0.1", "[::1]"];

/// An engine's usual place.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The port that it listens at unless told otherwise.
    pub port: u16,
    /// What to ask it, in this order; where the first has no answer, nobody is there.
    pub paths: &'static [&'static str],
    /// Reads the answers, one for each path.
    read: fn(&[Option<Answer>]) -> Option<Engine>,
}

/// An engine that was recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engine {
    /// The kind that speaks to it.
    pub kind: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its address has after the port.
    pub path: &'static str,
    /// The models that translate.
    pub models: Vec<String>,
    /// The one to begin with.
    pub model: Option<String>,
    /// Calls that it answers at once, where that is not the kind's own to say.
    pub concurrency: Option<u32>,
    /// The tokens of context that a call has.
    pub context_tokens: Option<u32>,
}

/// All usual places, in the order in which they are offered.
pub const PLACES: &[Place] = &[
    Place { port: 11434, paths: &["/", "/api/tags"], read: ollama },
    Place { port: 1234, paths: &["/v1/models"], read: model_server },
    Place { port: 8080, paths: &["/health", "/v1/models", "/props"], read: llama_cpp },
    Place { port: 8000, paths: &["/v1/models"], read: model_server },
    Place { port: 5000, paths: &["/languages"], read: libretranslate },
    Place { port: 2737, paths: &["/listPairs"], read: apertium },
];

impl Place {
    /// Returns the engine that gave these answers, one for each path.
    #[must_use]
    pub fn recognise(&self, answers: &[Option<Answer>]) -> Option<Engine> {
        (self.read)(answers)
    }
}

/// Returns a name for the settings that is free: that of the engine, with a
/// number where it is taken.
#[must_use]
pub fn free_name(title: &str, taken: impl Fn(&str) -> bool) -> String {
    let letters = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let plain: String = title.chars().map(letters).collect();
    let numbered = (2..u32::MAX).map(|n| format!("{plain}-{n}"));
    let mut names = std::iter::once(plain.clone()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or(plain)
}

fn ollama(answers: &[Option<Answer>]) -> Option<Engine> {
    let root = good(answers, 0)?;
    if !String::from_utf8_lossy(&root.body).contains("Ollama is running") {
        return None;
    }
    let tags = json(answers, 1).unwrap_or_default();
    let models = names(&tags["models"], "name");
    // These run at the maker's, and the page's text would go there.
    let runs_here = |name: &&String| !name.ends_with("-cloud") && !name.ends_with(":cloud");
    let model = models.iter().find(runs_here).cloned();
    let found = Engine { kind: "ollama", title: "Ollama", models, model, ..Engine::default() };
    Some(Engine { concurrency: Some(1), ..found })
}

/// Many programs listen at 8080, so both its health and its models must fit.
fn llama_cpp(answers: &[Option<Answer>]) -> Option<Engine> {
    let health = json(answers, 0)?;
    if health["status"] != "ok" {
        return None;
    }
    let found = model_server(answers.get(1..)?)?;
    let props = json(answers, 2).unwrap_or_default();
    let slots = small(&props["total_slots"]).unwrap_or(1);
    // The window is shared out among the slots.
    let window = small(&props["default_generation_settings"]["n_ctx"]);
    Some(Engine {
        title: "llama.cpp",
        concurrency: Some(slots),
        context_tokens: window.map(|window| window / slots).filter(|tokens| *tokens > 0),
        ..found
    })
}

/// A server of chat completions that does not say which.
const LOCAL: &str = "Local server";

/// Reads a list of models in the form of `OpenAI`'s; who owns them tells the server.
fn model_server(answers: &[Option<Answer>]) -> Option<Engine> {
    let list = json(answers, 0)?;
    if list["object"] != "list" {
        return None;
    }
    let models = names(&list["data"], "id");
    let owner = list["data"][0]["owned_by"].as_str().unwrap_or_default();
    let title = match owner {
        "vllm" => "vLLM",
        "me" => "llama-cpp-python",
        "llamacpp" => "llama.cpp",
        "organization_owner" => "LM Studio",
        _ => LOCAL,
    };
    Some(Engine {
        kind: "openai",
        title,
        path: "/v1",
        model: models.first().cloned(),
        models,
        concurrency: Some(1),
        context_tokens: small(&list["data"][0]["max_model_len"]),
    })
}

fn libretranslate(answers: &[Option<Answer>]) -> Option<Engine> {
    let list = json(answers, 0)?;
    let languages = list.as_array().filter(|list| !list.is_empty())?;
    let fits = |language: &Value| language["code"].is_string() && language["name"].is_string();
    let found = Engine { kind: "libretranslate", title: "LibreTranslate", ..Engine::default() };
    languages.iter().all(fits).then_some(found)
}

fn apertium(answers: &[Option<Answer>]) -> Option<Engine> {
    let list = json(answers, 0)?;
    let pairs = list["responseData"].as_array()?;
    let fits =
        |pair: &Value| pair["sourceLanguage"].is_string() && pair["targetLanguage"].is_string();
    let found = Engine { kind: "apertium", title: "Apertium", ..Engine::default() };
    pairs.iter().all(fits).then_some(found)
}

fn good(answers: &[Option<Answer>], at: usize) -> Option<&Answer> {
    answers.get(at)?.as_ref().filter(|answer| answer.status == 200 && !answer.oversize)
}

fn json(answers: &[Option<Answer>], at: usize) -> Option<Value> {
    serde_json::from_slice(&good(answers, at)?.body).ok()
}

/// What the reader could choose from; more than this nobody has loaded.
const MOST_MODELS: usize = 200;

/// Returns the names of a list's models, without those that translate nothing.
fn names(list: &Value, field: &str) -> Vec<String> {
    let all = list.as_array().into_iter().flatten().filter_map(|model| model[field].as_str());
    let translates = |name: &&str| {
        let lower = name.to_lowercase();
        !name.is_empty()
            && name.len() <= 200
            && !lower.contains("embed")
            && !lower.contains("rerank")
    };
    all.filter(translates).take(MOST_MODELS).map(str::to_owned).collect()
}

/// Reads a count that makes sense.
fn small(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
