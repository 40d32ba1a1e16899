//! CSV: separators, headers, comments, what programs write.

use super::{assert_is_the_grid, message, parse, read_fixture};

fn u(text: &str) -> Vec<f64> {
    parse("a.csv", text.as_bytes(), &["x"], &[]).unwrap().column("u").unwrap().to_vec()
}

#[test]
fn every_separator_and_line_end() {
    for text in [
        "x,u\n1,2\n3,4\n",
        "x;u\r\n1;2\r\n3;4",
        "x\tu\n1\t2\n3\t4\n",
        "  x   u\n 1.0   2e0\n3 4\n\n",
        "\u{feff}x , u\n 1, 2\n\n3 ,4\n",
        "\"x\",\"u\"\n\"1\",2\n3,\"4\"\n",
    ] {
        assert_eq!(u(text), [2.0, 4.0], "{text:?}");
    }
}

#[test]
fn comments_and_headers_in_comments() {
    for text in [
        "# by hand\nx,u\n1,2 # good\n# bad: 5,6\n3,4\n",
        "# by hand\n# x, u\n1, 2\n3, 4\n",
        "% Model: rod\n% x u\n1 2\n3 4\n",
        "#x u\n1,2\n3,4\n",
        "x,u # SI units\n1,2\n3,4\n",
        "x,u,node#\n1,2,7\n3,4,8\n",
    ] {
        assert_eq!(u(text), [2.0, 4.0], "{text:?}");
    }
    assert_is_the_grid(&read_fixture("savetxt.csv", &["x", "t"], &[]).unwrap());
}

#[test]
fn columns_select_and_rename() {
    let text = b"station,x,usol\nA,1,2\nB,3,4\n";
    let table = parse("a.csv", text, &["x"], &["u = usol"]).unwrap();
    assert_eq!(table.names(), ["x", "u"]);
    assert_eq!(table.column("u"), Some(&[2.0, 4.0][..]));
    assert_eq!(table.column("usol"), None);
    let table = parse("a.csv", b"# pos value\n1 2\n", &["x"], &["x = pos", "u=value"]).unwrap();
    assert_eq!(table.names(), ["x", "u"]);
}

#[test]
fn columns_name_what_has_no_names() {
    for text in ["1,2\n3,4\n", "1,2 # first\n3,4\n", "# a b\n1,2\n3,4\n", "# made by hand in May\n1,2\n3,4\n"]
    {
        let table = parse("a.csv", text.as_bytes(), &["x"], &["u", "x"]).unwrap();
        assert_eq!(table.names(), ["x", "u"]);
        assert_eq!(table.column("u"), Some(&[1.0, 3.0][..]));
    }
}

#[test]
fn columns_without_a_name_are_left_out() {
    // An index as pandas writes it, and a separator at the end of every line.
    assert_eq!(u(",x,u,\n0,1,2,\n1,3,4,\n"), [2.0, 4.0]);
}

#[test]
fn rows_are_named_by_their_lines() {
    let table = parse("a.csv", b"# c\nx,u\n2,20\n\n# d\n1,10\n", &["x"], &[]).unwrap();
    // A list in one coordinate is a grid, whose rows ascend; their names stay.
    assert_eq!(table.grid(), Some(&[vec![1.0, 2.0]][..]));
    assert_eq!(table.column("u"), Some(&[10.0, 20.0][..]));
    assert_eq!([table.row_name(0), table.row_name(1)], ["line 6", "line 3"]);
}

#[test]
fn scattered_points_keep_their_order() {
    let table = parse("a.csv", b"x,t,u\n3,1,7\n1,2,8\n2,1,9\n", &["x", "t"], &[]).unwrap();
    assert_eq!(table.grid(), None);
    assert_eq!(table.column("u"), Some(&[7.0, 8.0, 9.0][..]));
    assert_eq!(table.row_name(2), "line 4");
}

#[test]
fn a_header_alone_has_no_points() {
    for text in ["x,u\n", "# x,u\n", "x,u\n# 1,2\n"] {
        assert_eq!(message(parse("a.csv", text.as_bytes(), &["x"], &[])), "`a.csv` has no points");
    }
    assert_eq!(message(parse("a.csv", b" \n\n", &["x"], &[])), "`a.csv` is empty");
}

#[test]
fn a_column_for_each_time() {
    let comsol = "% Model: rod.mph\n% Dimension: 1\n% x                       u (m) @ t=0             u (m) @ t=0.5           u (m) @ t=1\n\
                  -1 -10 -9.5 -9\n0 0 0.5 1\n1 10 10.5 11\n2 20 20.5 21\n";
    let table = parse("a.txt", comsol.as_bytes(), &["x", "t"], &[]).unwrap();
    assert_is_the_grid(&table);
    assert_eq!(table.notes(), ["`a.txt`: columns named like `u @ t = 0` are taken as 3 values of t"]);
    let csv = "x,v @ t=0,v @ t=0.5,v @ t=1\n-1,-10,-9.5,-9\n0,0,0.5,1\n1,10,10.5,11\n2,20,20.5,21\n";
    assert_is_the_grid(&parse("a.csv", csv.as_bytes(), &["x", "t"], &["u = v"]).unwrap());
    // Without a coordinate of that name they are columns like others.
    assert_eq!(parse("a.csv", csv.as_bytes(), &["x"], &[]).unwrap().names()[1], "v @ t=0");
}
