//! VTK image data: regular grids for ParaView. One `.vti` file a time, and a `.pvd` file that lists them.
//!
//! The numbers follow the XML as they are ("appended, raw"): doubles, little endian, each array after its
//! length in bytes. In VTK the first coordinate is fastest; ours is the last.
//!
//! Reference: "VTK XML file formats", VTK documentation.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Fields, bytes_of};

/// The coordinates of space that an image can have.
const AXES: usize = 3;

/// Why fields are no images.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VtkError {
    /// The points are a list.
    #[error("VTK image data needs a grid, and these points are none")]
    NoGrid,
    /// More coordinates than VTK knows.
    #[error("VTK image data has at most {AXES} coordinates of space, and this problem has {count}: {names}")]
    TooManyCoordinates {
        /// How many.
        count: usize,
        /// Which.
        names: String,
    },
}

/// Fields as a series of images.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    fields: &'a Fields,
    /// The coordinates along the axes of the image.
    axes: Vec<VertexAxis>,
    /// Time, where it is no axis of the image.
    time: Option<VertexAxis>,
}

/// A coordinate of the grid.
#[derive(Clone, Debug)]
struct VertexAxis {
    lower: f64,
    upper: f64,
    count: usize,
    /// Between neighbours along it, in the order of the fields.
    stride: usize,
}

impl VertexAxis {
    fn spacing(&self) -> f64 {
        // VTK wants a length also where there is only one point.
        if self.count > 1 { (self.upper - self.lower) / (self.count - 1) as f64 } else { 1.0 }
    }
}

impl<'a> Series<'a> {
    /// One image a time; of a function of time alone, one image along it.
    pub fn new(fields: &'a Fields) -> Result<Self, VtkError> {
        let grid = fields.grid.as_ref().ok_or(VtkError::NoGrid)?;
        let axis = |c: usize| VertexAxis {
            lower: grid.node(c, 0),
            upper: grid.upper[c],
            count: grid.counts[c],
            stride: grid.counts[c + 1..].iter().product(),
        };
        let dimension = grid.counts.len();
        let time = fields.time.filter(|_| dimension > 1);
        let space: Vec<usize> = (0..dimension).filter(|&c| Some(c) != time).collect();
        if space.len() > AXES {
            let names: Vec<&str> = space.iter().map(|&c| fields.coordinates[c].as_str()).collect();
            return Err(VtkError::TooManyCoordinates { count: space.len(), names: names.join(", ") });
        }
        Ok(Self { fields, axes: space.into_iter().map(axis).collect(), time: time.map(axis) })
    }

    /// The times of the images; one that means nothing where there is no time.
    pub fn times(&self) -> Vec<f64> {
        let Some(time) = &self.time else { return vec![0.0] };
        let along = self.fields.time.map_or(&[][..], |c| self.fields.points.column(c));
        along.iter().step_by(time.stride.max(1)).take(time.count).copied().collect()
    }

    /// Writes the image of one time, counted from 0.
    pub fn write(&self, index: usize, writer: &mut impl Write) -> io::Result<()> {
        let first = self.time.as_ref().map_or(0, |time| index * time.stride);
        let order = self.order(first);
        let size = (order.len() * 8) as u64;
        writer.write_all(self.head(size).as_bytes())?;
        for (_, values) in &self.fields.columns {
            writer.write_all(&size.to_le_bytes())?;
            writer.write_all(&bytes_of(order.iter().map(|&place| values[place])))?;
        }
        writer.write_all(b"\n  </AppendedData>\n</VTKFile>\n")?;
        writer.flush()
    }

    /// The places of an image's points among the fields', the first axis fastest.
    fn order(&self, first: usize) -> Vec<usize> {
        let along = |places: Vec<usize>, axis: &VertexAxis| -> Vec<usize> {
            (0..axis.count).flat_map(|i| places.iter().map(move |place| place + i * axis.stride)).collect()
        };
        self.axes.iter().fold(vec![first], along)
    }

    /// The XML up to the numbers; `size` is the bytes of an array.
    fn head(&self, size: u64) -> String {
        let three = |value: fn(&VertexAxis) -> f64, missing: f64| {
            let values = (0..AXES).map(|i| self.axes.get(i).map_or(missing, value));
            values.map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" ")
        };
        let extent: Vec<String> =
            (0..AXES).map(|i| format!("0 {}", self.axes.get(i).map_or(0, |axis| axis.count - 1))).collect();
        let extent = extent.join(" ");
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  \
             <ImageData WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\">\n    \
             <Piece Extent=\"{extent}\">\n      <PointData>\n",
            three(|axis| axis.lower, 0.0),
            three(VertexAxis::spacing, 1.0),
        );
        for (index, (name, _)) in self.fields.columns.iter().enumerate() {
            let offset = index as u64 * (size + 8);
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "        <DataArray type=\"Float64\" Name=\"{}\" format=\"appended\" offset=\"{offset}\"/>",
                escaped(name)
            );
        }
        text += "      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   _";
        text
    }
}

/// The file that lists images with their times; names are relative to it.
pub fn collection<'a>(images: impl IntoIterator<Item = (f64, &'a str)>) -> String {
    let mut text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  \
                    <Collection>\n"
        .to_owned();
    for (time, name) in images {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "    <DataSet timestep=\"{time:?}\" part=\"0\" file=\"{}\"/>", escaped(name));
    }
    text + "  </Collection>\n</VTKFile>\n"
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::grid_points;
    use crate::problem::Grid;

    fn fields(names: &[&str], counts: &[usize], time: Option<usize>) -> Fields {
        let dimension = counts.len();
        let grid = Grid { lower: vec![0.0; dimension], upper: vec![1.0; dimension], counts: counts.to_vec() };
        let points = grid_points(&grid).unwrap();
        let values = (0..points.len()).map(|i| i as f64).collect();
        Fields {
            coordinates: names.iter().map(|&name| name.to_owned()).collect(),
            time,
            grid: Some(grid),
            points,
            columns: vec![("a<b".to_owned(), values)],
        }
    }

    #[test]
    fn the_first_axis_is_fastest() {
        let fields = fields(&["x", "y", "t"], &[2, 3, 2], Some(2));
        let series = Series::new(&fields).unwrap();
        assert_eq!(series.times(), [0.0, 1.0]);
        // Point (x, y, t) is number x·6 + y·2 + t.
        assert_eq!(series.order(1), [1, 7, 3, 9, 5, 11]);
        let mut bytes = Vec::new();
        series.write(1, &mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("WholeExtent=\"0 1 0 2 0 0\" Origin=\"0.0 0.0 0.0\" Spacing=\"1.0 0.5 1.0\""));
        assert!(text.contains("Name=\"a&lt;b\""));
    }

    #[test]
    fn time_alone_is_an_axis_and_ten_coordinates_are_too_many() {
        let curve = fields(&["t"], &[5], Some(0));
        assert_eq!(Series::new(&curve).unwrap().times(), [0.0]);
        assert_eq!(Series::new(&curve).unwrap().order(0), [0, 1, 2, 3, 4]);
        let many = fields(&["a", "b", "c", "d"], &[2, 2, 2, 2], None);
        let message = Series::new(&many).unwrap_err().to_string();
        assert!(message.ends_with("this problem has 4: a, b, c, d"), "{message}");
        let list = Fields { grid: None, ..curve };
        assert_eq!(Series::new(&list).unwrap_err(), VtkError::NoGrid);
    }
}
