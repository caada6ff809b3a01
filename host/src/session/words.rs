//! Failures in words: what the reader is told, and what to do about it.

use std::time::Duration;

use crate::protocol::Code;
use crate::provider::price::dollars;
use crate::verdict::Failure;

/// Returns the wire code of a failure.
#[must_use]
pub fn code_of(failure: Failure) -> Code {
    match failure {
        Failure::NotConfigured => Code::NotConfigured,
        Failure::Unauthorized => Code::Unauthorized,
        Failure::Misconfigured => Code::Misconfigured,
        Failure::RateLimited => Code::RateLimited,
        Failure::QuotaExhausted => Code::QuotaExhausted,
        Failure::Refused => Code::Refused,
        Failure::Unavailable => Code::Unavailable,
        Failure::Network => Code::Network,
        Failure::Timeout => Code::Timeout,
        Failure::BadReply => Code::BadReply,
        Failure::TooLong => Code::TooLong,
        Failure::UnsupportedPair => Code::UnsupportedPair,
        Failure::Internal => Code::Internal,
    }
}

/// Whether asking again may help without a change of the text itself.
#[must_use]
pub fn is_retryable(failure: Failure) -> bool {
    !matches!(failure, Failure::TooLong)
}

/// Says why a segment failed, with the provider's name and its own words where
/// there are some, and when it comes back.
#[must_use]
pub fn sentence(
    failure: Failure,
    provider: Option<&str>,
    detail: Option<&str>,
    back_in: Option<Duration>,
) -> String {
    let who = provider.unwrap_or("the provider");
    let mut words = match failure {
        Failure::NotConfigured => match provider {
            None => "No provider is set up: choose one in the extension's options.".to_owned(),
            Some(name) => format!("There is no provider of the name {name} in the settings."),
        },
        Failure::Unauthorized => {
            format!("{who} did not accept the key, or there is none: enter it in the options.")
        }
        Failure::Misconfigured => {
            format!("{who} cannot be used with its present settings: look at the options.")
        }
        Failure::RateLimited => format!("{who} allows no more requests for now."),
        Failure::QuotaExhausted => format!("The quota of {who} is used up."),
        Failure::Refused => format!("{who} refused this text."),
        Failure::Unavailable => format!("{who} does not give usable answers at the moment."),
        Failure::Network => {
            format!("{who} cannot be reached: is the network up, and is the server running?")
        }
        Failure::Timeout => format!("{who} did not answer in time."),
        Failure::BadReply => format!("{who} gave no usable translation of this text."),
        Failure::TooLong => "The text is too long and cannot be cut further.".to_owned(),
        Failure::UnsupportedPair => format!("{who} does not know this pair of languages."),
        Failure::Internal => "A fault of WebTranslator itself; its log tells more.".to_owned(),
    };
    if let Some(detail) = detail.filter(|detail| !detail.is_empty()) {
        words.push(' ');
        words.push_str(detail);
    }
    if let Some(wait) = back_in {
        words.push_str(" It is asked again in ");
        words.push_str(&duration(wait));
        words.push('.');
    }
    words
}

/// Says that the reader's own limit is reached, and how it goes on.
#[must_use]
pub fn own_limit(usd_per_day: f64, back_in: Duration) -> String {
    format!(
        "Your own limit of {} a day is reached; it goes on at 00:00 UTC, in {}, or raise it in the \
         options.",
        dollars(usd_per_day),
        duration(back_in)
    )
}

/// Says a duration as a reader would: "8 s", "5 min", "3 h".
#[must_use]
pub fn duration(wait: Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1000);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_in_the_unit_that_a_reader_would_use() {
        for (millis, expected) in
            [(0, "0 s"), (7_200, "8 s"), (119_000, "119 s"), (300_000, "5 min"), (7_200_000, "2 h")]
        {
            assert_eq!(duration(Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn the_readers_own_limit_is_no_fault_of_the_provider() {
        assert_eq!(
            own_limit(0.5, Duration::from_secs(5 * 3600)),
            "Your own limit of $0.50 a day is reached; it goes on at 00:00 UTC, in 5 h, or raise \
             it in the options."
        );
    }

    #[test]
    fn a_sentence_names_the_provider_its_words_and_the_time() {
        let words = sentence(
            Failure::QuotaExhausted,
            Some("gemini"),
            Some("Free tier."),
            Some(Duration::from_secs(600)),
        );
        assert_eq!(
            words,
            "The quota of gemini is used up. Free tier. It is asked again in 10 min."
        );
    }
}
