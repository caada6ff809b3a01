//! The kinds of providers: what each needs to be set up, in the order in which
//! they are offered.

/// What a kind needs to know of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// A key, except on this machine.
    Needed,
    /// A key where the server's operator wants one.
    Optional,
    /// None.
    Unused,
}

/// A kind of provider.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name in the settings.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The address of its own service; empty where there is no address.
    pub base_url: &'static str,
    /// The model that is used unless told otherwise; empty where there are none.
    pub model: &'static str,
    /// Whether it has models to choose from.
    pub has_model: bool,
    /// Whether it wants a key.
    pub key: KeyUse,
    /// The settings beside address, model and key that it knows.
    pub fields: &'static [&'static str],
    /// For an endpoint that is not offered to programs: what the reader agrees to.
    pub terms: Option<&'static str>,
}

const NONE: Kind = Kind {
    name: "",
    title: "",
    base_url: "",
    model: "",
    has_model: false,
    key: KeyUse::Needed,
    fields: &[],
    terms: None,
};

/// All kinds.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "gemini",
        title: "Google Gemini",
        base_url: "https://generativelanguage.googleapis.com",
        model: "gemini-3.5-flash-lite",
        has_model: true,
        ..NONE
    },
    Kind {
        name: "openai",
        title: "OpenAI and compatible servers",
        base_url: "https://api.openai.com/v1",
        model: "gpt-5.4-nano",
        has_model: true,
        ..NONE
    },
    Kind {
        name: "anthropic",
        title: "Anthropic Claude",
        base_url: "https://api.anthropic.com",
        model: "claude-haiku-5-5",
        has_model: true,
        ..NONE
    },
    Kind {
        name: "ollama",
        title: "Ollama",
        base_url: "http://127.0.0.1:11434",
        has_model: true,
        key: KeyUse::Optional,
        fields: &["context_tokens"],
        ..NONE
    },
    Kind { name: "deepl", title: "DeepL", base_url: "https://api.deepl.com", ..NONE },
    Kind {
        name: "google-cloud",
        title: "Google Cloud Translation",
        base_url: "https://translation.googleapis.com",
        fields: &["project", "location"],
        ..NONE
    },
    Kind {
        name: "azure",
        title: "Azure Translator",
        base_url: "https://api.cognitive.microsofttranslator.com",
        fields: &["region"],
        ..NONE
    },
    Kind {
        name: "libretranslate",
        title: "LibreTranslate",
        base_url: "http://127.0.0.1:5000",
        key: KeyUse::Optional,
        ..NONE
    },
    Kind {
        name: "apertium",
        title: "Apertium",
        base_url: "http://127.0.0.1:2737",
        key: KeyUse::Unused,
        ..NONE
    },
    Kind { name: "papago", title: "Papago", base_url: "https://papago.apigw.ntruss.com", ..NONE },
    Kind {
        name: "yandex",
        title: "Yandex Translate",
        base_url: "https://translate.api.cloud.yandex.net",
        fields: &["folder"],
        ..NONE
    },
    Kind {
        name: "google-web",
        title: "Google Translate without a key",
        base_url: "https://translate.googleapis.com",
        key: KeyUse::Unused,
        terms: Some(
            "Unofficial: Google does not offer this endpoint to programs, and may block or end it \
             at any time. The text of the pages that you translate goes to Google.",
        ),
        ..NONE
    },
    Kind {
        name: "edge-web",
        title: "Microsoft Edge's translator without a key",
        base_url: "https://edge.microsoft.com",
        key: KeyUse::Unused,
        terms: Some(
            "Unofficial: Microsoft offers this endpoint to its browser only, and may block or end \
             it at any time. The text of the pages that you translate goes to Microsoft.",
        ),
        ..NONE
    },
    Kind { name: "sample", title: "Sample (marks, no translation)", key: KeyUse::Unused, ..NONE },
];

/// Returns the kind of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_addresses_are_addresses() {
        for kind in KINDS {
            assert_eq!(KINDS.iter().filter(|other| other.name == kind.name).count(), 1);
            let address = url::Url::parse(kind.base_url);
            assert!(kind.name == "sample" || address.is_ok(), "{}", kind.name);
            assert!(kind.has_model || kind.model.is_empty(), "{}", kind.name);
        }
    }
}
