//! Points of a file, block by block and in the file's order: for files that are longer than memory.
//!
//! Text and NPY are read as they are needed. Archives of arrays hold one coordinate after the other, so that
//! NPZ and MATLAB files are read whole. Only coordinates are read; whatever else a file has is passed over.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::npy::PointRows;
use super::request::{Request, Selected};
use super::text::TextRows;
use super::{DataError, Format, LIMIT, checked, read_as};

/// A file of points that is being read.
#[derive(Debug)]
pub struct PointStream {
    path: PathBuf,
    file: String,
    coordinates: Vec<String>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text(TextRows<BufReader<File>>),
    Npy(PointRows<BufReader<File>>),
    /// Columns, and how many rows of them are read.
    Whole(Vec<Vec<f64>>, usize),
}

impl PointStream {
    /// Opens a file that has a column for each of the coordinates; without names (NPY, text without a
    /// header), the columns are the coordinates in their order.
    pub fn open(path: &Path, coordinates: &[String]) -> Result<Self, DataError> {
        // The user gave this path on the command line, and knows it by this name.
        let file = path.display().to_string();
        let format = Format::of(path, &file)?;
        let length = checked(path, &file)?;
        let request = Request::new(&file, coordinates, None, LIMIT)?;
        let open = || File::open(path).map(BufReader::new);
        let reader = open().map_err(|source| DataError::Unreadable { file: file.clone(), source })?;
        let content = match format {
            Format::Text => Content::Text(TextRows::new(&request, reader)?),
            Format::Npy => Content::Npy(PointRows::new(&request, reader, length)?),
            Format::Npz | Format::Matlab => {
                let table = read_as(&file, path, coordinates, None)?;
                let columns = coordinates.iter().map(|name| table.in_file_order(name));
                Content::Whole(columns.collect(), 0)
            }
        };
        Ok(Self { path: path.into(), file, coordinates: coordinates.into(), content })
    }

    /// The next points, at most this many, one column a coordinate; nothing at the end.
    pub fn next_block(&mut self, most: usize) -> Result<Option<Vec<Vec<f64>>>, DataError> {
        let request = Request::new(&self.file, &self.coordinates, None, LIMIT)?;
        let columns = match &mut self.content {
            Content::Text(rows) => rows.next_block(&request, most)?,
            Content::Npy(rows) => rows.next_block(&request, most)?,
            Content::Whole(columns, done) => {
                let end = columns.first().map_or(0, Vec::len).min(done.saturating_add(most));
                let block = columns.iter().map(|column| column[*done..end].to_vec()).collect();
                *done = end;
                block
            }
        };
        Ok(columns.first().is_some_and(|column| !column.is_empty()).then_some(columns))
    }

    /// How many points the file has. Text is read once for this.
    pub fn count(&self) -> Result<u64, DataError> {
        match &self.content {
            Content::Npy(rows) => Ok(rows.count()),
            Content::Whole(columns, _) => Ok(columns.first().map_or(0, Vec::len) as u64),
            Content::Text(_) => {
                const BLOCK: usize = 1 << 16;
                let mut again = Self::open(&self.path, &self.coordinates)?;
                let mut count = 0;
                while let Some(columns) = again.next_block(BLOCK)? {
                    count += columns.first().map_or(0, Vec::len) as u64;
                }
                Ok(count)
            }
        }
    }
}

/// The coordinates as they follow each other in rows without names.
pub(super) fn in_order(request: &Request, found: usize) -> Result<Vec<Selected>, DataError> {
    let coordinates = request.coordinates;
    if found != coordinates.len() {
        let (file, names) = (request.file.to_owned(), coordinates.to_vec());
        return Err(DataError::PointColumns { file, found, names });
    }
    let selected = |(position, name): (usize, &String)| Selected { name: name.clone(), position };
    Ok(coordinates.iter().enumerate().map(selected).collect())
}

