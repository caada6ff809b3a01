//! Every `reason` of a [`crate::verdict::Reading`], and what a reader does about it.

/// The reasons and the advice, in English. Append-only: the popup and `doctor`
/// know them by name.
pub const REASONS: &[(&str, &str)] = &[
    // Set-up: only the reader can mend it.
    ("bad_key", "The key was not accepted. Enter it again, or make a new one."),
    ("key_leaked", "The provider locked this key because it became public. Make a new one."),
    ("key_restricted", "The key may not be used from this program. Remove its restrictions."),
    ("api_disabled", "The API is not switched on for the key's project. Switch it on there."),
    ("forbidden", "The key may not do this. Check its rights at the provider."),
    ("ip", "The provider does not accept this network address. Check the project's list."),
    ("region", "The provider does not serve this country. Choose another provider."),
    ("region_billing", "The free tier is not offered in this country. Enable billing there."),
    ("no_credit", "The account has no credit left. Add credit, or choose another provider."),
    ("spend_limit", "The spending limit of the account or key is reached. Raise it there."),
    ("model_gone", "The model does not exist or is not open to this key. Choose another one."),
    ("model_not_in_tier", "The model is not part of this key's tier. Choose another model."),
    ("no_model_loaded", "The local server has no model loaded. Load one there."),
    ("local_model_crashed", "The model crashed in the local server. Load it again."),
    ("language_pair", "This pair of languages is not installed at the provider."),
    ("model_not_pulled", "The local server does not have this model. Pull it there first."),
    ("need_key", "This server wants a key. Get one from its operator, and enter it."),
    ("billing", "The API wants billing to be enabled for the key's project."),
    ("bad_base_url", "The address is not that of the API. Check base_url and its path."),
    ("bug", "The provider did not understand the request. Please report this."),
    // The way there: tried again after some minutes.
    ("captive_portal", "A log-in page of the network answered. Log in to the network first."),
    ("proxy_auth", "The proxy asks for a log-in. Set it up in the system's proxy settings."),
    ("tls", "The certificate could not be checked. Check the clock and the network."),
    ("refused", "Nobody answers at this address. Start the server, or check base_url."),
    ("dns", "The name of the server was not found. Check the connection."),
    ("broken", "The connection broke. It is tried again."),
    ("timeout", "No answer came in time. It is tried again."),
    ("undecodable", "The answer could not be decoded. It is tried again."),
    // Pauses and quotas: waiting helps.
    ("rpm", "The limit for a minute is reached. It goes on by itself."),
    ("slow_down", "The provider asks to go slower. It goes on by itself."),
    ("overloaded", "The provider is overloaded. It goes on by itself."),
    ("loading", "The model is being loaded. It goes on by itself."),
    ("ip_blocked", "The provider took us for a robot. It is left alone for a while."),
    ("in_flight_budget", "The budget for calls at once is used up. It goes on by itself."),
    ("spend_10min", "The spending limit for ten minutes is reached. It goes on by itself."),
    ("rpd", "The quota of the day is used up. Wait for the next one, or choose another model."),
    ("hourly", "The quota of the hour is used up. It goes on by itself."),
    ("monthly", "The quota of the month is used up. Choose another provider until then."),
    ("spend_cap", "The spending cap is reached until the date that the provider names."),
    ("long_wait", "The provider asks for a long pause. It goes on by itself."),
    // The content.
    ("safety", "The provider's safety filter refused this text."),
    ("prohibited_content", "The provider does not translate this content."),
    ("blocklist", "The text has a word that the provider blocks."),
    ("recitation", "The provider refused to repeat a known text."),
    ("spii", "The provider saw personal data and refused."),
    ("language", "The provider does not support this language."),
    ("other", "The provider refused this text without a reason."),
    ("content_filter", "The provider's content filter refused this text."),
    ("invalid_prompt", "The provider flagged this text."),
    ("moderation", "The provider's moderation refused this text."),
    ("refusal", "The model refused to translate this text."),
    ("refusal_prose", "The model refused in words instead of translating."),
    // The reply.
    ("not_json", "The reply was not in the form that was asked for."),
    ("wrong_shape", "The reply is not what this API answers. Check kind and base_url."),
    ("too_big", "The reply was absurdly long."),
    ("unclosed_think", "The reply ended while the model was still thinking."),
    ("one_based", "The reply's numbers were shifted by one."),
    ("extra_ids", "The reply had texts that nobody asked for."),
    ("duplicate_id", "The reply had a number twice."),
    ("tail_missing_shift", "The reply lost texts and shifted the others."),
    ("wrong_count", "The reply had another number of texts."),
    ("missing_ids", "Some texts were missing in the reply."),
    ("rejected_items", "The reply's texts cannot be translations."),
    ("untranslated", "The reply repeated the texts untranslated."),
    ("stream_cut", "The reply broke off."),
    // Local models, and longer quotas.
    ("no_memory", "The model needs more memory than this machine has free. Choose a smaller one."),
    ("not_a_chat_model", "This model does not answer messages. Choose another one."),
    ("weekly", "The quota of the week is used up. Choose another provider until then."),
    // Translation engines.
    ("token_expired", "The access token has run out. Make a new one, and enter it as the key."),
    ("wrong_host", "The key belongs to another address of the provider. Check base_url."),
    ("key_or_region", "The key was not accepted in this region. Check the key and `region`."),
    ("keyless_blocked", "The unofficial endpoint refuses us. Choose another provider."),
    ("keyless_endpoint_gone", "The unofficial endpoint is no more. Choose another provider."),
    (
        "app_quota",
        "The quota of the application is used up. If it never worked, the API is not ticked for \
         the application in the provider's console.",
    ),
    ("banned", "The server has banned us for a while after too many calls. It goes on by itself."),
];

/// Returns what the reader can do, in English; empty for an unknown reason.
#[must_use]
pub fn advice(reason: &str) -> &'static str {
    REASONS.iter().find(|(name, _)| *name == reason).map_or("", |(_, advice)| *advice)
}
