//! The ordered table of [`super::rules`]. The first rule that fits decides.

use std::ops::RangeInclusive;

use super::rules::{Rule, Seen};
use crate::verdict::{Class, Feature};

type Statuses = &'static [RangeInclusive<u16>];
type Words = &'static [&'static str];

/// Errors in good answers have the status zero when they name none.
const UNNAMED: RangeInclusive<u16> = 0..=0;
/// What a server says that does not know a part of the request: some say 500.
const FEATURE: Statuses = &[UNNAMED, 400..=400, 404..=404, 422..=422, 500..=501];
/// Statuses that name a fault in the request itself.
const OURS: Statuses = &[400..=400, 406..=406, 411..=412, 415..=417, 422..=422, 431..=431];
/// Statuses that come with a used-up quota.
const PAUSING: Statuses = &[UNNAMED, 402..=403, 429..=429, 498..=498, 503..=503, 529..=529];

const fn rule(class: Class, reason: &'static str, statuses: Statuses, words: Words) -> Rule {
    Rule { class, reason, feature: None, statuses, words, test: None }
}

const fn feature(feature: Feature, words: Words) -> Rule {
    let feature = Some(feature);
    Rule { class: Class::FeatureError, reason: "", feature, statuses: FEATURE, words, test: None }
}

const fn when(rule: Rule, test: fn(&Seen<'_>) -> bool) -> Rule {
    Rule { test: Some(test), ..rule }
}

use Class::{Blocked, ConfigError, QuotaExhausted, RateLimited, TooLarge, Transient, Truncated};

/// All rules, in order. One rule a line, as far as it fits: rustfmt would give
/// every word its own.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // Web pages instead of an API.
    when(
        rule(RateLimited, "ip_blocked", &[], &[
            "captcha-form", "unusual traffic", "/sorry/", "we're sorry", "g-recaptcha",
        ]),
        |seen| seen.html || (300..400).contains(&seen.status),
    ),
    rule(ConfigError, "proxy_auth", &[407..=407], &[]),
    rule(ConfigError, "captive_portal", &[511..=511], &[]),
    rule(ConfigError, "bad_base_url", &[300..=399], &[]),
    when(
        rule(ConfigError, "captive_portal", &[200..=299], &[
            "http-equiv='refresh'", "http-equiv=\"refresh\"", "http-equiv=refresh", "captive",
            "wifi", "wi-fi", "hotspot", "log in", "login",
        ]),
        |seen| seen.html,
    ),
    when(
        rule(ConfigError, "bad_base_url", &[200..=299, 404..=405, 410..=410], &[]),
        |seen| seen.html,
    ),
    when(rule(ConfigError, "region", &[403..=403, 451..=451], &[
        "country", "region", "territory", "request not allowed",
    ]), |seen| seen.html),
    when(rule(ConfigError, "forbidden", &[403..=403], &[]), |seen| seen.html),
    when(rule(Transient, "", &[500..=502, 504..=510, 512..=528, 530..=599], &[]), |seen| seen.html),
    // Money: waiting does not help, or only until a date.
    rule(RateLimited, "spend_10min", &[], &["spend based rate limit"]),
    when(rule(ConfigError, "model_not_in_tier", &[], &[]), limit_is_zero),
    rule(QuotaExhausted, "spend_cap", &[], &["enforced_spend_limit", "regain access on"]),
    when(rule(RateLimited, "in_flight_budget", &[402..=402], &[]), |seen| seen.retry_after),
    rule(ConfigError, "spend_limit", &[], &[
        "spend_limit", "usage_limit_exceeded", "key limit exceeded", "spending limit",
        "spend limit", "spending cap", "hard_limit", "hard limit",
    ]),
    rule(ConfigError, "no_credit", &[], &[
        "insufficient_quota", "insufficient quota", "credit_balance", "credit balance",
        "insufficient balance", "insufficient_balance", "insufficient credits",
        "insufficient_credits", "insufficient funds", "requires more credits", "out of credits",
        "no credits", "prepay", "payment required", "payment_required", "negative balance",
        "account balance", "billing_error", "billing_not_active", "exceeded_current_quota",
    ]),
    rule(ConfigError, "no_credit", &[402..=402], &[]),
    // Size: smaller requests pass, waiting does not help.
    rule(Truncated, "", &[500..=500], &["context size has been exceeded"]),
    rule(TooLarge, "", &[413..=414], &[]),
    rule(TooLarge, "", &[], &[
        "context_length", "context length", "maximum context", "context size", "context window",
        "exceed_context", "request too large", "request_too_large", "payload too large",
        "entity too large", "payload size exceeds", "body too large", "prompt is too long",
        "prompt too long", "input is too long", "input too long", "text is too long",
        "text too long", "too many tokens", "input token count", "number of tokens allowed",
        "maximum number of tokens", "text limit", "too many text segments", "too many segments",
        "tokens must be reduced", "reduce the length", "string_above_max_length",
        "string too long", "n_ctx", "request size has been exceeded", "exceeds max length",
        "elements in the request is too large", "exceeds the model's context",
    ]),
    when(rule(TooLarge, "", &[], &["requested"]), requested_more_than_the_limit),
    // The content.
    feature(Feature::Safety, &["safety_setting", "safetysetting", "block_none", "harm_category"]),
    rule(Blocked, "prohibited_content", &[], &[
        "prohibited_content", "prohibited content", "prohibitedcontent",
    ]),
    rule(Blocked, "content_filter", &[], &[
        "content_filter", "content filter", "contentfilter", "content management policy",
        "content_policy", "content policy", "responsibleai", "responsible ai", "safety system",
        "safety filter", "blocked by safety", "blocked: prompt", "blockedreason", "blockreason",
        "data_inspection", "datainspection", "sensitive content", "inappropriate content",
        "content exists risk", "usage guidelines",
    ]),
    rule(Blocked, "invalid_prompt", &[], &["invalid_prompt", "usage policy", "usage policies"]),
    rule(Blocked, "moderation", &[], &["was flagged", "moderation", "flagged as", "been flagged"]),
    // Parts of the request that the model or engine does not know.
    feature(Feature::Glossary, &["glossary", "glossaries"]),
    feature(Feature::Markup, &[
        "tag handling", "tag_handling", "tag-handling", "malformed xml", "invalid xml",
        "well-formed xml", "malformed html", "invalid html",
    ]),
    feature(Feature::CachedContent, &["cached content", "cached_content", "cachedcontent"]),
    feature(Feature::Prefill, &["message prefill", "response prefill", "prefill is not"]),
    feature(Feature::Stream, &[
        "stream_options", "\nstream\n", "'stream'", "\"stream\"", "`stream`", "stream=true",
        "stream this model", "stream is not supported", "streaming is not", "streaming not",
        "support streaming", "combined with streaming",
    ]),
    feature(Feature::Thinking, &[
        "thinking", "reasoning_effort", "reasoning effort", "reasoning.effort", "\"reasoning\"",
        "'reasoning'", "`reasoning`", "reasoning is ", "support reasoning", "chat_template_kwargs",
        "think value", "output_config.effort", "effort parameter",
    ]),
    feature(Feature::Temperature, &["temperature", "top_p"]),
    feature(Feature::MaxTokens, &[
        "max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max tokens",
    ]),
    feature(Feature::Stream, &[
        "stream_options", "streaming is not", "not support stream", "'stream'", "\"stream\"",
    ]),
    feature(Feature::JsonMode, &[
        "must be 'json_schema'", "'json_object' is not", "json_object is not",
        "json mode is not",
    ]),
    feature(Feature::JsonSchema, &[
        "response_format", "responseformat", "response format", "json_schema", "jsonschema",
        "json schema", "responseschema", "response_schema", "schema", "grammar",
        "structured output", "structured_output", "responsemimetype", "response_mime_type",
        "output_config", "output_format", "output format", ".format of type",
        "json mode", "json_object", "requested parameters", "json_validate_failed",
    ]),
    // Faults of set-up that call themselves by name, whatever the status.
    rule(ConfigError, "key_leaked", &[], &["reported as leaked", "key was leaked"]),
    rule(ConfigError, "key_restricted", &[], &[
        "referrer_blocked", "ip_address_blocked", "android_app_blocked", "ios_app_blocked",
        "api_key_service_blocked", "requests from referer",
    ]),
    rule(ConfigError, "api_disabled", &[], &[
        "service_disabled", "accessnotconfigured", "has not been used in project",
    ]),
    rule(ConfigError, "wrong_host", &[], &["wrong endpoint"]),
    rule(ConfigError, "key_or_region", &[401..=401, 403..=403], &[
        "wrong api endpoint", "regional api endpoint",
    ]),
    rule(ConfigError, "token_expired", &[401..=401, 403..=403], &[
        "invalid authentication credentials", "expected oauth 2", "token is invalid",
        "token is expired", "token has expired", "token expired", "expired token",
    ]),
    rule(ConfigError, "bad_key", &[], &[
        "api_key_invalid", "api key not valid", "api key expired", "api_key_expired",
        "invalid_api_key", "incorrect api key", "invalid api key", "invalid api-key",
        "invalid x-api-key", "authentication_error", "authentication fails", "no auth credentials",
        "credentials_missing", "access_token_expired",
    ]),
    rule(ConfigError, "region_billing", &[], &["free tier is not available"]),
    rule(ConfigError, "region", &[], &[
        "location is not supported", "unsupported_country", "not available in your country",
        "not supported in your country", "not available in your region",
    ]),
    rule(ConfigError, "ip", &[], &[
        "ip_not_authorized", "ip that is not authorized", "ip address is not allowed",
    ]),
    rule(ConfigError, "no_model_loaded", &[], &[
        "no models loaded", "no model loaded", "no model is loaded",
    ]),
    rule(ConfigError, "local_model_crashed", &[], &["model has crashed"]),
    rule(ConfigError, "no_memory", &[], &[
        "requires more system memory", "insufficient system resources",
    ]),
    rule(ConfigError, "not_a_chat_model", &[], &["does not support chat", "not a chat model"]),
    rule(ConfigError, "model_not_pulled", &[], &["try pulling it first"]),
    when(rule(ConfigError, "model_not_pulled", &[404..=404], &["not found"]), names_the_model),
    rule(ConfigError, "need_key", &[], &["to get an api key"]),
    rule(ConfigError, "billing", &[], &["requires billing"]),
    rule(ConfigError, "model_gone", &[UNNAMED, 400..=404, 410..=410, 422..=422], &[
        "model_not_found", "model not found", "model_not_available", "invalid_model",
        "invalid model", "unknown model", "not a valid model", "is not found for api version",
        "does not have access to model", "does not exist", "no longer available", "decommissioned",
        "model not exist", "is not supported for generatecontent", "no endpoints found",
    ]),
    when(rule(ConfigError, "model_gone", &[404..=404], &["model"]), |seen| !seen.html),
    rule(ConfigError, "language_pair", &[UNNAMED, 400..=400, 404..=404, 422..=422], &[
        "pair is invalid", "pair is not installed", "not installed", "language pair",
        "target language", "target_language", "source language", "source_language",
        "target_lang", "source_lang", "unsupported language", "is not supported as",
        "source-to-target", "n2mt02", "n2mt04", "n2mt05", "n2mt06",
    ]),
    when(rule(ConfigError, "language_pair", &[400..=400], &[
        "is not supported", "invalid value",
    ]), names_only_a_language),
    rule(ConfigError, "bad_base_url", &[], &[
        "unexpected endpoint", "returning 200 anyway", "unknown request url", "invalid url",
    ]),
    // Quotas, then pauses.
    when(rule(Transient, "", &[503..=503], &[]), |seen| seen.context.slow_503),
    rule(QuotaExhausted, "rpd", PAUSING, &[
        "perday", "per day", "per 1 day", "per-day", "per_day", "dailylimit", "daily limit", "daily quota",
        "daily_limit", "(rpd)", "(tpd)", "requests_per_day", "today",
    ]),
    rule(QuotaExhausted, "hourly", PAUSING, &[
        "per hour", "perhour", "per-hour", "per 1 hour", "hourly",
    ]),
    rule(QuotaExhausted, "weekly", PAUSING, &["per week", "weekly"]),
    rule(QuotaExhausted, "monthly", PAUSING, &[
        "free quota", "per month", "permonth", "per-month", "monthly",
    ]),
    rule(QuotaExhausted, "monthly", &[456..=456], &[]),
    when(rule(QuotaExhausted, "app_quota", &[429..=429], &["quota exceed"]), is_bare_quota),
    rule(QuotaExhausted, "banned", &[403..=403, 429..=429], &[
        "limits violations", "been banned", "is banned",
    ]),
    rule(RateLimited, "loading", &[], &[
        "loading model", "model is loading", "model is currently loading", "warming up",
        "is being prepared",
    ]),
    rule(RateLimited, "slow_down", &[], &[
        "slow_down", "slow down", "slowdown", "increasing too fast",
    ]),
    rule(RateLimited, "rpm", PAUSING, &[
        "perminute", "per minute", "per-min", "per min", "(rpm)", "(tpm)",
    ]),
    rule(RateLimited, "overloaded", &[], &[
        "overloaded", "high demand", "capacity exceeded", "capacity_exceeded", "over capacity",
        "at capacity", "no available model provider", "server is busy", "queue is full",
        "server busy",
    ]),
    rule(RateLimited, "overloaded", &[498..=498, 503..=503, 529..=529], &[]),
    rule(RateLimited, "", &[429..=429], &[]),
    rule(RateLimited, "", &[], &[
        "rate limit", "rate_limit", "rate-limit", "ratelimit", "resource_exhausted",
        "resource exhausted", "resource has been exhausted", "too many requests",
        "too_many_requests", "throttl", "quota exceeded", "quotaexceeded", "quota_exceeded",
    ]),
    // What passes by itself.
    rule(Transient, "", OURS, &["model was unloaded", "model unloaded"]),
    rule(Transient, "", &[100..=199, 408..=409, 425..=425, 499..=499, 500..=599], &[]),
    // What is left of the 4xx: only the reader, or we, can mend it.
    rule(ConfigError, "bad_key", &[401..=401], &[]),
    rule(ConfigError, "region", &[403..=403, 451..=451], &[
        "country", "region", "territory", "request not allowed",
    ]),
    rule(ConfigError, "region", &[451..=451], &[]),
    rule(ConfigError, "key_restricted", &[403..=403], &[
        "have permission", "permission_error", "iam permission", "permission to",
    ]),
    rule(ConfigError, "bad_key", &[403..=403], &[
        "api key", "api_key", "apikey", "auth-key", "auth_key", "unauthorized",
        "authorization failed",
    ]),
    when(rule(ConfigError, "bad_key", &[403..=403], &[]), is_bare_refusal),
    rule(ConfigError, "forbidden", &[403..=403], &[]),
    rule(ConfigError, "bad_base_url", &[404..=405, 410..=410], &[]),
    when(
        rule(ConfigError, "bug", OURS, &[]),
        |seen| !seen.message.trim().is_empty(),
    ),
];

