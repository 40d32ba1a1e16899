//! Results in the formats of other tools.
//!
//! After `evaluate`: numbers and networks come in, bytes go out to any writer; of files only the data of a
//! problem are read.
//!
//! | file | format | read by |
//! | --- | --- | --- |
//! | `fields` | what is written by default: all fields and their references on a grid | |
//! | `npy`, `npz` | arrays of doubles | NumPy |
//! | `csv`, `json` | tables as text | everything |
//! | `vtk` | regular grids, one a time | ParaView, VTK |
//! | `onnx` | the networks, and what the ansatz makes of them | onnxruntime |
//! | `tensorboard` | scalars over steps | TensorBoard |
//! | `protobuf` | what the last two are written in | |

mod csv;
mod fields;
mod json;
pub mod npy;
pub mod npz;
pub mod onnx;
mod protobuf;
pub mod tensorboard;
pub mod vtk;

use std::io;

pub use csv::Csv;
pub use fields::Fields;
pub use json::Json;

use crate::spec::{Content, DataFile};

/// A table that is written block by block: every block has the same columns.
pub trait Table {
    /// Adds rows, given as columns of equal length.
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()>;

    /// Ends the table; without this it is not whole.
    fn finish(&mut self) -> io::Result<()>;
}

/// The bytes of a data file of a problem; arrays in memory are an NPZ file.
pub fn data_file(file: &DataFile) -> io::Result<Box<dyn io::Read>> {
    Ok(match &file.content {
        Content::File(path) => Box::new(std::fs::File::open(path)?),
        Content::Arrays(arrays) => {
            let arrays: Vec<(&str, &[usize], &[f64])> = arrays.iter().collect();
            let mut bytes = io::Cursor::new(Vec::new());
            npz::write(&mut bytes, &arrays)?;
            bytes.set_position(0);
            Box::new(bytes)
        }
    })
}

fn bytes_of(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

/// What was promised in a header has come.
fn complete(written: u64, promised: u64) -> io::Result<()> {
    match written == promised {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{written} came where {promised} were promised"),
        )),
    }
}
