//! What models write before and around the answer: thinking, and code fences.

/// A think block was opened and never closed.
#[derive(Debug)]
pub(super) struct Unclosed;

/// The names of thinking blocks that servers leave in the text.
const BLOCKS: &[&str] = &["think", "thinking", "thought", "reasoning"];

/// Returns the reply without a leading think block and without a fence that
/// encloses all of it. What a source says itself is not taken for a block.
pub(super) fn strip<'a>(text: &'a str, sources: &[&str]) -> Result<&'a str, Unclosed> {
    let mut body = text;
    for name in BLOCKS {
        let (opener, closer) = (format!("<{name}>"), format!("</{name}>"));
        if sources.iter().any(|s| says(s, &opener) || says(s, &closer)) {
            continue;
        }
        if body.starts_with(&opener) {
            body = body.split_once(&closer).ok_or(Unclosed)?.1.trim_start();
        } else if !body.starts_with(['{', '[', '"']) {
            // Only the closing tag is left where the template wrote the opening one.
            body = body.rsplit_once(&closer).map_or(body, |(_, after)| after.trim_start());
        }
    }
    Ok(unfenced(body))
}

fn says(source: &str, tag: &str) -> bool {
    source.contains(tag) || source.contains(&tag.replace('<', "&lt;"))
}

fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```") else { return text };
    let Some((label, inner)) = inner.split_once('\n') else { return text };
    if label.trim().len() > 16 || label.contains(['{', '[']) {
        return text;
    }
    let inner = inner.trim_end();
    inner.strip_suffix("```").unwrap_or(inner).trim()
}