/// `limit: 0` that is not the start of `limit: 0.5`: no quota for this model.
fn limit_is_zero(seen: &Seen<'_>) -> bool {
    seen.none_left
        || seen.words.match_indices("limit: 0").any(|(at, lead)| {
            let after = &seen.words[at + lead.len()..];
            !after.starts_with(|c: char| c.is_ascii_digit())
                && !after
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
}

/// "model 'gemma4' not found" is how Ollama says that it has no such model.
fn names_the_model(seen: &Seen<'_>) -> bool {
    let message = seen.message.trim().to_lowercase();
    let name = message.strip_prefix("model ").and_then(|rest| rest.strip_suffix(" not found"));
    name.is_some_and(|name| name.starts_with(['\'', '"']) && name.ends_with(['\'', '"']))
}

/// "xx is not supported", where xx is a language, and Google's "Invalid Value",
/// which it says of languages only: other things have a name in it.
fn names_only_a_language(seen: &Seen<'_>) -> bool {
    let code = |line: &str| {
        let code = line.strip_suffix(" is not supported").unwrap_or_default();
        let primary = code.split('-').next().unwrap_or_default();
        (2..=3).contains(&primary.len())
            && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let bare = seen.message.trim().eq_ignore_ascii_case("invalid value");
    bare || seen.words.lines().any(|line| code(line.trim().trim_end_matches('.')))
}

/// Naver's gateway has codes of its own: 400 beside the status 429 is the quota
/// of an application, and not a word about when it ends.
fn is_bare_quota(seen: &Seen<'_>) -> bool {
    let message = seen.message.trim().trim_end_matches(['.', '!']);
    let bare = ["quota exceeded", "quota exceed", "quota limit exceeded"]
        .iter()
        .any(|words| message.eq_ignore_ascii_case(words));
    bare && seen.words.lines().any(|line| line == "400")
}

/// A refusal of a call with a key that gives no reason: it is the key.
fn is_bare_refusal(seen: &Seen<'_>) -> bool {
    let mut words = seen.words.split(|c: char| !c.is_alphanumeric());
    seen.context.key.is_some() && words.all(|word| ["", "forbidden", "403"].contains(&word))
}

/// "Limit 30000, Requested 45120": only a smaller request passes. With "Used"
/// between them it is the window that is full.
fn requested_more_than_the_limit(seen: &Seen<'_>) -> bool {
    let limit = super::hints::number_after(seen.words, "limit ")
        .or_else(|| super::hints::number_after(seen.words, "limit: "));
    let requested = super::hints::number_after(seen.words, "requested ")
        .or_else(|| super::hints::number_after(seen.words, "requested: "));
    matches!((limit, requested), (Some(limit), Some(requested)) if requested > limit)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
