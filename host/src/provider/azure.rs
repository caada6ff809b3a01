//! Microsoft's Azure Translator, version 3.
//!
//! Source: learn.microsoft.com/azure/ai-services/translator. Keys of a resource
//! in a region are accepted together with the region's name only.

use serde_json::{Value, json};

use super::body::Stream;
use super::codes::MICROSOFT;
use super::engine::{self, Sent};
use super::html::{Form, Shape};
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response, address};
use crate::verdict::{Failure, Reading};

/// Microsoft's aligner keeps tags with the number in the name, and a closing
/// tag then says what it closes wherever it lands.
pub(super) const FORM: Form =
    Form { shape: Shape::Named("b"), strokes: false, escapes: true, decodes: true };

/// The service's own limits in one call.
const MOST_TEXTS: usize = 1000;
const MOST_CHARS: usize = 50_000;

/// Azure Translator.
#[derive(Debug)]
pub struct Azure {
    config: Config,
}

impl Azure {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// Resources with a host of their own have the service below a path.
    fn url(&self) -> String {
        let own = address::is_host(&self.config.base_url, "cognitiveservices.azure.com");
        let path = if own { "/translator/text/v3.0/translate" } else { "/translate" };
        engine::below(&self.config, path)
    }
}

impl Provider for Azure {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let (source, target) = MICROSOFT.pair(ask)?;
        let sent = Sent::new(ask, &FORM);
        sent.within(MOST_TEXTS, MOST_CHARS)?;
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("api-version", "3.0").append_pair("to", &target);
        query.append_pair("textType", if sent.markup { "html" } else { "plain" });
        if let Some(source) = source {
            query.append_pair("from", &source);
        }
        let region = self.config.region.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let region = region.map(|name| HeaderValue::Plain(name.to_owned()));
        let headers = engine::secret("ocp-apim-subscription-key", "", key)
            .into_iter()
            .chain(region.map(|name| ("ocp-apim-subscription-region", name)));
        let texts: Value = sent.texts.iter().map(|text| json!({"Text": text})).collect();
        Ok(engine::post(format!("{}?{}", self.url(), query.finish()), headers, &texts))
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let mut reading = Sent::new(ask, &FORM).parse(response, &context, items);
        if let Response::Answer(answer) = response {
            let metered = answer.header("x-metered-usage");
            reading.usage.characters = metered.and_then(|count| count.trim().parse().ok());
        }
        reading
    }

    /// The service takes 1,000 texts and 50,000 characters, but it bills
    /// characters and not calls, and smaller calls come back sooner. Each text
    /// is translated by itself, and again it would be the same: a copy is
    /// believed.
    fn capacity(&self) -> Capacity {
        Capacity { segments: 100, ..Capacity::ENGINE }
    }
}

/// Finds the translations in Microsoft's answer: one list, an entry for each text.
pub(super) fn items(values: &[Value], stream: Stream) -> Option<Vec<Option<String>>> {
    let shaped = stream == Stream::Yes && values.iter().all(Value::is_object);
    let item = |entry: &Value| engine::text(entry.pointer("/translations/0/text"));
    shaped.then(|| values.iter().map(item).collect())
}

#[cfg(test)]
#[path = "azure_tests.rs"]
mod tests;
