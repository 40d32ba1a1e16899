//! NPZ: named NumPy arrays of doubles in a ZIP archive, stored.
//!
//! The shapes are known before the numbers, so the place of every array in the file is, too: [`Npz`] writes
//! blocks of several arrays in turn, each into its place, in constant memory. Checksums and the directory
//! follow at the end. Sizes are always written in 64 bits, as NumPy does, so that nothing changes beyond four
//! gigabytes.
//!
//! The records of the archive are in `zip`.

mod zip;

use std::io::{self, Seek, SeekFrom, Write};

use super::{Table, bytes_of, complete, npy};

/// The bytes of a name, `.npy` included, are counted in 16 bits.
const LONGEST_NAME: usize = (u16::MAX - 4) as usize;
/// Nodes of a grid's coordinate that are written at a time.
const BLOCK: usize = 1 << 16;

/// An archive of arrays, written block by block.
#[derive(Debug)]
pub struct Npz<W: Write + Seek> {
    writer: W,
    position: u64,
    arrays: Vec<Place>,
}

/// An array's place in the file.
#[derive(Debug)]
struct Place {
    name: String,
    /// Of the local header.
    start: u64,
    /// Of the content: the NPY header and the numbers.
    content: u64,
    size: u64,
    written: u64,
    checksum: flate2::Crc,
}

impl<W: Write + Seek> Npz<W> {
    /// Lays out the arrays by name and shape; the file begins at the writer's start.
    pub fn new(mut writer: W, arrays: &[(&str, &[usize])]) -> io::Result<Self> {
        writer.rewind()?;
        let mut archive = Self { writer, position: 0, arrays: Vec::new() };
        let mut start = 0;
        for (name, shape) in arrays {
            let header = npy::header(&npy::wide(shape));
            let numbers = shape.iter().try_fold(8u64, |size, &length| size.checked_mul(length as u64));
            let size = numbers.and_then(|numbers| numbers.checked_add(header.len() as u64));
            let size = size.filter(|_| name.len() <= LONGEST_NAME);
            let mut place = Place {
                name: format!("{name}.npy"),
                start,
                content: 0,
                size: size.ok_or_else(too_large)?,
                written: 0,
                checksum: flate2::Crc::new(),
            };
            let local = zip::local_header(&place.name, place.size);
            place.content = start + local.len() as u64;
            start = place.content.checked_add(place.size).ok_or_else(too_large)?;
            archive.put(place.start, &local)?;
            archive.arrays.push(place);
            archive.append(archive.arrays.len() - 1, &header)?;
        }
        Ok(archive)
    }

    /// The bytes of the whole file, without the directory at its end.
    pub fn size(&self) -> u64 {
        self.arrays.last().map_or(0, |last| last.content + last.size)
    }

    /// Adds numbers to an array.
    pub fn write(&mut self, array: usize, values: &[f64]) -> io::Result<()> {
        self.append(array, &bytes_of(values.iter().copied()))
    }

    /// Checksums and directory; every array must be whole.
    pub fn finish(&mut self) -> io::Result<()> {
        let end = self.size();
        let mut directory = Vec::new();
        for index in 0..self.arrays.len() {
            let place = &self.arrays[index];
            complete(place.written, place.size)?;
            directory.extend(zip::directory_entry(
                &place.name,
                place.size,
                place.start,
                place.checksum.sum(),
            ));
            let (at, checksum) = (place.start + zip::CHECKSUM, place.checksum.sum());
            self.put(at, &checksum.to_le_bytes())?;
        }
        let tail = zip::tail(self.arrays.len() as u64, end, directory.len() as u64);
        self.put(end, &[directory, tail].concat())?;
        self.writer.flush()
    }

    fn append(&mut self, array: usize, bytes: &[u8]) -> io::Result<()> {
        let place = &mut self.arrays[array];
        let at = place.content + place.written;
        place.written += bytes.len() as u64;
        if place.written > place.size {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "more numbers than the array's shape says",
            ));
        }
        place.checksum.update(bytes);
        self.put(at, bytes)
    }

    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if at != self.position {
            self.writer.seek(SeekFrom::Start(at))?;
        }
        self.position = at + bytes.len() as u64;
        self.writer.write_all(bytes)
    }
}

/// An archive of whole arrays: name, shape, values.
pub fn write<W: Write + Seek>(writer: W, arrays: &[(&str, &[usize], &[f64])]) -> io::Result<()> {
    let shapes: Vec<(&str, &[usize])> = arrays.iter().map(|&(name, shape, _)| (name, shape)).collect();
    let mut archive = Npz::new(writer, &shapes)?;
    for (index, (_, _, values)) in arrays.iter().enumerate() {
        archive.write(index, values)?;
    }
    archive.finish()
}

/// A coordinate of a grid: its name, how many nodes it has, and where they are.
pub type Axis<'a> = (&'a str, usize, &'a dyn Fn(usize) -> f64);

/// A table as named arrays, written block by block. Its first columns are the coordinates.
#[derive(Debug)]
pub struct NpzTable<W: Write + Seek> {
    archive: Npz<W>,
    /// The columns that rows bring and the file has no array for: those of a grid's coordinates.
    passed: usize,
    /// The array of the first column that is written.
    first: usize,
}

