//! Google's Cloud Translation: version 2 with an API key, version 3 where the
//! settings name a project; its key is an OAuth access token.
//!
//! Source: cloud.google.com/translate/docs/reference/rest. The key goes into a
//! header, never into the address, which ends up in logs.

use serde_json::{Value, json};

use super::codes::GOOGLE;
use super::engine::{self, Sent};
use super::html::{Form, Shape};
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, HeaderValue, Provider, Request, Response, address};
use crate::verdict::{Failure, Reading};

/// The form that Chrome's page translation sends; other tags end a sentence.
pub(super) const FORM: Form =
    Form { shape: Shape::Unquoted("a", "i"), strokes: false, escapes: true, decodes: true };

/// Version 2 takes so many texts, and bytes of a body.
const MOST_TEXTS: usize = 128;
const MOST_BYTES: usize = 100 * 1000;
/// Version 3 takes so many texts, and code points.
const MOST_TEXTS_V3: usize = 1024;
const MOST_CHARS_V3: usize = 30_000;

/// Cloud Translation.
#[derive(Debug)]
pub struct GoogleCloud {
    config: Config,
}

impl GoogleCloud {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    fn version_2(
        &self,
        key: Option<String>,
        ask: &Ask,
        sent: &Sent<'_>,
    ) -> Result<Request, Failure> {
        let (source, target) = GOOGLE.pair(ask)?;
        sent.within(MOST_TEXTS, MOST_BYTES)?;
        let format = if sent.markup { "html" } else { "text" };
        let mut body = json!({"q": sent.texts, "target": target, "format": format});
        if let Some(source) = source {
            body["source"] = json!(source);
        }
        let url = engine::below(&self.config, "/language/translate/v2");
        let request = engine::post(url, engine::secret("x-goog-api-key", "", key), &body);
        if request.body.len() <= MOST_BYTES { Ok(request) } else { Err(Failure::TooLong) }
    }

    fn version_3(
        &self,
        project: &str,
        key: Option<String>,
        ask: &Ask,
        sent: &Sent<'_>,
    ) -> Result<Request, Failure> {
        let (source, target) = GOOGLE.pair(ask)?;
        sent.within(MOST_TEXTS_V3, MOST_CHARS_V3)?;
        let kind = if sent.markup { "text/html" } else { "text/plain" };
        let mut body =
            json!({"contents": sent.texts, "targetLanguageCode": target, "mimeType": kind});
        if let Some(source) = source {
            body["sourceLanguageCode"] = json!(source);
        }
        let location = self.config.location.as_deref().map(str::trim).filter(|at| !at.is_empty());
        let path = format!(
            "/v3/projects/{}/locations/{}:translateText",
            address::encoded(project),
            address::encoded(location.unwrap_or("global")),
        );
        // A token of a person has no project of its own to count against.
        let billed = ("x-goog-user-project", HeaderValue::Plain(project.to_owned()));
        let headers = engine::secret("authorization", "Bearer ", key).into_iter().chain([billed]);
        Ok(engine::post(engine::below(&self.config, &path), headers, &body))
    }

    fn project(&self) -> Option<&str> {
        self.config.project.as_deref().map(str::trim).filter(|project| !project.is_empty())
    }
}

impl Provider for GoogleCloud {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let key = address::key(&self.config)?;
        let sent = Sent::new(ask, &FORM);
        match self.project() {
            Some(project) => self.version_3(project, key, ask, &sent),
            None => self.version_2(key, ask, &sent),
        }
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context { pacific: true, ..Context::of(&self.config, ask) };
        Sent::new(ask, &FORM).parse(response, &context, |values, _| {
            let list = |path| values.first().and_then(|value: &Value| value.pointer(path));
            let found = list("/data/translations").or_else(|| list("/translations"));
            engine::members(found, "translatedText")
        })
    }

    /// Google advises 5,000 characters a call, which is well within 100 KB.
    /// Each text is translated by itself, and again it would be the same: a
    /// copy is believed.
    fn capacity(&self) -> Capacity {
        Capacity { segments: MOST_TEXTS, chars: 5_000, ..Capacity::ENGINE }
    }
}

#[cfg(test)]
#[path = "google_cloud_tests.rs"]
mod tests;
