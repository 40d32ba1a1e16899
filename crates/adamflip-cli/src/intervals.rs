//! `adamflip intervals`: how well the unknowns of a run are known.

use crate::arguments::Intervals;
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Intervals) -> Result<u8, Failure> {
    let pool = adamflip_run::pool(arguments.threads)?;
    let found = pool.install(|| adamflip_run::intervals(&arguments.run, arguments.likelihood))?;
    let mut data = Data::default();
    match arguments.json {
        true => data.json(&found),
        false => data.line(&found.text()),
    }
    Ok(SUCCESS)
}
