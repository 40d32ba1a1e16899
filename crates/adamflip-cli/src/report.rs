//! `adamflip report`: the report of a run, from its last checkpoint.

use crate::arguments::Report;
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Report) -> Result<u8, Failure> {
    let pool = adamflip_run::pool(arguments.threads)?;
    let page = pool.install(|| adamflip_run::report(&arguments.run, arguments.out.as_deref()))?;
    Data::default().line(&page.to_string_lossy());
    Ok(SUCCESS)
}
