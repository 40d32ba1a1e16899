//! JSON: one object with the names of the columns and the rows, for programs that want one text.

use std::io::{self, Write};

use super::Table;
use super::csv::number;

/// `{"columns":["x","u"],"rows":[[0,1.5],…]}`, written block by block. What is not a number is `null`.
#[derive(Debug)]
pub struct Json<W: Write> {
    writer: W,
    started: bool,
}

impl<W: Write> Json<W> {
    /// Begins the object.
    pub fn new(mut writer: W, names: &[String]) -> io::Result<Self> {
        write!(writer, "{{\"columns\":{},\"rows\":[", serde_json::to_string(names)?)?;
        Ok(Self { writer, started: false })
    }
}

impl<W: Write> Table for Json<W> {
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
        let count = columns.first().map_or(0, |column| column.len());
        let mut text = String::new();
        for row in 0..count {
            let values: Vec<String> = columns.iter().map(|column| value(column[row])).collect();
            if std::mem::replace(&mut self.started, true) {
                text.push(',');
            }
            text.push_str(&format!("[{}]", values.join(",")));
        }
        self.writer.write_all(text.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(self.writer, "]}}")?;
        self.writer.flush()
    }
}

fn value(value: f64) -> String {
    if value.is_finite() { number(value) } else { "null".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_make_one_object() {
        let mut bytes = Vec::new();
        let mut json = Json::new(&mut bytes, &["x".into(), "d(u, \"x\")".into()]).unwrap();
        json.rows(&[&[1.0, -2e-9], &[f64::NAN, 0.1]]).unwrap();
        json.rows(&[&[3.0], &[f64::INFINITY]]).unwrap();
        json.finish().unwrap();
        let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(read["rows"], serde_json::json!([[1, null], [-2e-9, 0.1], [3, null]]));
        assert_eq!(read["columns"][1], "d(u, \"x\")");
    }
}