/// Moves to a place in a file.
pub(super) fn seek(request: &Request, reader: &mut impl Seek, place: u64) -> Result<(), DataError> {
    let unreadable = |source| DataError::Unreadable { file: request.file.into(), source };
    reader.seek(SeekFrom::Start(place)).map(drop).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [String; 2] {
        ["x".into(), "t".into()]
    }

    /// All blocks of a file of this name and content.
    fn blocks(name: &str, content: &[u8], most: usize) -> Result<Vec<Vec<Vec<f64>>>, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut stream = PointStream::open(&path, &names())?;
        let (count, mut blocks) = (stream.count()?, Vec::new());
        while let Some(block) = stream.next_block(most)? {
            blocks.push(block);
        }
        assert_eq!(count, blocks.iter().map(|block| block[0].len() as u64).sum::<u64>());
        Ok(blocks)
    }

    #[test]
    fn text_comes_in_blocks_and_in_order() {
        let expected = [vec![vec![5.0, 1.0], vec![6.0, 2.0]], vec![vec![3.0], vec![4.0]]];
        for text in [
            "name,t,x\na,6,5\n\nb,2,1\n# note\nc,4,3",
            "5 6\n1 2\n3 4\n",
            "# x;t\n5;6\n1;2\n3;4\n",
            "% of 2020\n5\t6\n1\t2\n3\t4\n",
        ] {
            assert_eq!(blocks("p.csv", text.as_bytes(), 2).unwrap(), expected, "{text}");
        }
        // A mesh in any order stays as it is.
        let mesh = blocks("p.csv", b"x,t\n1,1\n0,1\n1,0\n0,0\n", 9).unwrap();
        assert_eq!(mesh, [[[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]]]);
    }

    #[test]
    fn arrays_of_either_order_come_in_blocks() {
        let file = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
            std::fs::read(path).unwrap()
        };
        let three = ["x".to_owned(), "t".to_owned(), "u".to_owned()];
        let read = |name: &str, most: usize| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(name), file(name)).unwrap();
            let mut stream = PointStream::open(&folder.path().join(name), &three).unwrap();
            let mut columns = vec![Vec::new(); 3];
            while let Some(block) = stream.next_block(most).unwrap() {
                columns.iter_mut().zip(block).for_each(|(all, part)| all.extend(part));
            }
            columns
        };
        let whole = read("points.npy", usize::MAX);
        assert!(whole[0].len() > 2);
        for most in [1, 2, 1000] {
            assert_eq!(read("points.npy", most), whole);
            assert_eq!(read("points_fortran.npy", most), whole);
        }
        let mesh = blocks("mesh.npz", &file("mesh.npz"), 7).unwrap();
        assert!(mesh.len() > 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |name: &str, content: &[u8]| {
            let message = blocks(name, content, 8).unwrap_err().to_string();
            // The path as it was given; of the temporary folder nothing can be said.
            let end = message.find(name).unwrap_or(0);
            let start = message[..end].rfind('`').map_or(end, |quote| quote + 1);
            format!("{}{}", &message[..start], &message[end..])
        };
        assert_eq!(
            message("p.csv", b"x,y\n1,2\n"),
            "`p.csv` has no column for the coordinate `t`; it has `x`, `y`"
        );
        assert_eq!(message("p.csv", b"1,2,3\n"), "`p.csv` has 3 columns without names, and a point has x, t");
        assert_eq!(message("p.csv", b"x,t\n1,2\n1\n"), "`p.csv`, line 3: 1 cells, but there are 2 columns");
        assert!(message("p.csv", b"x,t\n1,inf\n").ends_with("`inf` is not a finite number"));
        assert_eq!(message("p.csv", b"x,t\n"), "`p.csv` has no points");
        assert_eq!(message("p.csv", b""), "`p.csv` is empty");
        assert!(message("p.png", b"x").contains("no known extension"));
        let array = |shape: &str, numbers: &[f64]| {
            let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
            let head =
                [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
            [head, numbers.iter().flat_map(|number| number.to_le_bytes()).collect()].concat()
        };
        assert_eq!(blocks("p.npy", &array("(1, 2)", &[1.0, 2.0]), 8).unwrap(), [[[1.0], [2.0]]]);
        assert!(message("p.npy", &array("(1, 3)", &[1.0; 3])).contains("3 columns"));
        assert!(message("p.npy", &array("(2, 2)", &[1.0; 3])).contains("ends within"));
        assert!(message("p.npy", &array("(9223372036854775807, 2)", &[1.0; 2])).contains("ends within"));
        assert!(message("p.npy", &array("(0, 2)", &[])).contains("no points"));
        assert!(message("p.npy", &array("(1, 2)", &[1.0, f64::NAN])).contains("row 0 (from 0), column `t`"));
        assert!(message("p.npy", b"no array at all").contains("does not begin like NPY"));
    }
}
