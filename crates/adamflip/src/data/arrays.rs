//! Arrays in memory under the name that a problem knows them by: what a file of arrays holds, without the
//! file.

use super::array::{Array, Content, Entry};
use super::layout;
use super::request::{Request, elements};
use super::{DataError, LIMIT, Table};

/// Named arrays, as an NPZ file has them: lists of points, or a grid with a vector for each coordinate.
///
/// ```
/// let mut sensors = adamflip::Arrays::new("sensors.npz");
/// sensors.push("x", &[3], vec![0.0, 0.5, 1.0])?;
/// sensors.push("u", &[3], vec![1.0, 0.6, 0.4])?;
/// # Ok::<(), adamflip::data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Arrays {
    name: String,
    entries: Vec<(String, Vec<usize>, Vec<f64>)>,
}

impl Arrays {
    /// None yet, under the name of the file that they would be.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), entries: Vec::new() }
    }

    /// The name of the file that they would be.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds an array, its last axis fastest. One of the same name is replaced.
    ///
    /// # Errors
    /// The shape must have as many elements as there are values.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        shape: &[usize],
        values: Vec<f64>,
    ) -> Result<(), DataError> {
        let name = name.into();
        if elements(shape) != values.len() as u128 {
            let (file, shape, found) = (self.name.clone(), shape.to_vec(), values.len());
            return Err(DataError::WrongCount { file, array: name, shape, found });
        }
        self.entries.retain(|(known, ..)| *known != name);
        self.entries.push((name, shape.to_vec(), values));
        Ok(())
    }

    /// Name, shape and values of every array.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[usize], &[f64])> {
        self.entries.iter().map(|(name, shape, values)| (name.as_str(), shape.as_slice(), values.as_slice()))
    }

    /// The table that [`super::read`] would make of a file with these arrays.
    pub(crate) fn table(
        &self,
        coordinates: &[String],
        columns: Option<&[String]>,
    ) -> Result<Table, DataError> {
        let request = Request::new(&self.name, coordinates, columns, LIMIT)?;
        let entry = |(name, shape, values): &(String, Vec<usize>, Vec<f64>)| Entry {
            name: name.clone(),
            content: Content::Numbers(Array::new(shape.clone(), false, values.clone())),
        };
        layout::table(&request, self.entries.iter().map(entry).collect())
    }
}
