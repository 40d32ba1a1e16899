//! What a state was trained on: a digest of every value of the problem file and of every data file, kept
//! beside the state. A state that is opened beside another problem or other data is recognized by them, and
//! what was changed has a name.

use std::collections::BTreeMap;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::export::data_file;
use crate::spec::{DATA, Resolved};

/// Bytes of a digest that are kept: 128 bits, far from any accident, at half the length in the header of a
/// state.
const KEPT: usize = 16;

/// Digests by name: `network.hidden`, `term.pde.equation`, `data/seen.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(BTreeMap<String, String>);

/// What became of a value or file since the state was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the value or file.
    pub name: String,
    /// `changed`, `added` or `removed`.
    pub what: &'static str,
}

impl Origin {
    /// Of a problem and its data files.
    pub fn of(file: &Resolved) -> io::Result<Self> {
        let mut origin = Self::default();
        file.values().into_iter().for_each(|(name, value)| origin.add_value(name, &value));
        for data in &file.files {
            origin.add_file(format!("{DATA}/{}", data.name), data_file(data)?)?;
        }
        Ok(origin)
    }

    /// Adds a value of the problem file.
    pub fn add_value(&mut self, name: impl Into<String>, value: &str) {
        self.0.insert(name.into(), text(Sha256::new_with_prefix(value)));
    }

    /// Adds a data file, in pieces: it may be larger than memory.
    pub fn add_file(&mut self, name: impl Into<String>, mut file: impl Read) -> io::Result<()> {
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => hash.update(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.0.insert(name.into(), text(hash));
        Ok(())
    }

    /// What is different now, sorted by name.
    pub fn changes(&self, now: &Origin) -> Vec<Change> {
        let names: std::collections::BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let change = |name: &String| {
            let what = match (self.0.get(name), now.0.get(name)) {
                (Some(before), Some(now)) if before == now => return None,
                (Some(_), Some(_)) => "changed",
                (None, _) => "added",
                (_, None) => "removed",
            };
            Some(Change { name: name.clone(), what })
        };
        names.into_iter().filter_map(change).collect()
    }
}

fn text(hash: Sha256) -> String {
    hash.finalize()[..KEPT].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let mut origin = Origin::default();
        origin.add_value("a", "abc");
        origin.add_file("b", "abc".as_bytes()).unwrap();
        // FIPS 180-2, appendix B.1.
        assert!(origin.0.values().all(|digest| digest == "ba7816bf8f01cfea414140de5dae2223"), "{origin:?}");
    }

    #[test]
    fn changes_have_names() {
        let of = |values: &[(&str, &str)]| {
            let mut origin = Origin::default();
            values.iter().for_each(|(name, value)| origin.add_value(*name, value));
            origin
        };
        let before = of(&[("domain.x", "[0, 1]"), ("constants.a", "1"), ("fields", "u")]);
        let now = of(&[("domain.x", "[0, 2]"), ("fields", "u"), ("network.activation", "\"sin\"")]);
        let changes: Vec<_> = before.changes(&now).into_iter().map(|c| (c.name, c.what)).collect();
        let expected = [("constants.a", "removed"), ("domain.x", "changed"), ("network.activation", "added")];
        assert_eq!(changes, expected.map(|(name, what)| (name.to_owned(), what)));
        assert_eq!(before.changes(&before), []);
    }
}
