//! An answer that is still arriving: its items, as soon as they are sure.

use super::chat::{Gathered, Take};
use super::events::Events;
use crate::provider::{Ask, Provider};
use crate::reply::Growing;

/// See the module. What is not sure by the end is read then, by
/// [`Provider::parse`], with all the rest.
pub struct Arriving {
    events: Events,
    take: Take,
    gathered: Gathered,
    growing: Growing,
    /// How much of the gathered text was read.
    read: usize,
}

impl Arriving {
    /// Returns the answer to a call whose items may be used early; none where
    /// they may not: in an answer that does not come in parts, and in one whose
    /// ids no schema holds in order.
    #[must_use]
    pub fn new(provider: &dyn Provider, ask: &Ask) -> Option<Self> {
        let take = provider.take().filter(|_| ask.stream && provider.is_strict(ask))?;
        Some(Self {
            events: Events::default(),
            take,
            gathered: Gathered::default(),
            growing: Growing::new(ask.texts.len()),
            read: 0,
        })
    }

    /// Takes up what has come of the body, and returns the items that are sure
    /// by now: each once, in order. Never panics, whatever the bytes.
    pub fn take_up(&mut self, bytes: &[u8]) -> Vec<(usize, String)> {
        if self.is_over() {
            return Vec::new();
        }
        let mut values = Vec::new();
        self.events.take_in(bytes, &mut values);
        let mut sure = Vec::new();
        for value in &values {
            (self.take)(&mut self.gathered, value);
            // What stands beside an error or at the end is read with the end.
            if self.is_over() {
                break;
            }
            let Some(new) = self.gathered.text.get(self.read..) else { break };
            sure.extend(self.growing.take_in(new));
            self.read = self.gathered.text.len();
        }
        sure
    }

    fn is_over(&self) -> bool {
        self.gathered.error.is_some()
            || self.gathered.finish.is_some()
            || self.growing.is_over()
            || self.gathered.text.len() < self.read
    }
}
