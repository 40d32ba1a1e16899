//! Arrays with names, as NPZ and MATLAB files hold them.

use super::request::elements;

/// Numbers with a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    /// The length of each axis.
    pub(super) shape: Vec<usize>,
    strides: Vec<usize>,
    values: Vec<f64>,
}

/// What stands under a name in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// Numbers, as many as the shape says.
    Numbers(Array),
    /// Complex numbers, which no column can hold.
    Complex,
    /// Something else: `text`, `a structure`.
    Other(String),
    /// Not asked for.
    Unread,
}

/// A name in a file, and what stands there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) content: Content,
}

impl Array {
    /// `values` in the order of the file: the first axis fastest when `column_major`, else the last.
    pub(super) fn new(shape: Vec<usize>, column_major: bool, values: Vec<f64>) -> Self {
        debug_assert_eq!(elements(&shape), values.len() as u128);
        // Only an array without elements can have lengths whose product is beyond all numbers.
        let mut strides = vec![1usize; shape.len()];
        for k in 1..shape.len() {
            match column_major {
                true => strides[k] = strides[k - 1].saturating_mul(shape[k - 1]),
                false => {
                    let axis = shape.len() - k;
                    strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
                }
            }
        }
        Self { shape, strides, values }
    }

    /// The lengths of the axes that are not 1: `4 × 1`, `1 × 4` and `4` are the same vector.
    pub(super) fn essential(&self) -> Vec<usize> {
        self.shape.iter().copied().filter(|&length| length != 1).collect()
    }

    /// Without axes of length 1.
    pub(super) fn squeezed(self) -> Self {
        let kept = self.shape.iter().zip(&self.strides).filter(|&(&length, _)| length != 1);
        let (shape, strides) = kept.map(|(&length, &stride)| (length, stride)).unzip();
        Self { shape, strides, values: self.values }
    }

    /// The numbers with the axes in this order, the last fastest.
    pub(super) fn in_order(self, axes: &[usize]) -> Vec<f64> {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides: Vec<usize> = axes.iter().map(|&axis| self.strides[axis]).collect();
        let mut index = vec![0; axes.len()];
        let mut offset = 0;
        let mut values = Vec::with_capacity(self.values.len());
        for _ in 0..self.values.len() {
            values.push(self.values[offset]);
            for axis in (0..axes.len()).rev() {
                index[axis] += 1;
                offset += strides[axis];
                if index[axis] < shape[axis] {
                    break;
                }
                offset -= strides[axis] * shape[axis];
                index[axis] = 0;
            }
        }
        values
    }

    /// The numbers, the last axis fastest.
    pub(super) fn into_values(self) -> Vec<f64> {
        let axes: Vec<usize> = (0..self.shape.len()).collect();
        self.in_order(&axes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_storage_are_the_same_array() {
        // [[0, 1, 2], [10, 11, 12]]
        let rows = Array::new(vec![2, 3], false, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        let columns = Array::new(vec![2, 3], true, vec![0.0, 10.0, 1.0, 11.0, 2.0, 12.0]);
        assert_eq!(rows.clone().into_values(), columns.clone().into_values());
        assert_eq!(rows.in_order(&[1, 0]), columns.clone().in_order(&[1, 0]));
        assert_eq!(columns.in_order(&[1, 0]), [0.0, 10.0, 1.0, 11.0, 2.0, 12.0]);
    }

    #[test]
    fn axes_of_length_one_do_not_count() {
        let array = Array::new(vec![1, 2, 1, 2], true, vec![0.0, 10.0, 1.0, 11.0]);
        assert_eq!(array.essential(), [2, 2]);
        assert_eq!(array.squeezed().into_values(), [0.0, 1.0, 10.0, 11.0]);
        assert_eq!(Array::new(vec![], false, vec![7.0]).into_values(), [7.0]);
    }

    #[test]
    fn an_empty_array_may_have_any_lengths() {
        for column_major in [false, true] {
            let array = Array::new(vec![0, usize::MAX, usize::MAX, 0], column_major, vec![]);
            assert!(array.squeezed().in_order(&[3, 1, 2, 0]).is_empty());
        }
    }
}
