//! ONNX: the trained solution as a graph in double precision, coordinates [N, d] in and fields [N, fields]
//! out.
//!
//! All that `problem.solution` does is in it: how coordinates enter, every architecture and activation,
//! several networks, factorized weights multiplied out, the ansatz with its functions and the values of
//! unknowns. Operators are those that onnxruntime has in double precision; what it lacks (the error function,
//! inverse trigonometric functions, softplus) is made of them to rounding. Functions beyond that are refused
//! by name.
//!
//! | file | what it writes |
//! | --- | --- |
//! | `builder` | nodes, constants, and the file around them |
//! | `network` | the primitives of a network |
//! | `formula` | a tape: the ansatz |
//! | `function` | activations and functions, by operators |
//!
//! Reference: `onnx.proto3`, ONNX operator schemas (set 13).

mod builder;
mod formula;
mod function;
mod network;

use crate::lang::Leaf;
use crate::model::Model;
use crate::problem::{Problem, Residual};
use builder::{Builder, COORDINATES, Tensor};

/// Why a solution cannot be written as ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OnnxError {
    /// There is neither an operator for it nor a short formula.
    #[error("ONNX has no operator for `{name}`, which the ansatz uses")]
    Function {
        /// As equations call it.
        name: &'static str,
    },
    /// Something that is no function of the point alone.
    #[error("the ansatz reads {what}, which a network for single points does not know")]
    Input {
        /// What is read.
        what: &'static str,
    },
}

/// The bytes of an ONNX file: the fields of the problem at θ.
pub fn bytes(problem: &Problem, model: &Model, θ: &[f64]) -> Result<Vec<u8>, OnnxError> {
    let mut builder = Builder::new();
    let mut room = Vec::new();
    let weights = model.weights_at(θ, &mut room);
    let outputs: Vec<Tensor> = model
        .members()
        .iter()
        .map(|member| network::write(&mut builder, &member.program, &weights[member.weights.clone()]))
        .collect();
    let outputs = in_windows(&mut builder, model, outputs);
    let parameters = θ[model.parameters()..].iter();
    let unknowns: Vec<f64> = problem.unknowns.iter().zip(parameters).map(|(u, &p)| u.value(p).0).collect();
    let fields = fields(&mut builder, &problem.solution, &outputs, &unknowns)?;
    let about = [
        ("title", problem.title.as_deref().unwrap_or(&problem.name).to_owned()),
        ("coordinates", problem.coordinates.join(",")),
        ("fields", problem.fields.join(",")),
    ];
    Ok(builder.finish(&problem.name, problem.coordinates.len(), (fields, problem.fields.len()), &about))
}

/// One output a network: that of the window in which a point lies.
fn in_windows(builder: &mut Builder, model: &Model, outputs: Vec<Tensor>) -> Vec<Tensor> {
    let Some((windows, _)) = model.windows() else { return outputs };
    let networks = outputs.len() / windows.count();
    let mut parts = outputs.chunks_exact(networks).rev();
    let mut chosen = parts.next().map(<[Tensor]>::to_vec).unwrap_or_default();
    for (part, &end) in parts.zip(windows.bounds[1..windows.count()].iter().rev()) {
        let (time, end) = (builder.column(COORDINATES, windows.coordinate), builder.number(end));
        let earlier = builder.apply("Less", &[time, end]);
        for (chosen, &output) in chosen.iter_mut().zip(part) {
            *chosen = builder.apply("Where", &[earlier, output, *chosen]);
        }
    }
    chosen
}

/// Every field as a column, through the ansatz; side by side.
fn fields(
    builder: &mut Builder,
    solution: &Residual,
    networks: &[Tensor],
    unknowns: &[f64],
) -> Result<Tensor, OnnxError> {
    let mut slots = Vec::new();
    for group in &solution.groups {
        if group.streams.count() != 1 || solution.sites.iter().any(Option::is_some) {
            return Err(OnnxError::Input { what: "derivatives or other points" });
        }
        slots.extend((0..group.outputs).map(|output| (group.network, output)));
    }
    if let Some(network) = raw(solution, &slots) {
        return Ok(networks[network]);
    }
    let precomputed = formula::write(builder, &solution.precomputed, &mut |builder, leaf| match leaf {
        Leaf::Coordinate(coordinate) => Ok(builder.column(COORDINATES, coordinate)),
        _ => Err(OnnxError::Input { what: "values that belong to given points" }),
    })?;
    let columns = formula::write(builder, &solution.tape, &mut |builder, leaf| match leaf {
        Leaf::Unknown(unknown) => Ok(builder.number(unknowns[unknown])),
        Leaf::Slot(slot) => Ok(match slots.get(slot) {
            Some(&(network, output)) => builder.column(networks[network], output),
            None => precomputed[slot - slots.len()],
        }),
        _ => Err(OnnxError::Input { what: "values that belong to given points" }),
    })?;
    let columns: Vec<Tensor> = columns.into_iter().map(|column| builder.as_column(column)).collect();
    Ok(builder.concatenate(&columns))
}

/// The network whose outputs are the fields as they are.
fn raw(solution: &Residual, slots: &[(usize, usize)]) -> Option<usize> {
    let &(network, _) = slots.first()?;
    let outputs = solution.tape.outputs().iter();
    let read = |&register: &usize| solution.tape.inputs().get(register).copied();
    let same = outputs.map(read).eq((0..slots.len()).map(|slot| Some(Leaf::Slot(slot))));
    (same && slots.iter().enumerate().all(|(place, &slot)| slot == (network, place))).then_some(network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train;

    fn export(ansatz: &str) -> Result<Vec<u8>, OnnxError> {
        let text = format!(
            "fields = [\"u\"]\n[domain]\nx = [0.5, 1]\n[unknowns]\nk = {{ start = 2 }}\n[term.a]\nequation = \"u = k*x\"\n\
             points = 4\n[network]\nhidden = [3]\nansatz = \"{ansatz}\""
        );
        let problem = crate::testing::problem(&text);
        let (model, θ) = train::model(&problem, 0);
        bytes(&problem, &model, &θ)
    }

    #[test]
    fn functions_without_an_operator_are_named() {
        assert_eq!(export("gamma(x)*N"), Err(OnnxError::Function { name: "gamma" }));
        assert_eq!(export("N*digamma(2 + x)"), Err(OnnxError::Function { name: "digamma" }));
        assert_eq!(export("N + cole_hopf(x, x, 1)"), Err(OnnxError::Function { name: "cole_hopf" }));
        assert!(export("N*k + erf(x)").is_ok());
    }
}
