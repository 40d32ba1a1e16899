//! Moments in the eigenbasis of the layers: each layer's matrix of parameters X (inputs and bias × outputs)
//! is seen as X′ = B X Cᵀ, where the rows of B and C are slowly turning eigenvectors of the running averages
//! of G Gᵀ and GᵀG.
//!
//! Adam scales every entry by itself, and so cannot see a valley that does not run along the axes. The
//! gradient G of a layer is a sum of outer products of its inputs and its outputs' adjoints, and the two
//! averages say where those lie: in their eigenbasis the entries are nearly uncorrelated, and to scale each
//! by itself is nearly right. Reference: Vyas et al. 2024 (SOAP). As there the averages take β₂, and a basis
//! takes one step of orthogonal iteration every this many updates, which needs no eigenvalue problem. Other
//! than there the biases of a layer are a row of its matrix, that of the constant input, and the mean of the
//! gradients is kept in the basis and turned with it, which saves two products of matrices a step.

use super::Matrix;
use crate::linalg::{Factor, SymmetricEigen, accumulate_product, add_scaled, dot, multiply_matrices, norm};

/// What a basis keeps of directions that the average does not know, relative to the mean eigenvalue: far
/// below what matters, far above what underflows.
const FLOOR: f64 = 1e-14;

/// The bases of all layers. Parameters outside of layers stay as they are.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    layers: Vec<Layer>,
    /// Updates between two turns of the bases.
    every: usize,
    /// Room for a gradient and a step in the bases.
    pub(super) gradient: Vec<f64>,
    pub(super) step: Vec<f64>,
    /// Room for a matrix.
    room: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Layer {
    matrix: Matrix,
    left: Side,
    right: Side,
}

/// One side of a matrix: the average of G Gᵀ (or GᵀG), and the basis with one vector a row.
#[derive(Clone, Debug)]
struct Side {
    size: usize,
    average: Vec<f64>,
    basis: Vec<f64>,
}

impl Rotation {
    pub(crate) fn new(parameters: usize, matrices: &[Matrix], every: usize) -> Self {
        let layer = |&matrix: &Matrix| Layer {
            matrix,
            left: Side::new(matrix.rows),
            right: Side::new(matrix.columns),
        };
        let largest = matrices.iter().map(|matrix| matrix.rows.max(matrix.columns)).max().unwrap_or(0);
        Self {
            layers: matrices.iter().map(layer).collect(),
            every: every.max(1),
            gradient: vec![0.0; parameters],
            step: vec![0.0; parameters],
            room: vec![0.0; largest * largest],
        }
    }

    /// Takes in a gradient, the one of this number from 0, and leaves it in the bases in `gradient`. Where it
    /// is time the bases turn, and `mean`, which is kept in them, with them.
    pub(super) fn take(&mut self, g: &[f64], β: f64, number: usize, mean: &mut [f64]) {
        let Self { layers, every, gradient, room, .. } = self;
        gradient.copy_from_slice(g);
        for layer in layers {
            layer.average(layer.matrix.of(g), if number == 0 { 1.0 } else { 1.0 - β });
            if number == 0 {
                layer.left.begin();
                layer.right.begin();
            } else if number.is_multiple_of(*every) {
                let mean = layer.matrix.of_mut(mean);
                layer.back(mean, room);
                layer.left.turn(room);
                layer.right.turn(room);
                layer.forward(mean, room);
            }
            layer.forward(layer.matrix.of_mut(gradient), room);
        }
    }

    /// Adds `step`, which is in the bases, to θ.
    pub(super) fn add_step(&mut self, θ: &mut [f64]) {
        let Self { layers, step, room, .. } = self;
        layers.iter().for_each(|layer| layer.back(layer.matrix.of_mut(step), room));
        add_scaled(θ, 1.0, step);
    }

    /// Averages and bases, layer by layer.
    pub(super) fn state(&self) -> Vec<f64> {
        let sides = self.layers.iter().flat_map(|layer| [&layer.left, &layer.right]);
        sides.flat_map(|side| side.average.iter().chain(&side.basis)).copied().collect()
    }

    /// Takes back what [`state`](Self::state) gave; its length was checked.
    pub(super) fn restore(&mut self, saved: &[f64]) {
        let sides = self.layers.iter_mut().flat_map(|layer| [&mut layer.left, &mut layer.right]);
        let lists = sides.flat_map(|side| [&mut side.average, &mut side.basis]);
        let mut rest = saved;
        for list in lists {
            let (own, after) = rest.split_at(list.len());
            list.copy_from_slice(own);
            rest = after;
        }
    }
}

