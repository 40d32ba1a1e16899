//! Whole figures: what stands in the text, and the colours in the images.

use super::*;

fn axis(label: &str, lower: f64, upper: f64, count: usize) -> Axis {
    Axis { label: label.to_owned(), lower, upper, count }
}

fn map(title: &str, values: Vec<f64>, group: Option<usize>) -> Map {
    let (x, y) = (axis("t", 0.0, 1.0, 3), axis("x", -1.0, 1.0, 2));
    let cells = Cells::Nodes(values);
    Map { title: title.to_owned(), x, y, cells, colours: Colours::Automatic, group, equal_units: false }
}

/// The texts of a figure, in the order of drawing.
fn texts(svg: &str) -> Vec<&str> {
    let opened = svg.split("<text").skip(1);
    opened.filter_map(|part| part.split_once('>')?.1.split_once("</text>")).map(|(text, _)| text).collect()
}

/// Width and pixels of every image; a map and its colour bar take turns.
fn images(svg: &str) -> Vec<(usize, Vec<u8>)> {
    let addresses = svg.split("data:image/png;base64,").skip(1).filter_map(|part| part.split('"').next());
    addresses.map(|data| decode_png(&decode_base64(data))).collect()
}

fn decode_base64(text: &str) -> Vec<u8> {
    let sextet = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let padding = text.bytes().rev().take_while(|&c| c == b'=').count();
    let words = text.as_bytes().chunks(4).map(|four| four.iter().fold(0, |word, &c| word << 6 | sextet(c)));
    let mut bytes: Vec<u8> = words.flat_map(|word: u32| word.to_be_bytes()[1..].to_vec()).collect();
    bytes.truncate(bytes.len() - padding);
    bytes
}

fn decode_png(file: &[u8]) -> (usize, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.bit_depth, png::BitDepth::Eight);
    (info.width as usize, pixels)
}

fn well_formed(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a coordinate is not a number");
    assert!(!svg.contains("<script") && svg.matches("http").count() == 1, "only the name space");
}

#[test]
fn a_map_has_its_labels() {
    let svg = maps("Burgers", &[map("u", vec![-1.0, 0.5, 0.0, 0.0, 0.5, 1.0], None)], 3).unwrap();
    well_formed(&svg);
    let texts = texts(&svg);
    for expected in ["Burgers", "u", "t", "x", "0.2", "−0.5", "−1.0"] {
        assert!(texts.contains(&expected), "{expected} in {texts:?}");
    }
}

#[test]
fn cells_have_the_colours_of_their_values_with_y_upwards() {
    let values = vec![-1.0, f64::NAN, 0.0, 0.0, 0.0, 1.0];
    let (width, pixels) = images(&maps("", &[map("u", values, None)], 1).unwrap()).swap_remove(0);
    let rows: Vec<&[u8]> = pixels.chunks(3 * width).collect();
    let (top, bottom) = (rows[0], rows[rows.len() - 1]);
    let (first, last) = (..3, 3 * width - 3..);
    assert_eq!(top[first], [0xb0; 3], "not a number at t = 0, x = 1");
    assert!(bottom[first][2] > bottom[first][0], "blue at t = 0, x = -1");
    assert!(top[last.clone()][0] > top[last.clone()][2], "red at t = 1, x = 1");
    assert!(bottom[last].iter().all(|&channel| channel > 0xe0), "zero is light");
}

#[test]
fn a_group_shares_its_scale() {
    let values = |size: f64| vec![0.0, size, 0.0, size, 0.0, size];
    let shared = maps("", &[map("a", values(1.0), Some(0)), map("b", values(4.0), Some(0))], 2).unwrap();
    let own = maps("", &[map("a", values(1.0), None), map("b", values(4.0), None)], 2).unwrap();
    let top_left = |svg: &str, panel: usize| images(svg)[2 * panel].1[..3].to_vec();
    assert_ne!(top_left(&shared, 0), top_left(&shared, 1));
    assert_eq!(top_left(&own, 0), top_left(&own, 1));
    let label = |svg: &str, label: &str| texts(svg).iter().filter(|text| **text == label).count();
    assert_eq!((label(&shared, "4"), label(&own, "4")), (2, 1));
}

