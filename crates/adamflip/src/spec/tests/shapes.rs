//! Errors in the forms of `[shapes]`.

use super::*;

#[test]
fn a_radius_that_is_a_list() {
    insta::assert_snapshot!(shaped("a = { disk = { center = [0, 0], radius = [1] } }"), @r#"
    error: `radius` of [shapes.a.disk] must be a number or a formula
     --> small.toml:9:42
      |
    9 | a = { disk = { center = [0, 0], radius = [1] } }
      |                                          ^^^ this is a list
      |
      = hint: write for example `0.5` or `"0.01/pi"`

    1 error in small.toml
    "#);
}

#[test]
fn a_radius_of_zero_or_below() {
    insta::assert_snapshot!(shaped("a = { disk = { center = [0, 0], radius = 0 } }\nb = { ellipse = { center = [0, 0], radii = [1, -1] } }"), @r#"
    error: `radius` of [shapes.a.disk] must be greater than 0
     --> small.toml:9:42
      |
    9 | a = { disk = { center = [0, 0], radius = 0 } }
      |                                          ^ not greater than 0
      |
      = hint: write for example `1.0`

    error: `radii` of [shapes.b.ellipse] must be greater than 0
      --> small.toml:10:48
       |
    10 | b = { ellipse = { center = [0, 0], radii = [1, -1] } }
       |                                                ^^ not greater than 0
       |
       = hint: write for example `1.0`

    2 errors in small.toml
    "#);
}

#[test]
fn a_disk_without_radius() {
    insta::assert_snapshot!(shaped("a = { disk = { center = [0, 0] } }\nb = { ball = { radius = 1 } }"), @r#"
    error: this disk has no `radius`
     --> small.toml:9:14
      |
    9 | a = { disk = { center = [0, 0] } }
      |              ^^^^^^^^^^^^^^^^^^^
      |
      = hint: write for example `disk = { center = [0, 0], radius = 1 }`

    error: this ball has no `center`
      --> small.toml:10:14
       |
    10 | b = { ball = { radius = 1 } }
       |              ^^^^^^^^^^^^^^
       |
       = hint: write for example `ball = { center = [0, 0, 0], radius = 1 }`

    2 errors in small.toml
    "#);
}

#[test]
fn a_key_of_a_disk_with_a_slip() {
    insta::assert_snapshot!(shaped("a = { disk = { centre = [0, 0], radius = 1 } }"), @r#"
    error: unknown key `centre` in [shapes.a.disk]
     --> small.toml:9:16
      |
    9 | a = { disk = { centre = [0, 0], radius = 1 } }
      |                ^^^^^^ unknown key
      |
      = hint: did you mean `center`? the keys of [shapes.a.disk] are center, radius

    1 error in small.toml
    "#);
}

#[test]
fn a_disk_in_space() {
    insta::assert_snapshot!(shaped("a = { disk = { center = [0, 0, 0], radius = 1 } }"), @r#"
    error: `center` of [shapes.a.disk] needs two numbers
     --> small.toml:9:25
      |
    9 | a = { disk = { center = [0, 0, 0], radius = 1 } }
      |                         ^^^^^^^^^ 3 entries
      |
      = hint: a disk lies in a plane: write for example `[0.5, 0.5]`, or use `ball`

    1 error in small.toml
    "#);
}

#[test]
fn an_ellipse_with_three_radii() {
    insta::assert_snapshot!(shaped("a = { ellipse = { center = [0, 0], radii = [1, 2, 3], angle = true } }"), @r#"
    error: `radii` of [shapes.a.ellipse] needs two numbers
     --> small.toml:9:44
      |
    9 | a = { ellipse = { center = [0, 0], radii = [1, 2, 3], angle = true } }
      |                                            ^^^^^^^^^ 3 entries
      |
      = hint: an ellipse lies in a plane: write for example `[0.5, 0.5]`

    error: `angle` of [shapes.a.ellipse] must be a number or a formula
     --> small.toml:9:63
      |
    9 | a = { ellipse = { center = [0, 0], radii = [1, 2, 3], angle = true } }
      |                                                               ^^^^ this is true or false
      |
      = hint: write for example `0.5` or `"0.01/pi"`

    2 errors in small.toml
    "#);
}

#[test]
fn a_polygon_with_two_corners() {
    insta::assert_snapshot!(shaped("a = { polygon = [[0, 0], [1, 0]] }"), @r#"
    error: `polygon` of [shapes.a] needs at least three corners
     --> small.toml:9:17
      |
    9 | a = { polygon = [[0, 0], [1, 0]] }
      |                 ^^^^^^^^^^^^^^^^ 2 corners
      |
      = hint: write for example `polygon = [[0, 0], [1, 0], [1, 1]]`

    1 error in small.toml
    "#);
}

#[test]
fn corners_that_are_no_points() {
    insta::assert_snapshot!(shaped("a = { polygon = [[0, 0], [1], 2] }"), @r#"
    error: a corner in `polygon` of [shapes.a] needs two numbers
     --> small.toml:9:26
      |
    9 | a = { polygon = [[0, 0], [1], 2] }
      |                          ^^^ 1 entry
      |
      = hint: write for example `[1, 0.5]`

    error: a corner in `polygon` of [shapes.a] must be a list of two numbers
     --> small.toml:9:31
      |
    9 | a = { polygon = [[0, 0], [1], 2] }
      |                               ^ this is a number
      |
      = hint: write for example `polygon = [[0, 0], [1, 0], [1, 1]]`

    2 errors in small.toml
    "#);
}

#[test]
fn a_form_with_a_slip() {
    insta::assert_snapshot!(shaped("a = { dsik = { center = [0, 0], radius = 1 } }"), @r#"
    error: unknown key `dsik` in [shapes.a]
     --> small.toml:9:7
      |
    9 | a = { dsik = { center = [0, 0], radius = 1 } }
      |       ^^^^ unknown key
      |
      = hint: did you mean `disk`? the keys of [shapes.a] are box, disk, ball, ellipse, polygon, axes

    1 error in small.toml
    "#);
}