impl<W: Write + Seek> NpzTable<W> {
    /// Every column a vector; the number of rows is known before.
    pub fn list(writer: W, names: &[String], rows: usize) -> io::Result<Self> {
        let shape = [rows];
        let arrays: Vec<(&str, &[usize])> = names.iter().map(|name| (name.as_str(), &shape[..])).collect();
        Ok(Self { archive: Npz::new(writer, &arrays)?, passed: 0, first: 0 })
    }

    /// A vector for each coordinate, and arrays with one axis for each of them; rows come with the last
    /// coordinate fastest.
    pub fn grid(writer: W, axes: &[Axis<'_>], names: &[String]) -> io::Result<Self> {
        let lengths: Vec<[usize; 1]> = axes.iter().map(|&(_, count, _)| [count]).collect();
        let shape: Vec<usize> = axes.iter().map(|&(_, count, _)| count).collect();
        let vectors = axes.iter().zip(&lengths).map(|(&(name, ..), length)| (name, &length[..]));
        let arrays = vectors.chain(names.iter().map(|name| (name.as_str(), &shape[..])));
        let mut archive = Npz::new(writer, &arrays.collect::<Vec<_>>())?;
        for (index, &(_, count, node)) in axes.iter().enumerate() {
            for start in (0..count).step_by(BLOCK) {
                let nodes: Vec<f64> = (start..count.min(start + BLOCK)).map(node).collect();
                archive.write(index, &nodes)?;
            }
        }
        Ok(Self { archive, passed: axes.len(), first: axes.len() })
    }
}

impl<W: Write + Seek> Table for NpzTable<W> {
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
        for (index, column) in columns.iter().skip(self.passed).enumerate() {
            self.archive.write(self.first + index, column)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.archive.finish()
    }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "more numbers, or a longer name, than the format can hold")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;

    #[test]
    fn blocks_in_any_order_make_the_same_file() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [-0.0, f64::NAN]);
        let mut whole = Cursor::new(Vec::new());
        write(&mut whole, &[("a", &[2, 2], &a), ("b u/2", &[2], &b)]).unwrap();
        let mut blocks = Cursor::new(Vec::new());
        let mut archive = Npz::new(&mut blocks, &[("a", &[2, 2]), ("b u/2", &[2])]).unwrap();
        archive.write(1, &b[..1]).unwrap();
        archive.write(0, &a[..3]).unwrap();
        archive.write(1, &b[1..]).unwrap();
        assert!(archive.finish().is_err());
        archive.write(0, &a[3..]).unwrap();
        assert!(archive.write(0, &[5.0]).is_err());
        let mut archive = Npz::new(&mut blocks, &[("a", &[2, 2]), ("b u/2", &[2])]).unwrap();
        archive.write(1, &b).unwrap();
        archive.write(0, &a).unwrap();
        archive.finish().unwrap();
        assert_eq!(whole.into_inner(), blocks.into_inner());
    }

    /// Another implementation finds names, sizes and checksums in order.
    #[test]
    fn the_archive_is_read_back() {
        let mut file = Cursor::new(Vec::new());
        write(&mut file, &[("x", &[3], &[0.5; 3]), ("é", &[0, 7], &[])]).unwrap();
        let mut archive = ::zip::ZipArchive::new(file).unwrap();
        assert_eq!(archive.file_names().collect::<Vec<_>>(), ["x.npy", "é.npy"]);
        let mut content = Vec::new();
        archive.by_index(0).unwrap().read_to_end(&mut content).unwrap();
        assert_eq!(content, [npy::header(&[3]), bytes_of([0.5; 3].into_iter())].concat());
    }

    #[test]
    fn tables_become_lists_or_grids() {
        let (x, u) = ([0.0, 0.0, 1.0, 1.0], [5.0, 6.0, 7.0, 8.0]);
        let t = [2.0, 3.0, 2.0, 3.0];
        let mut list = Cursor::new(Vec::new());
        let names = ["x", "t", "u"].map(str::to_owned);
        let mut table = NpzTable::list(&mut list, &names, 4).unwrap();
        for half in [0..3, 3..4] {
            table.rows(&[&x[half.clone()], &t[half.clone()], &u[half]]).unwrap();
        }
        table.finish().unwrap();
        let mut expected = Cursor::new(Vec::new());
        write(&mut expected, &[("x", &[4], &x), ("t", &[4], &t), ("u", &[4], &u)]).unwrap();
        assert_eq!(list.into_inner(), expected.into_inner());

        let (mut grid, node) = (Cursor::new(Vec::new()), |i: usize| i as f64);
        let axes: [Axis<'_>; 2] = [("x", 2, &node), ("t", 2, &|i| 2.0 + i as f64)];
        let mut table = NpzTable::grid(&mut grid, &axes, &names[2..]).unwrap();
        table.rows(&[&x, &t, &u]).unwrap();
        table.finish().unwrap();
        let mut expected = Cursor::new(Vec::new());
        write(&mut expected, &[("x", &[2], &[0.0, 1.0]), ("t", &[2], &[2.0, 3.0]), ("u", &[2, 2], &u)])
            .unwrap();
        assert_eq!(grid.into_inner(), expected.into_inner());
    }

    #[test]
    fn impossible_shapes_are_refused() {
        for shape in [&[usize::MAX, 2][..], &[usize::MAX / 8]] {
            let archive = Npz::new(Cursor::new(Vec::new()), &[("a", &[4]), ("b", shape)]);
            assert!(archive.is_err(), "{shape:?}");
        }
    }
}