#[test]
fn colour_bars_run_from_dark_to_bright() {
    let svg = maps("", &[map("u", vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], None)], 1).unwrap();
    let (width, pixels) = images(&svg).swap_remove(1);
    let brightness: Vec<u32> =
        pixels.chunks(3 * width).map(|row| row[..3].iter().map(|&c| u32::from(c)).sum()).collect();
    assert!(brightness.first() > brightness.last());
    let different: std::collections::HashSet<&[u8]> = pixels.chunks(3).collect();
    assert!(different.len() > 200, "256 shades, of which neighbours may coincide: {}", different.len());
}

#[test]
fn odd_fields_and_axes_are_drawn() {
    let fields = [
        vec![5.0; 6],
        vec![0.0; 6],
        vec![f64::NAN; 6],
        vec![f64::INFINITY, 0.0, -1e-300, 1.0, f64::MAX, 1.0],
    ];
    for colours in [Colours::Automatic, Colours::Magnitude, Colours::Signed, Colours::Logarithmic] {
        for values in &fields {
            for (lower, upper) in
                [(0.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0), (-1e300, 1e300), (1e9, 1e9 + 1e-3)]
            {
                let odd = Map { x: axis("x", lower, upper, 3), colours, ..map("odd", values.clone(), None) };
                let equal = Map { equal_units: true, ..odd.clone() };
                well_formed(&maps("", &[odd, equal], 1).unwrap());
            }
        }
    }
    well_formed(&maps("no panels", &[], 0).unwrap());
}

#[test]
fn values_that_do_not_fill_the_grid_are_refused() {
    for (values, count) in [(vec![0.0; 5], 3), (vec![], 0), (vec![0.0; 6], usize::MAX)] {
        let wrong = Map { x: axis("x", 0.0, 1.0, count), ..map("wrong", values, None) };
        assert!(matches!(maps("", &[wrong], 1), Err(FigureError::WrongSize { .. })));
    }
}

#[test]
fn a_chart_has_axes_and_a_legend() {
    let curve = |name: &str, factor: f64| {
        let points = (0..=10_000).map(|step| (f64::from(step), factor * (-f64::from(step) / 1000.0).exp()));
        Curve { name: name.to_owned(), points: points.collect() }
    };
    let chart = Chart { title: "History".into(), x_label: "step".into(), y_label: "loss <mean>".into() };
    let svg = curves(&chart, &[curve("pde", 1.0), curve("walls", 0.1)]);
    well_formed(&svg);
    let texts = texts(&svg);
    for expected in ["History", "step", "loss &lt;mean&gt;", "pde", "walls", "10⁻³", "10000"] {
        assert!(texts.contains(&expected), "{expected} in {texts:?}");
    }
    assert_eq!(svg.matches("<path").count(), 8, "two curves and their marks, in the plot and in the legend");
    assert!(svg.len() < 100_000, "long histories are thinned: {}", svg.len());
}

