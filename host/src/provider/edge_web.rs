//! The translator of Microsoft's browser, without a key: an endpoint that is
//! not offered to programs, used only when the reader has agreed to that.
//!
//! A plain list of texts goes there, the answer is Azure's. It takes every text
//! for HTML.

use serde_json::json;

use super::azure;
use super::codes::MICROSOFT;
use super::engine::{self, Sent};
use super::rules::Context;
use crate::provider::{Ask, Capacity, Config, Provider, Request, Response};
use crate::verdict::{Failure, Reading};

/// What one call was seen to take.
const MOST_TEXTS: usize = 1000;
const MOST_CHARS: usize = 5_000;

/// Edge's translator.
#[derive(Debug)]
pub struct EdgeWeb {
    config: Config,
}

impl EdgeWeb {
    /// Returns the provider for a checked configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Provider for EdgeWeb {
    fn build(&self, ask: &Ask) -> Result<Request, Failure> {
        let (source, target) = MICROSOFT.pair(ask)?;
        let sent = Sent::new(ask, &azure::FORM).always_markup();
        sent.within(MOST_TEXTS, MOST_CHARS)?;
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("from", source.as_deref().unwrap_or_default())
            .append_pair("to", &target)
            .append_pair("isEnterpriseClient", "false")
            .finish();
        let url = engine::below(&self.config, "/translate/translatetext");
        Ok(engine::post(format!("{url}?{query}"), [], &json!(sent.texts)))
    }

    fn parse(&self, ask: &Ask, response: &Response) -> Reading {
        let context = Context::of(&self.config, ask);
        let sent = Sent::new(ask, &azure::FORM).always_markup();
        engine::keyless(sent.parse(response, &context, azure::items), response)
    }

    /// Small and few calls: nobody has promised us any. Entities and tags count
    /// as characters, so there is room for some. Each text is translated by
    /// itself, and again it would be the same: a copy is believed.
    fn capacity(&self) -> Capacity {
        Capacity { chars: 4_000, concurrency: 2, ..Capacity::ENGINE }
    }
}

#[cfg(test)]
#[path = "edge_web_tests.rs"]
mod tests;
