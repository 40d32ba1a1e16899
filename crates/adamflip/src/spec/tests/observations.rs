//! Errors in where a term has its points and values from.

use super::*;

#[test]
fn noise_without_data() {
    insta::assert_snapshot!(added("noise = 0.1"), @r#"
    error: `noise` of [term.pde] has no use without `data`
     --> small.toml:7:1
      |
    7 | noise = 0.1
      | ^^^^^ no use here
      |
      = hint: observations come from a file, `data = "sensors.csv"`, or from the reference, `data = "reference"`

    1 error in small.toml
    "#);
}

#[test]
fn noise_without_data_because_of_a_slip() {
    insta::assert_snapshot!(added("noise = 0.1\ndta = 'a.csv'"), @r#"
    error: unknown key `dta` in [term.pde]
     --> small.toml:8:1
      |
    8 | dta = 'a.csv'
      | ^^^ unknown key
      |
      = hint: did you mean `data`? the keys of [term.pde] are equation, complement, on, points, cloud, data, columns, observe, noise, role, pointwise, weight, sampler, adaptive, caputo, nodes, tolerance, symmetry, augment, project

    1 error in small.toml
    "#);
}

#[test]
fn noise_below_zero() {
    insta::assert_snapshot!(added("[reference]\nu = 'x'\n[term.seen]\ndata = 'reference'\npoints = 5\nnoise = -0.1"), @r#"
    error: `noise` of [term.seen] must be at least 0
      --> small.toml:12:9
       |
    12 | noise = -0.1
       |         ^^^^ too small
       |
       = hint: write `0` or more

    1 error in small.toml
    "#);
}

#[test]
fn observe_with_a_file() {
    insta::assert_snapshot!(added("[term.seen]\ndata = 'a.csv'\nobserve = ['u']"), @r#"
    error: `observe` of [term.seen] has no use with a file
     --> small.toml:9:1
      |
    9 | observe = ['u']
      | ^^^^^^^ no use here
      |
      = hint: write `data = "reference"` to observe the reference; a file is compared by an `equation`

    1 error in small.toml
    "#);
}

#[test]
fn observe_without_data() {
    insta::assert_snapshot!(added("observe = ['u']"), @r#"
    error: `observe` of [term.pde] has no use without `data`
     --> small.toml:7:1
      |
    7 | observe = ['u']
      | ^^^^^^^ no use here
      |
      = hint: observations come from a file, `data = "sensors.csv"`, or from the reference, `data = "reference"`

    1 error in small.toml
    "#);
}

#[test]
fn a_reference_that_is_not_there() {
    insta::assert_snapshot!(added("[term.seen]\ndata = 'reference'\npoints = 5"), @r#"
    error: the problem has no [reference] to observe
     --> small.toml:8:9
      |
    8 | data = 'reference'
      |         ^^^^^^^^^ not there
      |
      = hint: write `[reference]`, and below it `u = "sin(pi*x)"`, or name a file: `data = "sensors.csv"`

    1 error in small.toml
    "#);
}

#[test]
fn points_beside_a_cloud() {
    insta::assert_snapshot!(added("cloud = 'a.csv'"), @r#"
    error: `points` of [term.pde] has no use beside `cloud`
     --> small.toml:6:1
      |
    6 | points = 10
      | ^^^^^^ no use here
      |
      = hint: the file has the points: remove one of the two lines

    1 error in small.toml
    "#);
}

#[test]
fn places_beside_a_file() {
    insta::assert_snapshot!(added("[term.seen]\ndata = 'a.csv'\non = 'x = 0'\nsampler = 'grid'\nadaptive = 'rad'\ncloud = 'b.csv'"), @r#"
    error: `on` of [term.seen] has no use beside `data`
     --> small.toml:9:1
      |
    9 | on = 'x = 0'
      | ^^ no use here
      |
      = hint: the file has the points: remove one of the two lines

    error: `sampler` of [term.seen] has no use beside `data`
      --> small.toml:10:1
       |
    10 | sampler = 'grid'
       | ^^^^^^^ no use here
       |
       = hint: the file has the points: remove one of the two lines

    error: `adaptive` of [term.seen] has no use beside `data`
      --> small.toml:11:1
       |
    11 | adaptive = 'rad'
       | ^^^^^^^^ no use here
       |
       = hint: the file has the points: remove one of the two lines

    error: `cloud` of [term.seen] has no use beside `data`
      --> small.toml:12:1
       |
    12 | cloud = 'b.csv'
       | ^^^^^ no use here
       |
       = hint: the file has the points: remove one of the two lines

    4 errors in small.toml
    "#);
}

#[test]
fn a_cloud_without_equation() {
    insta::assert_snapshot!(added("[term.wall]\ncloud = 'a.csv'"), @r#"
    error: the term `wall` has no equation
     --> small.toml:7:7
      |
    7 | [term.wall]
      |       ^^^^ what holds here?
      |
      = hint: add for example `equation = "u_t = u_xx"`

    1 error in small.toml
    "#);
}

#[test]
fn files_that_are_no_names() {
    insta::assert_snapshot!(added("[term.wall]\nequation = 'u = 0'\ncloud = 5\n[term.seen]\ndata = ['a.csv']\n[term.blank]\ndata = ''"), @r#"
    error: `cloud` of [term.wall] must be text
     --> small.toml:9:9
      |
    9 | cloud = 5
      |         ^ this is a number
      |
      = hint: write for example `cloud = "points.csv"`

    error: `data` of [term.seen] must be text
      --> small.toml:11:8
       |
    11 | data = ['a.csv']
       |        ^^^^^^^^^ this is a list
       |
       = hint: write for example `data = "sensors.csv"`

    error: `data` of [term.blank] is empty
      --> small.toml:13:9
       |
    13 | data = ''
       |         ^ no text here
       |
       = hint: write for example `data = "sensors.csv"`

    3 errors in small.toml
    "#);
}

#[test]
fn files_under_misspelt_keys() {
    insta::assert_snapshot!(added("[term.wall]\nequation = 'u = 0'\nclowd = 'a.csv'\n[term.seen]\ndatas = 'a.csv'"), @r#"
    error: unknown key `clowd` in [term.wall]
     --> small.toml:9:1
      |
    9 | clowd = 'a.csv'
      | ^^^^^ unknown key
      |
      = hint: did you mean `cloud`? the keys of [term.wall] are equation, complement, on, points, cloud, data, columns, observe, noise, role, pointwise, weight, sampler, adaptive, caputo, nodes, tolerance, symmetry, augment, project

    error: unknown key `datas` in [term.seen]
      --> small.toml:11:1
       |
    11 | datas = 'a.csv'
       | ^^^^^ unknown key
       |
       = hint: did you mean `data`? the keys of [term.seen] are equation, complement, on, points, cloud, data, columns, observe, noise, role, pointwise, weight, sampler, adaptive, caputo, nodes, tolerance, symmetry, augment, project

    2 errors in small.toml
    "#);
}

#[test]
fn columns_of_nothing() {
    insta::assert_snapshot!(added("columns = ['x']\n[reference]\nu = 'x'\ncolumns = ['x', 'x']"), @r#"
    error: `columns` of [term.pde] has no use without a file
     --> small.toml:7:1
      |
    7 | columns = ['x']
      | ^^^^^^^ no use here
      |
      = hint: the columns of a file are meant, for example of `data = "sensors.npy"`

    error: `columns` of [reference] has no use without `data`
      --> small.toml:10:11
       |
    10 | columns = ['x', 'x']
       |           ^^^^^^^^^^ of what?
       |
       = hint: the columns of a file are meant, for example of `data = "solution.npy"`

    error: `columns` of [reference] has `x` twice
      --> small.toml:10:18
       |
    10 | columns = ['x', 'x']
       |                  ^ already there
       |
       = hint: give every column a name of its own

    3 errors in small.toml
    "#);
}
