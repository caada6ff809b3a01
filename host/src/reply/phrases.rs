//! How models refuse in prose.

/// Openings and cores of refusals, in lower case with straight apostrophes.
const PHRASES: &[&str] = &[
    "i can't translate",
    "i cannot translate",
    "i won't translate",
    "i can't assist",
    "i cannot assist",
    "i can't help with",
    "i cannot help with",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i am not able to",
    "i can't provide",
    "i cannot provide",
    "i can't fulfill",
    "i cannot fulfill",
    "i can't comply",
    "i cannot comply",
    "i'm sorry, but i can",
    "i'm sorry, but as an ai",
    "as an ai language model",
    "as a language model, i",
    "against my guidelines",
    "violates my guidelines",
    "번역할 수 없습니다",
    "번역해 드릴 수 없",
    "도와드릴 수 없",
    "도와 드릴 수 없",
    "요청을 수행할 수 없",
    "翻訳できません",
    "翻訳することはできません",
    "お手伝いできません",
    "お応えできません",
    "我无法翻译",
    "我不能翻译",
    "无法协助",
    "无法提供",
    "我無法翻譯",
    "無法協助",
    "no puedo traducir",
    "no puedo ayudar",
    "je ne peux pas traduire",
    "je ne peux pas vous aider",
    "ich kann diesen text nicht übersetzen",
    "ich kann das nicht übersetzen",
    "dabei kann ich nicht helfen",
    "não posso traduzir",
    "não posso ajudar",
    "я не могу перевести",
    "я не могу помочь",
];

/// Refusals are short; a long text that has such a phrase is about something.
const LONGEST_REFUSAL: usize = 600;

/// Tells whether the text is a refusal in prose, and not the translation of a
/// source that speaks so itself (sources with "sorry", "AI" or "translat").
///
/// The first one is `malformed`; the caller treats the second one for the same
/// texts as `blocked`.
#[must_use]
pub fn is_refusal(text: &str, sources: &[&str]) -> bool {
    let text = text.trim();
    if text.len() > LONGEST_REFUSAL || text.starts_with(['{', '[']) {
        return false;
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let head: String = lower.chars().take(160).collect();
    PHRASES.iter().any(|phrase| head.contains(phrase)) && !sources.iter().any(|s| speaks_so(s))
}

/// A source may well say that somebody cannot do something.
fn speaks_so(source: &str) -> bool {
    const OWN: &[&str] = &[
        "can't",
        "cannot",
        "can not",
        "unable",
        "not able",
        "sorry",
        "language model",
        "guidelines",
        "won't",
        "없",
        "못",
        "ません",
        "できない",
        "无法",
        "不能",
        "無法",
        "no pued",
        "ne peux",
        "kann",
        "não posso",
        "не могу",
    ];
    let lower = source.to_lowercase().replace('\u{2019}', "'");
    OWN.iter().any(|own| lower.contains(own))
}
