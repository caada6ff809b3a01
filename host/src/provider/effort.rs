//! How little a model may be asked to think.
//!
//! Models differ in the least effort of reasoning that they take, and a refused
//! one must not become the default, which thinks for longer than it translates.
//! So there are steps, `none`, `minimal` and `low`: one in [`Ask::dropped`]
//! stands for all efforts but this. Where no step is left, nothing is said.

use crate::provider::Ask;
use crate::verdict::{Feature, Reading};

/// The steps, the least first, with the name that the APIs have for them.
const STEPS: [(Feature, &str); 3] = [
    (Feature::EffortNone, "none"),
    (Feature::EffortMinimal, "minimal"),
    (Feature::EffortLow, "low"),
];

/// Returns the effort to ask for: `first` until another step was found.
pub(super) fn least(ask: &Ask, first: &'static str) -> &'static str {
    let found = STEPS.iter().rev().find(|(step, _)| ask.dropped.contains(step));
    found.map_or(first, |(_, name)| name)
}

/// Finds the step that an error names as the least supported one: "Supported
/// values are: 'low', 'medium' and 'high'."
pub(super) fn named(words: &str) -> Option<Feature> {
    const LEADS: [&str; 7] = [
        "supported values",
        "allowed values",
        "valid values",
        "must be one of",
        "expected one of",
        "should be",
        "supports only",
    ];
    let (_, after) = LEADS.iter().find_map(|lead| words.split_once(lead))?;
    let list = after.lines().next()?;
    let names: Vec<&str> = list.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    STEPS.iter().find(|(_, name)| names.contains(name)).map(|(step, _)| *step)
}

/// Goes to the next of a provider's `steps` where a refused setting of thinking
/// would be dropped, since the error does not say what is supported.
pub(super) fn eased(reading: Reading, ask: &Ask, steps: &[Feature]) -> Reading {
    let last = ask.dropped.range(Feature::EffortNone..=Feature::EffortLow).next_back();
    match steps.iter().find(|step| Some(*step) > last) {
        Some(step) if reading.feature == Some(Feature::Thinking) => {
            Reading { feature: Some(*step), ..reading }
        }
        _ => reading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Class;

    #[test]
    fn the_least_effort_that_an_error_names_is_found() {
        let check = |words: &str, step: Option<Feature>| assert_eq!(named(words), step, "{words}");
        check(
            "does not support 'minimal'. supported values are: 'none', 'low', 'high'.",
            Some(Feature::EffortNone),
        );
        check(
            "invalid option: expected one of \"max\"|\"high\"|\"minimal\"",
            Some(Feature::EffortMinimal),
        );
        check("input should be 'low', 'medium' or 'high'", Some(Feature::EffortLow));
        check("supported values are: 'medium'\nnone", None);
        check("supported values are: 'lowest'", None);
        check("'none' is not supported", None);
    }

    #[test]
    fn a_step_is_never_taken_twice() {
        let steps = [Feature::EffortMinimal, Feature::EffortLow];
        let refused =
            Reading { feature: Some(Feature::Thinking), ..Reading::of(Class::FeatureError) };
        let mut ask = Ask::default();
        for expected in [Feature::EffortMinimal, Feature::EffortLow, Feature::Thinking] {
            let feature = eased(refused.clone(), &ask, &steps).feature;
            assert_eq!(feature, Some(expected));
            ask.dropped.extend(feature);
        }
        assert_eq!(least(&ask, "none"), "low");
        assert_eq!(least(&Ask::default(), "none"), "none");
        let other = Reading { feature: Some(Feature::Stream), ..refused };
        assert_eq!(eased(other.clone(), &Ask::default(), &steps), other);
    }
}