impl Layer {
    fn average(&mut self, g: &[f64], share: f64) {
        let columns = self.matrix.columns;
        self.left.average(share, Factor::of(g, columns), Factor::transposed(g, columns));
        self.right.average(share, Factor::transposed(g, columns), Factor::of(g, columns));
    }

    /// X ← B X Cᵀ.
    fn forward(&self, x: &mut [f64], room: &mut [f64]) {
        let Matrix { rows, columns, .. } = self.matrix;
        let room = &mut room[..rows * columns];
        multiply_matrices(room, Factor::of(&self.left.basis, rows), Factor::of(x, columns));
        multiply_matrices(x, Factor::of(room, columns), Factor::transposed(&self.right.basis, columns));
    }

    /// X ← Bᵀ X C.
    fn back(&self, x: &mut [f64], room: &mut [f64]) {
        let Matrix { rows, columns, .. } = self.matrix;
        let room = &mut room[..rows * columns];
        multiply_matrices(room, Factor::transposed(&self.left.basis, rows), Factor::of(x, columns));
        multiply_matrices(x, Factor::of(room, columns), Factor::of(&self.right.basis, columns));
    }
}

impl Side {
    fn new(size: usize) -> Self {
        let mut basis = vec![0.0; size * size];
        (0..size).for_each(|i| basis[i * size + i] = 1.0);
        Self { size, average: vec![0.0; size * size], basis }
    }

    /// Takes a product into the average.
    fn average(&mut self, share: f64, left: Factor<'_>, right: Factor<'_>) {
        self.average.iter_mut().for_each(|x| *x *= 1.0 - share);
        accumulate_product(&mut self.average, share, left, right);
    }

    /// The eigenvectors of the first average, those of the largest eigenvalues first: orthogonal iteration
    /// keeps that order.
    fn begin(&mut self) {
        let mut eigen = SymmetricEigen::new(self.size);
        if eigen.decompose(&self.average).is_ok() {
            let vectors = eigen.vectors.chunks_exact(self.size).rev();
            self.basis.chunks_exact_mut(self.size).zip(vectors).for_each(|(row, v)| row.copy_from_slice(v));
        }
    }

    /// One step of orthogonal iteration: the basis times the average, made orthonormal again.
    fn turn(&mut self, room: &mut [f64]) {
        let n = self.size;
        let mean = (0..n).map(|i| self.average[i * n + i]).sum::<f64>() / n as f64;
        let room = &mut room[..n * n];
        multiply_matrices(room, Factor::of(&self.basis, n), Factor::of(&self.average, n));
        add_scaled(room, FLOOR * mean, &self.basis);
        for i in 0..n {
            let (before, rest) = room.split_at_mut(i * n);
            let row = &mut rest[..n];
            // Twice is enough: what the first pass leaves by cancellation, the second removes.
            for _ in 0..2 {
                normalize(row);
                before.chunks_exact(n).for_each(|other| add_scaled(row, -dot(row, other), other));
            }
            normalize(row);
        }
        // An average of nothing, as of a parameter that no equation sees, has no basis.
        if room.iter().all(|x| x.is_finite()) {
            self.basis.copy_from_slice(room);
        }
    }
}

