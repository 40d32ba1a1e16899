//! Several ranks in one process: whatever is shared out comes to the bits of one rank alone.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use adamflip::checkpoint::Checkpoint;
use adamflip::objective::{Objective, values, values_among};
use adamflip::optim::{ConstrainedProblem, Evaluation, Method, Want};
use adamflip::problem::{self, Problem};
use adamflip::ranks::{Communicator, Ranks};
use adamflip::train;
use adamflip::train::{Status, Trainer};

use super::objective::{CONDITIONS, HISTORY, NETWORKS, SYSTEM};

/// What ranks have laid down, and how often all of them have met.
#[derive(Debug, Default)]
struct Table {
    slots: Vec<Vec<f64>>,
    here: usize,
    meetings: usize,
}

/// One of several threads that play ranks.
#[derive(Debug)]
struct Player {
    rank: usize,
    size: usize,
    table: Arc<(Mutex<Table>, Condvar)>,
}

impl Player {
    /// All of them; each has what the others have laid down.
    fn lay(&self, own: Vec<f64>) -> Vec<Vec<f64>> {
        self.wait(|table| table.slots[self.rank] = own);
        let (table, _) = &*self.table;
        let slots = table.lock().unwrap().slots.clone();
        self.wait(|_| ());
        slots
    }

    fn wait(&self, then: impl FnOnce(&mut Table)) {
        let (table, all_here) = &*self.table;
        let mut table = table.lock().unwrap();
        then(&mut table);
        table.here += 1;
        let meeting = table.meetings;
        if table.here == self.size {
            (table.here, table.meetings) = (0, meeting + 1);
            all_here.notify_all();
        }
        // Whoever makes other calls than the rest would wait for ever.
        let limit = Duration::from_secs(300);
        let met = all_here.wait_timeout_while(table, limit, |table| table.meetings == meeting).unwrap();
        assert!(!met.1.timed_out(), "rank {} waits for the others", self.rank);
    }
}

impl Communicator for Player {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&self, own: &[f64], counts: &[usize], all: &mut [f64]) {
        let slots = self.lay(own.to_vec());
        assert!(slots.iter().map(Vec::len).eq(counts.iter().copied()));
        all.copy_from_slice(&slots.concat());
    }

    fn exchange(&self, out: &[f64], out_counts: &[usize], into: &mut [f64], into_counts: &[usize]) {
        // The counts, then the numbers.
        let counts = self.lay(out_counts.iter().map(|&count| count as f64).collect());
        let mut received = Vec::new();
        for (rank, slot) in self.lay(out.to_vec()).iter().enumerate() {
            let start: f64 = counts[rank][..self.rank].iter().sum();
            let count = counts[rank][self.rank];
            assert_eq!(count as usize, into_counts[rank]);
            received.extend_from_slice(&slot[start as usize..(start + count) as usize]);
        }
        into.copy_from_slice(&received);
    }

    fn meet(&self) {
        self.wait(|_| ());
    }
}

/// What every rank comes to, each on threads of its own.
fn on_ranks<T: Send>(size: usize, threads: usize, work: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
    let slots = vec![Vec::new(); size];
    let table = Arc::new((Mutex::new(Table { slots, ..Table::default() }), Condvar::new()));
    let play = |rank| {
        let ranks = Ranks::by(Arc::new(Player { rank, size, table: table.clone() }));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| work(ranks))
    };
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..size).map(|rank| scope.spawn(move || play(rank))).collect();
        players.into_iter().map(|player| player.join().unwrap()).collect()
    })
}

fn problem(text: &str) -> Problem {
    crate::testing::problem(text)
}

