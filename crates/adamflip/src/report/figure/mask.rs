//! Which part of a map belongs to the domain, finer than the nodes: a curved edge drawn cell by cell is
//! ragged.

/// The part of a map that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Of every node whether its value counts.
    nodes: Vec<bool>,
    /// Of every pixel whether it is drawn, rows from the top.
    pixels: Vec<bool>,
}

impl Mask {
    /// Pixels along either side: two for each unit of the largest plot, so that programs that show it smooth
    /// its edge.
    pub(super) const SIDE: usize = 640;

    /// From the nodes that lie inside, and a rule for places in between: fractions of the axes, across and
    /// up.
    pub fn new(nodes: Vec<bool>, inside: impl Fn(f64, f64) -> bool) -> Self {
        let middle = |index: usize| (index as f64 + 0.5) / Self::SIDE as f64;
        let places = (0..Self::SIDE).flat_map(|row| (0..Self::SIDE).map(move |column| (column, row)));
        let pixels = places.map(|(column, row)| inside(middle(column), 1.0 - middle(row))).collect();
        Self { nodes, pixels }
    }

    /// Whether the value of a node counts.
    pub(super) fn counts(&self, node: usize) -> bool {
        self.nodes.get(node).copied().unwrap_or(false)
    }

    /// Whether a pixel inside lies along the edge of the domain; the edge of the map has its frame.
    pub(super) fn is_edge(&self, (column, row): (usize, usize)) -> bool {
        // Less than a unit of the page.
        const WIDTH: usize = 2;
        let last = Self::SIDE - 1;
        let (left, right) = (column.saturating_sub(WIDTH), (column + WIDTH).min(last));
        let (above, below) = (row.saturating_sub(WIDTH), (row + WIDTH).min(last));
        let near = [(left, row), (right, row), (column, above), (column, below)];
        near.iter().any(|&(column, row)| !self.pixels[row * Self::SIDE + column])
    }

    /// The node (i, j) of `columns` by `rows` that gives a pixel its colour: the nearest whose value counts,
    /// none for a pixel outside.
    pub(super) fn node(
        &self,
        (column, row): (usize, usize),
        (columns, rows): (usize, usize),
    ) -> Option<usize> {
        if !self.pixels[row * Self::SIDE + column] {
            return None;
        }
        let place =
            |pixel: usize, count: usize| (pixel as f64 + 0.5) / Self::SIDE as f64 * (count - 1) as f64;
        let (x, y) = (place(column, columns), place(Self::SIDE - 1 - row, rows));
        let (i, j) = (x.round() as usize, y.round() as usize);
        if self.counts(i * rows + j) {
            return Some(i * rows + j);
        }
        // A pixel inside is next to such a node, unless the domain is thinner than a cell.
        const REACH: usize = 2;
        let near =
            |middle: usize, count: usize| middle.saturating_sub(REACH)..(middle + REACH + 1).min(count);
        let nodes = near(i, columns).flat_map(|i| near(j, rows).map(move |j| (i, j)));
        let distance = |(i, j): (usize, usize)| (i as f64 - x).powi(2) + (j as f64 - y).powi(2);
        let inside = nodes.filter(|&(i, j)| self.counts(i * rows + j));
        inside.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).map(|(i, j)| i * rows + j)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_inside_take_the_nearest_node_inside() {
        // Three by three nodes, of which the left column counts; the pixels of the left 40 % are inside.
        let nodes = (0..9).map(|node| node < 3).collect();
        let mask = Mask::new(nodes, |x, _| x < 0.4);
        let last = Mask::SIDE - 1;
        assert_eq!(mask.node((0, last), (3, 3)), Some(0), "lower left");
        assert_eq!(mask.node((0, 0), (3, 3)), Some(2), "upper left");
        let right_of_the_column = Mask::SIDE * 38 / 100;
        assert_eq!(
            mask.node((right_of_the_column, last), (3, 3)),
            Some(0),
            "the nearest node does not count"
        );
        assert_eq!(mask.node((last, last), (3, 3)), None, "outside");
        let edge = Mask::SIDE * 4 / 10 - 1;
        assert!(mask.is_edge((edge, 0)) && !mask.is_edge((edge - 9, 0)) && !mask.is_edge((0, 0)));
    }

    #[test]
    fn no_node_inside_leaves_a_blank() {
        assert_eq!(Mask::new(vec![false; 9], |_, _| true).node((9, 9), (3, 3)), None);
        assert_eq!(Mask::new(Vec::new(), |_, _| true).node((9, 9), (1, 1)), None);
    }
}