fn normalize(v: &mut [f64]) {
    let length = norm(v);
    v.iter_mut().for_each(|x| *x /= length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::Betas;
    use crate::optim::moments::Moments;

    const MATRIX: Matrix = Matrix { first: 1, rows: 4, columns: 3 };

    /// Gradients of a layer whose inputs and adjoints vary along fixed oblique directions, by a hash of the
    /// step.
    fn gradient(number: usize) -> Vec<f64> {
        let noise = |k: usize| (((number * 31 + k) as f64 * 12.9898).sin() * 43758.5453).fract() - 0.5;
        let a = |i: usize| {
            (0..4).map(|k| noise(k) * 10f64.powi(-(k as i32)) * ((i * k + i) as f64 + 0.3).cos()).sum::<f64>()
        };
        let z = |j: usize| {
            (0..3).map(|k| noise(9 + k) * 3f64.powi(-(k as i32)) * ((j * k) as f64 + 0.7).sin()).sum::<f64>()
        };
        let outer = (0..12).map(|at| a(at / 3) * z(at % 3));
        [noise(20)].into_iter().chain(outer).chain([noise(21)]).collect()
    }

    fn rotated() -> Rotation {
        let mut rotation = Rotation::new(14, &[MATRIX], 2);
        let mut mean = vec![0.0; 14];
        (0..400).for_each(|number| rotation.take(&gradient(number), 0.99, number, &mut mean));
        rotation
    }

    #[test]
    fn bases_are_orthonormal_eigenvectors() {
        let rotation = rotated();
        for side in [&rotation.layers[0].left, &rotation.layers[0].right] {
            let n = side.size;
            let times =
                |v: &[f64]| -> Vec<f64> { side.average.chunks_exact(n).map(|row| dot(row, v)).collect() };
            let trace: f64 = (0..n).map(|i| side.average[i * n + i]).sum();
            for (i, row) in side.basis.chunks_exact(n).enumerate() {
                for (k, other) in side.basis.chunks_exact(n).enumerate() {
                    let expected = if i == k { 1.0 } else { 0.0 };
                    assert!((dot(row, other) - expected).abs() < 1e-14);
                    // The average still moves by 1% a gradient, and the iteration follows.
                    let coupling = dot(&times(row), other).abs();
                    assert!(i == k || coupling < 1e-2 * trace, "{i} {k}: {coupling} of {trace}");
                }
            }
        }
    }

    #[test]
    fn to_the_bases_and_back() {
        let mut rotation = rotated();
        let g = gradient(7);
        let layer = rotation.layers[0].clone();
        let mut x = g.clone();
        layer.forward(MATRIX.of_mut(&mut x), &mut rotation.room);
        // Rotations keep lengths.
        assert!((norm(MATRIX.of(&x)) - norm(MATRIX.of(&g))).abs() < 1e-14);
        layer.back(MATRIX.of_mut(&mut x), &mut rotation.room);
        assert!(x.iter().zip(&g).all(|(x, g)| (x - g).abs() < 1e-15), "{x:?} against {g:?}");
    }

    /// f(X) = ½ Σ s_i (p_iᵀ X q)², a valley along oblique axes: in the bases of its gradients it is
    /// separable.
    #[test]
    fn oblique_valleys_are_no_harder_than_straight_ones() {
        let n = 6;
        let valley = |i: usize| -> Vec<f64> {
            // Rows of the cosine transform: orthonormal, along no axis.
            let scale = (if i == 0 { 1.0 } else { 2.0 } / n as f64).sqrt();
            (0..n)
                .map(|k| scale * (std::f64::consts::PI * (k as f64 + 0.5) * i as f64 / n as f64).cos())
                .collect()
        };
        let directions: Vec<Vec<f64>> = (0..n).map(valley).collect();
        let stiffness = |i: usize| 10f64.powi(-(i as i32));
        let run = |mut moments: Moments| {
            let mut x: Vec<f64> = (0..n * n).map(|i| (i as f64 * 1.7).sin()).collect();
            for _ in 0..2_000 {
                let mut g = vec![0.0; n * n];
                for (i, p) in directions.iter().enumerate() {
                    for column in 0..n {
                        let along: f64 = (0..n).map(|row| p[row] * x[row * n + column]).sum();
                        (0..n).for_each(|row| g[row * n + column] += stiffness(i) * along * p[row]);
                    }
                }
                moments.step(Betas { first: 0.9, second: 0.99 }, 1e-12, 1e-2, &g, &mut x);
            }
            let along =
                |p: &Vec<f64>, column: usize| (0..n).map(|row| p[row] * x[row * n + column]).sum::<f64>();
            let f = |i: usize| (0..n).map(|c| stiffness(i) * along(&directions[i], c).powi(2)).sum::<f64>();
            (0..n).map(f).sum::<f64>()
        };
        let matrix = Matrix { first: 0, rows: n, columns: n };
        let (plain, turned) = (run(Moments::new(n * n)), run(Moments::new(n * n).turning(10, &[matrix])));
        // Measured: a hundred times and more.
        assert!(turned < 0.1 * plain, "{turned} against {plain}");
    }

    #[test]
    fn a_saved_rotation_goes_on_exactly() {
        let mut rotation = rotated();
        let mut restored = Rotation::new(14, &[MATRIX], 2);
        restored.restore(&rotation.state());
        let mut means = [vec![0.5; 14], vec![0.5; 14]];
        for number in 400..403 {
            rotation.take(&gradient(number), 0.99, number, &mut means[0]);
            restored.take(&gradient(number), 0.99, number, &mut means[1]);
        }
        assert_eq!(means[0], means[1]);
        assert_eq!(rotation.gradient, restored.gradient);
    }

    #[test]
    fn gradients_of_nothing_turn_nothing() {
        let mut rotation = Rotation::new(14, &[MATRIX], 1);
        let mut mean = vec![0.0; 14];
        (0..3).for_each(|number| rotation.take(&[0.0; 14], 0.99, number, &mut mean));
        assert!(rotation.layers[0].left.basis.iter().all(|x| x.is_finite()));
    }
}
