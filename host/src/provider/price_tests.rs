use super::*;
use crate::provider::Key;

fn config(kind: &str, model: &str, base_url: &str, key: &str) -> Config {
    Config {
        kind: kind.to_owned(),
        model: model.to_owned(),
        base_url: base_url.to_owned(),
        key: (!key.is_empty()).then(|| Key(key.to_owned())),
        ..Config::default()
    }
}

fn check(kind: &str, model: &str, base_url: &str, expected: Option<Price>) {
    let found = Price::of(&config(kind, model, base_url, "k"));
    assert_eq!(found, expected, "{kind} {model} {base_url}");
}

const FLASH_LITE: Price = Price::Tokens { input: 0.3, cached: 0.03, output: 2.5 };
const FLASH: Price = Price::Tokens { input: 1.5, cached: 0.15, output: 9.0 };
const HAIKU: Price = Price::Tokens { input: 0.1, cached: 0.01, output: 0.5 };

#[test]
fn every_price_of_the_list_can_be_read_and_is_one() {
    assert_eq!(LIST.models.len(), 28);
    for (name, listed) in &LIST.models {
        assert!(listed.out >= listed.input && listed.input >= listed.cached_in, "{name}");
        assert!(listed.cached_in > 0.0 && listed.out < 100.0, "{name}");
    }
}

#[test]
fn a_model_is_found_by_kind_and_host() {
    check("gemini", "gemini-3.5-flash-lite", "", Some(FLASH_LITE));
    check("gemini", "gemini-3.5-flash-lite", "https://proxy.example.org", Some(FLASH_LITE));
    check("anthropic", "claude-haiku-5-5", "", Some(HAIKU));
    let google = "https://generativelanguage.googleapis.com/v1beta/openai";
    check("openai", "gemini-3.5-flash-lite", google, Some(FLASH_LITE));
    check(
        "openai",
        "google/gemini-3.5-flash-lite",
        "https://openrouter.ai/api/v1",
        Some(FLASH_LITE),
    );
    let oss = Price::Tokens { input: 0.075, cached: 0.0375, output: 0.3 };
    check("openai", "openai/gpt-oss-20b", "https://api.groq.com/openai/v1", Some(oss));
    let deepseek = Price::Tokens { input: 0.3, cached: 0.006, output: 1.2 };
    check("openai", "deepseek-v4-flash", "https://api.deepseek.com", Some(deepseek));
    let mistral = Price::Tokens { input: 0.5, cached: 0.05, output: 1.5 };
    check("openai", "mistral-large-latest", "https://api.mistral.ai/v1", Some(mistral));
    let nano = Price::Tokens { input: 0.2, cached: 0.02, output: 1.25 };
    check("openai", "gpt-5.4-nano", "", Some(nano));
}

#[test]
fn a_model_of_another_server_has_no_price() {
    check("openai", "gpt-5.4-nano", "https://models.example.org/v1", None);
    check("openai", "gpt-5.4-nano", "https://api.openai.com.example.org/v1", None);
    check("openai", "deepseek-v4-flash", "", None);
    check("openai", "no-such-model", "", None);
    check("papago", "", "", None);
    check("nothing", "", "http://127.0.0.1/", None);
}

#[test]
fn an_edition_costs_what_its_model_does() {
    for name in [
        "models/gemini-3.5-flash",
        "gemini-3.5-flash-001",
        "gemini-3.5-flash-preview-09-2026",
        "gemini-3.5-flash-latest",
        "Gemini-3.5-Flash-2026-11-29",
    ] {
        check("gemini", name, "", Some(FLASH));
    }
    check("anthropic", "claude-haiku-5-5-20261001", "", Some(HAIKU));
    check("anthropic", "claude-haiku-5-5@20261001", "", Some(HAIKU));
    // The longer name is a model of its own.
    check("gemini", "gemini-3.5-flash-lite-001", "", Some(FLASH_LITE));
    for another in ["gemini-3.5-flash-image", "gemini-3.5-flashy", "gemini-3.5", "claude-haiku-5-5"]
    {
        check("gemini", another, "", None);
    }
    check("anthropic", "claude-haiku-5-5-6", "", None);
}

