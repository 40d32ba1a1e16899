//! `adamflip schema`: the keys of problem files, for editors and people.

use adamflip::spec::keys;

use crate::arguments::Schema;
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Schema) -> Result<u8, Failure> {
    let text = if arguments.page { keys::page() } else { format!("{:#}", keys::json_schema()) };
    Data::default().line(text.trim_end());
    Ok(SUCCESS)
}
