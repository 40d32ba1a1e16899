//! The certificate in the summary: the verdict over all tolerances, and how far the parameters are from
//! optimal.

use adamflip::certificate::{CONFIDENCE, Certificate, Kkt};
use serde::Serialize;

use crate::words::short;

/// The verdict with the KKT residual.
#[derive(Serialize)]
pub(super) struct CertificateSummary {
    verdict: &'static str,
    /// Of every bound.
    confidence: f64,
    /// The verdict in words.
    sentence: String,
    /// At the points of training; none where it cannot be had.
    kkt: Option<Optimality>,
}

/// ‖∇f + Jᵀλ‖ with the multipliers of least squares.
#[derive(Serialize)]
struct Optimality {
    residual: f64,
    /// As a share of ‖∇f‖.
    relative: f64,
    /// Pointwise constraints that were used, of this many.
    entries: usize,
    of: usize,
}

impl CertificateSummary {
    pub(super) fn of(certificate: &Certificate) -> Self {
        let standing = certificate.verdict();
        let optimality =
            |Kkt { residual, relative, entries, of }| Optimality { residual, relative, entries, of };
        Self {
            verdict: standing.name(),
            confidence: CONFIDENCE,
            sentence: standing.sentence(),
            kkt: certificate.kkt.map(optimality),
        }
    }

    /// For people.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(" certificate        {}", self.sentence)];
        lines.extend(self.kkt.iter().map(|kkt| {
            let Optimality { residual, relative, .. } = kkt;
            format!(" KKT residual       {}, {} of the gradient", short(*residual), short(*relative))
        }));
        lines
    }
}