/// Everything that an objective can be asked for, at one θ.
fn asked(ranks: &Ranks, problem: &Problem, pointwise: bool) -> Vec<Vec<f64>> {
    let trainer = Trainer::new(problem.clone(), 5, Vec::new()).unwrap();
    let (model, θ) = train::model(problem, 5);
    let mut objective = Objective::among(ranks, problem, Arc::new(model), trainer.points());
    objective.set_pointwise(Some(pointwise));
    let (size, entries) = (objective.parameters(), objective.constraints());
    let mut all = Vec::new();
    let mut at = Evaluation::new(size, entries);
    for want in [Want::Values, Want::Gradients, Want::Combination(&vec![0.7; entries])] {
        objective.evaluate(&θ, want, &mut at);
        all.extend([vec![at.objective], at.constraints.clone(), at.gradient.clone()]);
    }
    all.push(at.jacobian.rows().to_vec());
    all.push(objective.misfits().iter().flat_map(|misfit| [misfit.mse, misfit.max]).collect());
    objective.evaluate(&θ, Want::Products, &mut at);
    let mut back = vec![0.0; size];
    at.jacobian.add_transposed(&vec![1.5; entries], &mut back);
    all.push(back);
    let mut lower = vec![0.25; size * size];
    objective.add_gauss_newton(&θ, &vec![1.0; entries], &mut lower);
    all.push(lower.chunks(size).enumerate().flat_map(|(row, numbers)| numbers[..=row].to_vec()).collect());
    let residuals: usize = objective.residual_blocks().iter().map(|block| block.size).sum();
    let (mut out, w) = (vec![0.0; residuals], vec![0.5; residuals]);
    objective.residuals(&θ, &mut out);
    all.push(out.clone());
    objective.jvp(&θ, &vec![0.125; size], &mut out);
    all.push(out.clone());
    objective.row_squares(&θ, &mut out);
    let mut product = vec![0.0; size];
    objective.vjp(&θ, &w, &mut product);
    all.extend([out, product]);
    let mut visited = Vec::new();
    objective.visit_rows(&θ, &mut |first, residuals, rows| {
        visited.push(first as f64);
        visited.extend(residuals.iter().chain(rows));
    });
    all.push(visited);
    for (term, points) in problem.terms.iter().zip(trainer.points()) {
        let (model, unknowns) = (objective.model(), &problem.unknowns);
        let own = values_among(ranks, &term.residual, model, unknowns, &θ, points);
        assert_eq!(own, values(&term.residual, model, unknowns, &θ, points));
        all.extend(own);
    }
    all
}

#[test]
fn all_that_an_objective_says_is_the_same_on_any_number_of_ranks() {
    for text in [SYSTEM, HISTORY, NETWORKS, CONDITIONS] {
        for pointwise in [false, true] {
            let problem = problem(text);
            let alone = asked(&Ranks::default(), &problem, pointwise);
            for (size, threads) in [(2, 1), (3, 2), (5, 1)] {
                for (rank, said) in
                    on_ranks(size, threads, |ranks| asked(&ranks, &problem, pointwise)).iter().enumerate()
                {
                    let differs = said.iter().zip(&alone).position(|(said, alone)| said != alone);
                    assert_eq!(differs, None, "{size} ranks, rank {rank}, pointwise {pointwise}");
                }
            }
        }
    }
}

/// An inverse problem whose points are drawn again by their residuals, and added to.
const ADAPTIVE: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = { start = 0.5, bounds = [0, 2] }
[term.pde]
equation = "u_t = k*u_xx"
points = 90
adaptive = "rad"
[term.again]
equation = "u_t - k*u_xx = 0"
points = 40
adaptive = "rar"
[term.start]
on = "t = 0"
equation = "u = sin(pi*x)"
points = 33
[term.sensors]
data = "reference"
points = 40
noise = 0.01
role = "constraint"
[reference]
u = "exp(-pi^2*t)*sin(pi*x)"
[network]
hidden = [6, 6]
[train]
resample = 3
lanes = 5
"#;