/// A spike of one step in a long history must not vanish in the thinning; gaps break the line.
#[test]
fn spikes_stay_and_gaps_break_the_line() {
    let mut points: Vec<(f64, f64)> = (0..100_000).map(|step| (f64::from(step), 1e-3)).collect();
    points[70_007].1 = 1e3;
    points[50_000].1 = 0.0;
    points[50_002].1 = f64::NAN;
    let svg = curves(&Chart::default(), &[Curve { name: "u".into(), points }]);
    well_formed(&svg);
    let path = svg.split("<path d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(path.matches('M').count(), 3, "two lines and a dot between the gaps");
    let heights = path.split(['M', 'L']).filter_map(|point| point.split_once(' ')?.1.parse::<f64>().ok());
    let (highest, lowest) = heights.fold((f64::MAX, 0f64), |(a, b), y| (a.min(y), b.max(y)));
    // The plot is 260 high, with 4% of air at either end.
    assert!(lowest - highest > 230.0, "from {highest} to {lowest}");
}

#[test]
fn charts_without_anything_to_show_are_drawn() {
    for points in
        [vec![], vec![(0.0, 0.0)], vec![(f64::NAN, 1.0)], vec![(5.0, 3.0)], vec![(1.0, 1e250), (1.0, 1e-250)]]
    {
        well_formed(&curves(&Chart::default(), &[Curve { name: String::new(), points }]));
    }
    well_formed(&curves(&Chart::default(), &[]));
}

#[test]
fn plots_have_a_legend_and_marks_that_differ_in_shape() {
    let series = |name: &str, mark: Mark| Series {
        name: name.to_owned(),
        points: (0..=50).map(|i| (f64::from(i) / 50.0, f64::from(i - 25))).collect(),
        mark,
    };
    let all =
        vec![series("network", Mark::Line), series("reference", Mark::Dashes), series("data", Mark::Dots)];
    let plot = |series: Vec<Series>, vertical: Vertical| {
        let (title, y_label) = ("u".to_owned(), "metres".to_owned());
        Panel::Plot(Plot { title, x: axis("t", 0.0, 1.0, 51), y_label, vertical, series })
    };
    let svg = page("Oscillator", &[vec![plot(all.clone(), Vertical::Linear)]]).unwrap();
    well_formed(&svg);
    let texts = texts(&svg);
    for expected in ["Oscillator", "u", "metres", "t", "network", "reference", "data", "−20", "0.4"] {
        assert!(texts.contains(&expected), "{expected} in {texts:?}");
    }
    assert_eq!(svg.matches("<path").count(), 6, "three marks in the plot and in the legend");
    assert_eq!(svg.matches("stroke-dasharray=\"5 5\"").count(), 2, "one of them dashed");
    let lone = page("", &[vec![plot(all[..1].to_vec(), Vertical::Linear)]]).unwrap();
    assert!(!lone.contains("network"), "one series needs no legend");
    // Half of the values are not positive.
    well_formed(&page("", &[vec![plot(all, Vertical::Logarithmic { decades: 6.0 })]]).unwrap());
    well_formed(&page("", &[vec![plot(Vec::new(), Vertical::Linear)], Vec::new()]).unwrap());
}

#[test]
fn outside_of_a_mask_is_transparent() {
    let inside = vec![true, true, true, true, false, false];
    let mask = std::sync::Arc::new(Mask::new(inside, |x, _| x < 0.7));
    let values = vec![0.0, 1.0, 2.0, f64::NAN, f64::NAN, 1e9];
    let within = Map { cells: Cells::Within(values, mask), ..map("u", Vec::new(), None) };
    let svg = maps("", &[within], 1).unwrap();
    let (width, pixels) = images(&svg).swap_remove(0);
    let alpha = |column: usize, row: usize| pixels[4 * (row * width + column) + 3];
    assert_eq!((alpha(0, 0), alpha(width - 1, 0)), (0xff, 0));
    assert!(svg.contains("grey"), "a node inside has no value");
    assert!(texts(&svg).contains(&"2.0"), "the value outside does not count");
}

#[test]
fn dots_have_the_colours_of_their_values() {
    let dots = vec![(0.5, 0.0, 1.0), (0.0, 1.0, 3.0), (7.0, 0.0, 2.0)];
    let scattered = Map { cells: Cells::Dots(dots), ..map("u", Vec::new(), None) };
    let svg = maps("", &[scattered], 1).unwrap();
    well_formed(&svg);
    assert_eq!(svg.matches("<circle").count(), 2, "the third lies outside the axes");
    assert!(svg.contains("fill=\"#440154\"") && svg.contains("fill=\"#fde725\""), "the ends of viridis");
}
