//! Finds the batch in a prompt: the last JSON object of strings in it.

use crate::content::{Batch, Form, Item};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;

/// Returns the last object of strings in `prompt`, its items in their order.
/// What stands around it, such as instructions, is passed over.
pub fn last_batch(prompt: &str) -> Option<Batch> {
    let mut last = None;
    let mut at = 0;
    while let Some(found) = prompt[at..].find('{') {
        at += found;
        let mut values = serde_json::Deserializer::from_str(&prompt[at..]).into_iter::<Keyed>();
        match values.next() {
            Some(Ok(Keyed(items))) => {
                last = Some(Batch { items, form: Form::KeyedJson });
                at += values.byte_offset();
            }
            _ => at += 1,
        }
    }
    last
}

/// An object of strings that keeps the order of its keys.
struct Keyed(Vec<Item>);

impl<'de> Deserialize<'de> for Keyed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(KeyedVisitor)
    }
}

struct KeyedVisitor;

impl<'de> Visitor<'de> for KeyedVisitor {
    type Value = Keyed;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keyed, A::Error> {
        let mut items = Vec::new();
        while let Some((id, text)) = map.next_entry()? {
            items.push(Item { id, text });
        }
        Ok(Keyed(items))
    }
}
