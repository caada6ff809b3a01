//! How much a text puts on a provider.

use crate::language::{Script, script_of};

/// What a text takes beside its words, there and back: its number, its quotes,
/// its line of the schema.
const TOKENS_AROUND: u64 = 8;

/// How much a text, or all texts of a call, put on a provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Characters.
    pub chars: usize,
    /// Tokens of the source, as a guess.
    pub tokens: u64,
}

impl Load {
    /// No limit.
    pub const MAX: Self = Self { chars: usize::MAX, tokens: u64::MAX };

    /// Returns the load of one text: 3.6 characters a token, in Han, kana and
    /// Hangul 1.6. The tokenizers in use differ by a fifth from each other.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let is_dense =
            |c: &char| matches!(script_of(*c), Some(Script::Han | Script::Kana | Script::Hangul));
        let chars = text.chars().count();
        let dense = text.chars().filter(is_dense).count();
        // In tenths of a token's characters, so that no fraction is lost.
        let tokens = (dense * 360 + (chars - dense) * 160).div_ceil(576);
        Self { chars, tokens: TOKENS_AROUND + tokens as u64 }
    }

    /// Returns both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            chars: self.chars.saturating_add(other.chars),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Returns what is left without the other; nothing is the least.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            chars: self.chars.saturating_sub(other.chars),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    /// Returns whether it has a place within the other.
    #[must_use]
    pub fn fits(self, room: Self) -> bool {
        self.chars <= room.chars && self.tokens <= room.tokens
    }

    /// Returns whether nothing more has a place beside it.
    #[must_use]
    pub fn fills(self, room: Self) -> bool {
        self.chars >= room.chars || self.tokens >= room.tokens
    }
}
