//! What the order of a Caputo derivative may be: a constant, or anything that stays between two whole
//! numbers.

use super::{Context, Reason};
use crate::lang::{Graph, Id, Leaf, Node, Tape};

/// About this many places decide whether an order stays where it should.
const SAMPLE: f64 = 1024.0;
/// More variables than this in one order are refused: a grid with both ends of each would be too large.
const MOST_VARIABLES: usize = 12;

/// An order that is understood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// A plain derivative.
    Whole(usize),
    /// Between whole numbers.
    Fractional {
        /// The next whole number n: the derivative under the integral.
        next: usize,
        /// The order where training starts, in the middle of the coordinates.
        centre: f64,
    },
}

/// Understands an order.
pub(super) fn understand(graph: &Graph, order: Id, context: &Context<'_>) -> Result<Order, Reason> {
    match *graph.node(order) {
        Node::Constant(value) => constant(value),
        _ => varying(graph, order, context),
    }
}

fn constant(order: f64) -> Result<Order, Reason> {
    match order {
        1.0 => Ok(Order::Whole(1)),
        2.0 => Ok(Order::Whole(2)),
        _ if order > 0.0 && order < 2.0 => {
            Ok(Order::Fractional { next: order.ceil() as usize, centre: order })
        }
        _ => Err(Reason::new(
            format!("the order {order} of a Caputo derivative is not between 0 and 2"),
            "order outside (0, 2]",
            "write higher orders as caputo(d(u, t), t, order - 1)",
        )),
    }
}

/// The interval in which a leaf stays, and where it starts.
fn interval(leaf: Leaf, context: &Context<'_>) -> Result<(f64, f64, f64), Reason> {
    let unbounded = |what: &str| {
        Reason::new(
            format!("the order of a Caputo derivative depends on {what} without bounds"),
            "it must stay between 0 and 1, or between 1 and 2",
            "give it bounds, for example `bounds = [0, 1]`",
        )
    };
    let (quantity, what) = match leaf {
        Leaf::Coordinate(coordinate) => {
            let (lower, upper) = context.ranges[coordinate];
            return Ok((lower, upper, 0.5 * (lower + upper)));
        }
        Leaf::Unknown(unknown) => (context.unknowns.get(unknown).copied(), "an unknown"),
        Leaf::Jet { .. } => (None, "a field"),
        Leaf::Attribute(_) | Leaf::Slot(_) => (None, "a value"),
    };
    let quantity = quantity.ok_or_else(|| unbounded(what))?;
    let (lower, upper) = quantity.bounds.ok_or_else(|| unbounded(what))?;
    Ok((lower, upper, quantity.start.max(lower).min(upper)))
}

fn varying(graph: &Graph, order: Id, context: &Context<'_>) -> Result<Order, Reason> {
    let tape = Tape::lower(graph, &[order]);
    let intervals =
        tape.inputs().iter().map(|&leaf| interval(leaf, context)).collect::<Result<Vec<_>, _>>()?;
    if intervals.len() > MOST_VARIABLES {
        return Err(Reason::new(
            format!("the order of a Caputo derivative depends on {} numbers", intervals.len()),
            format!("at most {MOST_VARIABLES}"),
            "let the order depend on fewer",
        ));
    }
    let centre: Vec<f64> = intervals.iter().map(|interval| interval.2).collect();
    let centre = evaluate(&tape, &centre, 1)[0];
    let (columns, width) = grid(&intervals);
    let values = evaluate(&tape, &columns, width);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // `min` and `max` pass over NaN.
    let defined = !values.iter().any(|value| value.is_nan());
    if defined && least >= 0.0 && most <= 1.0 {
        return Ok(Order::Fractional { next: 1, centre });
    }
    if defined && least >= 1.0 && most <= 2.0 {
        return Ok(Order::Fractional { next: 2, centre });
    }
    let range = format!("it takes values from {least} to {most}");
    Err(Reason::new(
        "the order of a Caputo derivative must stay between 0 and 1, or between 1 and 2",
        if defined { range } else { "it is not a number everywhere".to_owned() },
        "change the order's bounds or formula",
    ))
}

/// A grid with both ends of every interval, column after column, and its number of points.
fn grid(intervals: &[(f64, f64, f64)]) -> (Vec<f64>, usize) {
    let sides = (SAMPLE.powf(1.0 / intervals.len() as f64) as usize).max(2);
    let width = sides.pow(intervals.len() as u32);
    let column = |(axis, &(lower, upper, _)): (usize, &(f64, f64, f64))| {
        let stride = sides.pow(axis as u32);
        (0..width).map(move |point| {
            let step = point / stride % sides;
            // The last step is the upper end itself, not within rounding of it.
            if step + 1 == sides { upper } else { lower + (upper - lower) * step as f64 / (sides - 1) as f64 }
        })
    };
    (intervals.iter().enumerate().flat_map(column).collect(), width)
}

/// The values of the tape's only output.
fn evaluate(tape: &Tape, inputs: &[f64], width: usize) -> Vec<f64> {
    let mut values = inputs.to_vec();
    values.resize(tape.registers() * width, 0.0);
    tape.forward(&mut values, width);
    values[tape.outputs()[0] * width..][..width].to_vec()
}
