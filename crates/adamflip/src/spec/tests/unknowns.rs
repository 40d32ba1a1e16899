//! Errors in what unknowns depend on.

use super::*;

#[test]
fn an_unknown_of_something_else() {
    insta::assert_snapshot!(added("[unknowns]\nk = { start = 1, of = ['y'] }\nm = { start = 1, of = ['X'] }"), @r#"
    error: `of` of [unknowns.k] cannot be `y`
     --> small.toml:8:25
      |
    8 | k = { start = 1, of = ['y'] }
      |                         ^ not a coordinate
      |
      = hint: the coordinates are x

    error: `of` of [unknowns.m] cannot be `X`
     --> small.toml:9:25
      |
    9 | m = { start = 1, of = ['X'] }
      |                         ^ not a coordinate
      |
      = hint: did you mean `x`? the coordinates are x

    2 errors in small.toml
    "#);
}

#[test]
fn an_unknown_of_one_coordinate_twice() {
    insta::assert_snapshot!(added("[unknowns]\nk = { start = 1, of = ['x', 'x'] }"), @r#"
    error: `of` of [unknowns.k] has `x` twice
     --> small.toml:8:30
      |
    8 | k = { start = 1, of = ['x', 'x'] }
      |                              ^ once is enough
      |
      = hint: remove one of them

    1 error in small.toml
    "#);
}

#[test]
fn an_unknown_of_nothing() {
    insta::assert_snapshot!(added("[unknowns]\nk = { start = 1, of = [] }\nm = { start = 1, of = 5 }"), @r#"
    error: `of` of [unknowns.k] is an empty list
     --> small.toml:8:23
      |
    8 | k = { start = 1, of = [] }
      |                       ^^ nothing in it
      |
      = hint: write for example `of = ["x"]`

    error: `of` of [unknowns.m] must be text or a list of texts
     --> small.toml:9:23
      |
    9 | m = { start = 1, of = 5 }
      |                       ^ this is a number
      |
      = hint: write for example `of = ["x"]`

    2 errors in small.toml
    "#);
}

#[test]
fn a_number_with_a_network() {
    insta::assert_snapshot!(added("[unknowns]\nk = { start = 1, hidden = '2x20' }"), @r#"
    error: `hidden` of [unknowns.k] has no use without `of`
     --> small.toml:8:28
      |
    8 | k = { start = 1, hidden = '2x20' }
      |                            ^^^^ the network of what?
      |
      = hint: a number has no network; for a field say what it depends on: `of = ["x"]`

    1 error in small.toml
    "#);
}

#[test]
fn a_field_with_a_bad_network() {
    insta::assert_snapshot!(added("[unknowns]\nk = { start = 1, of = ['x'], hidden = 'big' }"), @r#"
    error: `hidden` of [unknowns.k] must be written like `4x32`, layers x width
     --> small.toml:8:40
      |
    8 | k = { start = 1, of = ['x'], hidden = 'big' }
      |                                        ^^^ not understood
      |
      = hint: write `"4x32"` for four layers of 32, or the widths one by one: `[64, 32, 32]`

    1 error in small.toml
    "#);
}
