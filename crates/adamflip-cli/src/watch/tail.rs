//! A history file that grows while it is read: each look reads only what is new.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

use adamflip::checkpoint::regular;
use adamflip::history::History;

/// The most that is read at once, so that a long file needs no long text in memory.
const CHUNK: u64 = 4 << 20;

/// Where reading stands.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    /// The first line, with its end; empty before it is there.
    header: String,
    /// The last line that was read, with its end, and where it ends.
    last: Vec<u8>,
    end: u64,
}

/// What a look found.
#[derive(Debug)]
pub(crate) enum TailUpdate {
    /// Nothing new.
    Nothing,
    /// New rows; there may be more of them.
    Rows(History),
    /// Another file is there: a resumed run drops the rows after its checkpoint.
    Replaced,
}

impl Tail {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, header: String::new(), last: Vec::new(), end: 0 }
    }

    /// Looks at the file again.
    pub(crate) fn look(&mut self) -> io::Result<TailUpdate> {
        let text = match regular::open_to_read(&self.path) {
            Ok(file) => self.rest(file)?,
            Err(error) if error.kind() == ErrorKind::NotFound && self.end == 0 => {
                return Ok(TailUpdate::Nothing);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some(text) = text else {
            *self = Self::new(std::mem::take(&mut self.path));
            return Ok(TailUpdate::Replaced);
        };
        self.take(&text)
    }

    /// What comes after the last line; nothing if that is not there any more.
    fn rest(&self, mut file: File) -> io::Result<Option<Vec<u8>>> {
        let known = self.last.len();
        file.seek(SeekFrom::Start(self.end - known as u64))?;
        let mut text = Vec::new();
        file.take(known as u64 + CHUNK).read_to_end(&mut text)?;
        Ok(text.starts_with(&self.last).then(|| text.split_off(known)))
    }

    /// Takes in the lines that have an end.
    fn take(&mut self, text: &[u8]) -> io::Result<TailUpdate> {
        let Some(size) = text.iter().rposition(|&byte| byte == b'\n').map(|place| place + 1) else {
            let endless = text.len() as u64 >= CHUNK;
            return if endless { Err(invalid("a line of it has no end")) } else { Ok(TailUpdate::Nothing) };
        };
        let lines = std::str::from_utf8(&text[..size]).map_err(|_| invalid("it is not UTF-8"))?;
        let whole = format!("{}{lines}", self.header);
        let history = History::parse(&whole).map_err(|error| invalid(&error.to_string()))?;
        if self.header.is_empty() {
            self.header = lines.split_inclusive('\n').next().unwrap_or_default().to_owned();
        }
        let last = lines.split_inclusive('\n').next_back().unwrap_or_default();
        (self.last, self.end) = (last.as_bytes().to_vec(), self.end + size as u64);
        Ok(TailUpdate::Rows(history))
    }
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const HEADER: &str = "step,stage,method,seconds\n";

    fn steps(tail: &mut Tail) -> Vec<f64> {
        match tail.look().unwrap() {
            TailUpdate::Rows(history) => history.steps().to_vec(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_what_is_new_is_read_and_lines_come_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.csv");
        let mut tail = Tail::new(path.clone());
        assert!(matches!(tail.look().unwrap(), TailUpdate::Nothing));
        let mut file = File::create(&path).unwrap();
        let mut write = |text: &str| file.write_all(text.as_bytes()).unwrap();
        write("step,sta");
        assert!(matches!(tail.look().unwrap(), TailUpdate::Nothing));
        write("ge,method,seconds\n");
        assert!(steps(&mut tail).is_empty());
        write("1,0,adam,0.1\n2,0,ad");
        assert_eq!(steps(&mut tail), [1.0]);
        assert!(matches!(tail.look().unwrap(), TailUpdate::Nothing));
        write("am,0.2\n3,0,adam,0.3\n");
        assert_eq!(steps(&mut tail), [2.0, 3.0]);
    }

    #[test]
    fn a_resumed_run_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.csv");
        let mut tail = Tail::new(path.clone());
        // Shorter, or longer but other: step 2 took another time.
        for text in ["1,0,adam,0.100\n", "1,0,adam,0.100\n2,0,adam,0.999\n3,0,adam,1.000\n"] {
            tail = Tail::new(path.clone());
            std::fs::write(&path, format!("{HEADER}1,0,adam,0.100\n2,0,adam,0.200\n")).unwrap();
            assert_eq!(steps(&mut tail), [1.0, 2.0]);
            std::fs::write(&path, format!("{HEADER}{text}")).unwrap();
            assert!(matches!(tail.look().unwrap(), TailUpdate::Replaced));
            assert_eq!(steps(&mut tail).len(), text.lines().count());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(tail.look().unwrap(), TailUpdate::Replaced));
        assert!(matches!(tail.look().unwrap(), TailUpdate::Nothing));
    }

    #[test]
    fn long_files_come_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.csv");
        let rows = 400_000;
        let lines: String = (1..=rows).map(|row| format!("{row},0,adam,{row}.125\n")).collect();
        assert!(lines.len() as u64 > 2 * CHUNK);
        std::fs::write(&path, format!("{HEADER}{lines}")).unwrap();
        let mut tail = Tail::new(path);
        let mut seen = 0.0;
        while let TailUpdate::Rows(history) = tail.look().unwrap() {
            history.steps().iter().for_each(|&step| {
                assert_eq!(step, seen + 1.0);
                seen = step;
            });
        }
        assert_eq!(seen, f64::from(rows));
    }

    #[test]
    fn foreign_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.csv");
        for (content, reason) in [
            (&b"a,b\n1,2\n"[..], "line 1"),
            (b"step,stage,method,seconds\n1,0,adam,soon\n", "`soon` is not a number"),
            (b"\xff\xfe\n", "UTF-8"),
            (&vec![b'1'; CHUNK as usize], "no end"),
        ] {
            std::fs::write(&path, content).unwrap();
            let error = Tail::new(path.clone()).look().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
