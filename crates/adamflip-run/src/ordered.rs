//! A JSON object whose keys stay in the order of the problem file.

use serde::{Serialize, Serializer};

/// Names and values in order.
#[derive(Clone, Debug)]
pub struct Ordered<T>(
    /// In their order.
    pub Vec<(String, T)>,
);

impl<T> FromIterator<(String, T)> for Ordered<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
