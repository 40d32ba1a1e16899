//! Changes known files at random and reads what remains: `mutate TARGET COUNT SEED FILE…`. A change that
//! panics, or takes more than five seconds of processor time, two minutes of the clock or 500 MB, ends the
//! search and is told with its number; the same seed and number give the same bytes.
//! `mutate TARGET COUNT SEED --from NUMBER FILE…` begins there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// What a reader may take (the bar of the project): processor time, since machines are shared.
const LONGEST: Duration = Duration::from_secs(5);
/// Who waits takes no processor time.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// The most memory in megabytes, of this process at any time.
const MOST_MEMORY: f64 = 500.0;

/// The change that is being read.
static NUMBER: AtomicU64 = AtomicU64::new(0);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, count, seed, rest @ ..] = &arguments[..] else {
        panic!("mutate TARGET COUNT SEED [--from NUMBER] FILE…");
    };
    let (first, paths) = match rest {
        [option, number, paths @ ..] if option == "--from" => (number.parse().expect("a number"), paths),
        paths => (0, paths),
    };
    let read: fn(&[u8]) = match target.as_str() {
        "problem_file" => adamflip_fuzz::problem_file,
        "data_file" => adamflip_fuzz::data_file,
        "checkpoint" => adamflip_fuzz::checkpoint,
        "history" => adamflip_fuzz::history,
        "run_folder" => adamflip_fuzz::run_folder,
        other => panic!("there is no target `{other}`"),
    };
    let files = match target.as_str() {
        "run_folder" => adamflip_fuzz::run_files(),
        _ => paths.iter().map(|path| known(target, path)).collect(),
    };
    let (count, seed): (u64, u64) = (count.parse().expect("a count"), seed.parse().expect("a seed"));
    NUMBER.store(first, Ordering::Relaxed);
    std::thread::spawn(move || watch(seed));
    let mut slowest = Duration::ZERO;
    for number in first..count {
        NUMBER.store(number, Ordering::Relaxed);
        let bytes = mutated(&files, &mut Random(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let start = processor_time();
        if std::panic::catch_unwind(|| read(&bytes)).is_err() {
            panic!("seed {seed}, number {number} panics");
        }
        slowest = slowest.max(processor_time().saturating_sub(start));
        let memory = adamflip_run::peak_megabytes().unwrap_or(0.0);
        assert!(memory <= MOST_MEMORY, "seed {seed}, number {number} takes {memory:.0} MB");
        if number % 10_000 == 9_999 {
            println!("{} changes, the slowest took {slowest:?}, the most memory {memory:.0} MB", number + 1);
        }
    }
    println!(
        "{} changes of {} files with seed {seed}: no panic, the slowest took {slowest:?} of processor time",
        count - first,
        files.len()
    );
}

/// Ends the process where one change takes too long: it would never come back.
fn watch(seed: u64) {
    loop {
        let number = NUMBER.load(Ordering::Relaxed);
        let (start, processor) = (Instant::now(), processor_time());
        while NUMBER.load(Ordering::Relaxed) == number {
            std::thread::sleep(Duration::from_millis(200));
            let (waited, worked) = (start.elapsed(), processor_time() - processor);
            if worked > LONGEST || waited > LONGEST_WAIT {
                println!("seed {seed}, number {number} takes {worked:?} of processor time, {waited:?} of the clock");
                std::process::exit(1);
            }
        }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
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