/// The bytes of the state after some steps, in two parts by other ranks.
fn trained(ranks: &Ranks, problem: &Problem, method: &Method, parts: [usize; 2]) -> Vec<u8> {
    let stages = problem::plan::with_method(&problem.stages, method);
    let mut trainer = Trainer::new(problem.clone(), 2, stages).unwrap();
    trainer.observe(2);
    trainer.join(ranks.clone());
    trainer.advance(parts[0]);
    let snapshot = Checkpoint::of(&trainer).snapshot;
    let stages = trainer.stages().to_vec();
    let mut trainer = Trainer::new(problem.clone(), 2, stages).unwrap();
    trainer.observe(2);
    trainer.restore(snapshot).unwrap();
    if parts[1].is_multiple_of(2) {
        trainer.join(ranks.clone());
    }
    assert!(matches!(trainer.advance(parts[1]), Status::Interrupted | Status::MaxSteps | Status::Stagnated));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    Checkpoint::of(&trainer).write(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn every_method_trains_to_the_same_state_on_any_number_of_ranks() {
    let problem = problem(ADAPTIVE);
    for name in Method::NAMES {
        let method = Method::named(name).unwrap();
        let alone = trained(&Ranks::default(), &problem, &method, [3, 4]);
        for (size, threads) in [(2, 2), (4, 1)] {
            let states = on_ranks(size, threads, |ranks| trained(&ranks, &problem, &method, [3, 4]));
            assert!(states.iter().all(|state| *state == alone), "{name} on {size} ranks");
        }
        // The last steps by one rank alone.
        let states = on_ranks(3, 1, |ranks| trained(&ranks, &problem, &method, [4, 3]));
        assert!(states.iter().all(|state| *state == alone), "{name} from three ranks to one");
    }
}

/// With the same number of lanes the bits are the same; with another the sums have another order.
#[test]
fn lanes_are_a_key_of_the_file() {
    let lanes = |lanes: usize, ranks: &Ranks| {
        let problem = problem(&ADAPTIVE.replace("lanes = 5", &format!("lanes = {lanes}")));
        let mut trainer = Trainer::new(problem, 2, Vec::new()).unwrap();
        trainer.join(ranks.clone());
        (trainer.objective().lanes(), trainer.misfits().iter().map(|misfit| misfit.mse).collect::<Vec<_>>())
    };
    let (count, one) = lanes(1, &Ranks::default());
    // The walls of this problem are observations: four terms.
    assert_eq!(count, 4);
    let (count, two) = lanes(2, &Ranks::default());
    assert_eq!(count, 8);
    // Two sums of some dozens of squares instead of one: rounding alone.
    assert!(one.iter().zip(&two).all(|(one, two)| (one - two).abs() <= 1e-14 * one));
    assert!(on_ranks(4, 1, |ranks| lanes(1, &ranks).1).iter().all(|said| *said == one));
    assert!(on_ranks(3, 1, |ranks| lanes(2, &ranks).1).iter().all(|said| *said == two));
}

/// What the module says of the numbers that are exchanged for a gradient: (L/R)·P·(R − 1)/R and (P/R)·(R − 1)
/// a term, and two numbers a lane to all others.
#[test]
fn the_bytes_of_a_gradient_are_those_of_the_formula() {
    let text = ADAPTIVE.replace("lanes = 5", "lanes = 2").replace("hidden = [6, 6]", "hidden = [32, 32]");
    let problem = problem(&text);
    let size = 2;
    let sent = on_ranks(size, 1, |ranks| {
        let trainer = Trainer::new(problem.clone(), 2, Vec::new()).unwrap();
        let (model, θ) = train::model(&problem, 2);
        let mut objective = Objective::among(&ranks, &problem, Arc::new(model), trainer.points());
        let mut at = Evaluation::new(θ.len(), objective.constraints());
        objective.evaluate(&θ, Want::Gradients, &mut at);
        (ranks.bytes_sent(), θ.len(), objective.lanes())
    });
    let (parameters, lanes) = (sent[0].1, sent[0].2);
    let total: u64 = sent.iter().map(|sent| sent.0).sum();
    let others = size - 1;
    let numbers =
        lanes * parameters * others / size + problem.terms.len() * parameters * others + 2 * lanes * others;
    let expected = 8.0 * numbers as f64;
    // Parts are cut at multiples of 64 numbers.
    assert!((total as f64 - expected).abs() < 0.05 * expected, "{total} {expected}");
}