#[test]
fn engines_are_paid_by_characters() {
    check("deepl", "", "", Some(Price::Characters(25.0)));
    check("google-cloud", "", "", Some(Price::Characters(20.0)));
    check("azure", "", "", Some(Price::Characters(10.0)));
}

#[test]
fn what_runs_here_or_has_no_account_is_free() {
    let free = |kind, model, base_url, key| {
        assert_eq!(Price::of(&config(kind, model, base_url, key)), Some(Price::Free), "{kind}");
    };
    free("sample", "", "", "");
    free("apertium", "", "https://apertium.example.org", "");
    free("google-web", "", "", "");
    free("edge-web", "", "", "");
    free("openai", "gpt-5.4-nano", "http://127.0.0.1:8080/v1", "k");
    free("ollama", "gemma", "", "");
    free("ollama", "gemma", "http://10.0.0.7:11434", "");
    free("libretranslate", "", "https://libretranslate.example.org", "");
    free("deepl", "", "", "0123:fx");
    free("deepl", "", "https://api-free.deepl.com", "k");
    free("openai", "meta/llama:free", "https://openrouter.ai/api/v1", "k");
    // With a key there is an account, whose prices are not known.
    check("libretranslate", "", "https://libretranslate.example.org", None);
    check("ollama", "gemma", "https://ollama.example.org", None);
}

#[test]
fn a_call_costs_its_tokens_each_at_its_price() {
    let usage =
        Usage { input: 1000, cached: 2000, output: 300, reasoning: 100, ..Usage::default() };
    assert_eq!(FLASH.cost(&usage, 0), 1500 + 300 + 2700);
    assert_eq!(cost(Some(FLASH), &usage, 0), Some(4500));
    assert_eq!(cost(None, &usage, 0), None);
    assert_eq!(cost(Some(Price::Free), &usage, 9), Some(0));
    let stated = Usage { cost_micros: Some(7), ..usage };
    assert_eq!([cost(Some(FLASH), &stated, 0), cost(None, &stated, 0)], [Some(7), Some(7)]);
    assert_eq!(cost(Some(Price::Free), &stated, 0), Some(7));
    let endless = Usage { output: u64::MAX, ..Usage::default() };
    assert_eq!(FLASH.cost(&endless, 0), u64::MAX);
}

#[test]
fn characters_count_as_the_answer_billed_them() {
    let price = Price::Characters(20.0);
    assert_eq!(price.cost(&Usage::default(), 100), 2000);
    let billed = Usage { characters: Some(40), ..Usage::default() };
    assert_eq!(price.cost(&billed, 100), 800);
}

#[test]
fn a_text_is_sized_by_its_script() {
    let near = |text: &str, tokens: f64, characters: u64| {
        let size = Size::of(text);
        assert!((size.tokens - tokens).abs() < 1e-9, "{text}: {size:?}");
        assert_eq!(size.characters, characters, "{text}");
    };
    near("", 0.0, 0);
    near("Good morning, all!", 5.0, 18);
    near("좋은아침이네요요", 5.0, 8);
    near("良い朝ですおはよ", 5.0, 8);
    near("Good 좋은아침이네요요", 5.0 + 5.0 / 3.6, 13);
}

#[test]
fn what_the_cache_saves_is_what_both_texts_would_have_cost() {
    let (source, translation) = (Size::of("Good morning, all!"), Size::of("좋은아침이네요요"));
    assert!((FLASH.worth(source, translation) - (5.0 * 1.5 + 5.0 * 9.0)).abs() < 1e-9);
    assert!((Price::Characters(20.0).worth(source, translation) - 360.0).abs() < 1e-9);
    assert!(Price::Free.worth(source, translation).abs() < 1e-9);
}

#[test]
fn a_price_is_said_in_dollars_for_a_million() {
    assert_eq!(FLASH_LITE.words(), "$0.30 in, $2.50 out a million tokens");
    assert_eq!(Price::Characters(20.0).words(), "$20.00 a million characters");
    assert_eq!(Price::Free.words(), "free");
    assert_eq!(dollars(0.025), "$0.025");
    assert_eq!(
        [dollars(0.0), dollars(0.000_000_4), dollars(1234.5)],
        ["$0.00", "$0.00", "$1234.50"]
    );
}
