//! Changes known files at random and reads what remains: `mutate TARGET COUNT SEED FILE…`. A change that
//! takes more than five seconds or panics is told with its number; the same seed and number give the same
//! bytes.

use std::time::{Duration, Instant};

/// What a reader may take (the bar of the project).
const LONGEST: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, count, seed, files @ ..] = &arguments[..] else {
        panic!("mutate TARGET COUNT SEED FILE…");
    };
    let read: fn(&[u8]) = match target.as_str() {
        "problem_file" => adamflip_fuzz::problem_file,
        "data_file" => adamflip_fuzz::data_file,
        "checkpoint" => adamflip_fuzz::checkpoint,
        "history" => adamflip_fuzz::history,
        other => panic!("there is no target `{other}`"),
    };
    let files: Vec<Vec<u8>> = files.iter().map(|path| known(target, path)).collect();
    let (count, seed): (u64, u64) = (count.parse().expect("a count"), seed.parse().expect("a seed"));
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        let bytes = mutated(&files, &mut Random(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let start = Instant::now();
        if std::panic::catch_unwind(|| read(&bytes)).is_err() {
            panic!("seed {seed}, number {number} panics");
        }
        slowest = slowest.max(start.elapsed());
        assert!(start.elapsed() < LONGEST, "seed {seed}, number {number} takes {:?}", start.elapsed());
    }
    println!("{count} changes of {} files with seed {seed}: no panic, the slowest took {slowest:?}", files.len());
}

/// The bytes of a file; for data files the format comes first.
fn known(target: &str, path: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    if target == "data_file" {
        let format = [".csv", ".npy", ".npz", ".mat"].iter().position(|ending| path.ends_with(ending));
        bytes.insert(0, format.expect("a format of data files") as u8);
    }
    bytes
}

/// One to four changes: bytes replaced, pieces removed, doubled, moved between files or made extreme.
fn mutated(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const EXTREME: [&str; 8] = ["1e308", "-1", "99999999999", "nan", "[", "\"", "u_xxxxx", "((((((((("];
    let mut bytes = files[random.below(files.len())].clone();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = bytes.len().min(at + 1 + random.below(40));
        let other = &files[random.below(files.len())];
        let from = random.below(other.len() + 1);
        let piece = &other[from..other.len().min(from + 1 + random.below(60))];
        match random.below(6) {
            0 => drop(bytes.splice(at..end, [random.below(256) as u8])),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, piece.iter().copied())),
            3 => drop(bytes.splice(at..end, piece.iter().copied())),
            4 => drop(bytes.splice(at..end, EXTREME[random.below(EXTREME.len())].bytes())),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}
