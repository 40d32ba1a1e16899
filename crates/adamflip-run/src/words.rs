//! Numbers, counts, times and tables as people read them.

use std::ops::RangeBounds;

use adamflip::problem::Role;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// `1 thread`, `2 threads`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Three digits.
pub fn short(value: f64) -> String {
    format!("{value:.2e}")
}

/// Seconds as people say them.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5_999 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// The name of a role in files and reports.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Objective => "objective",
        Role::Constraint => "constraint",
    }
}

/// A table with a line below its header and no other lines, never wrapped. The columns of a range stand at
/// their right.
pub fn text_table(
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    right: impl RangeBounds<usize>,
) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header.to_vec());
    rows.into_iter().for_each(|row| {
        table.add_row(row);
    });
    for (_, column) in table.column_iter_mut().enumerate().filter(|(number, _)| right.contains(number)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
