//! Stages of a wider network: whether the network of the file can grow to it.

use crate::diagnostic::Diagnostic;
use crate::network::Architecture;
use crate::spec::{self, Network};

/// Can networks like this one be widened with their function kept? New units of a plain network enter nothing
/// at first; gates, shortcuts and factors have no such zero, and networks of single fields no order of random
/// numbers that stays.
pub(crate) fn can_grow(network: &Network) -> bool {
    network.architecture == Architecture::Mlp && network.factorized.is_none() && !network.separate
}

/// Are these hidden layers as many and at least as wide?
fn is_wider(hidden: &[usize], than: &[usize]) -> bool {
    hidden.len() == than.len() && hidden.iter().zip(than).all(|(wide, narrow)| wide >= narrow)
}

/// Refuses stages whose networks are not wider forms of those before.
pub(in super::super) fn check(train: &spec::Train, network: &Network, diagnostics: &mut Vec<Diagnostic>) {
    let mut widths = network.hidden.clone();
    for stage in &train.stages {
        let Some(hidden) = &stage.hidden else { continue };
        if !can_grow(network) || !is_wider(hidden, &widths) {
            let message = format!("a network with hidden layers {widths:?} does not grow to {hidden:?}");
            let hint = "as many layers, none of them narrower; plain ones (`architecture = \"mlp\"`, without `factorized` and `separate`)";
            diagnostics.push(Diagnostic::new(stage.span, message).label("this stage").hint(hint));
            return;
        }
        widths.clone_from(hidden);
    }
}
