//! Errors in how shapes lie in the domain, and in `inside`.

use super::*;

#[test]
fn a_shape_without_form() {
    insta::assert_snapshot!(shaped("a = { axes = ['x', 'y'] }\nb = {}\nc = 1"), @r#"
    error: the shape `a` has no form
     --> small.toml:9:1
      |
    9 | a = { axes = ['x', 'y'] }
      | ^ what is it?
      |
      = hint: choose one of box, disk, ball, ellipse, polygon, for example `hole = { disk = { center = [0, 0], radius = 0.3 } }`

    error: the shape `b` has no form
      --> small.toml:10:1
       |
    10 | b = {}
       | ^ what is it?
       |
       = hint: choose one of box, disk, ball, ellipse, polygon, for example `hole = { disk = { center = [0, 0], radius = 0.3 } }`

    error: the shape `c` must be a table
      --> small.toml:11:5
       |
    11 | c = 1
       |     ^ this is a number
       |
       = hint: write for example `hole = { disk = { center = [0, 0], radius = 0.3 } }`

    3 errors in small.toml
    "#);
}

#[test]
fn two_forms_at_once() {
    insta::assert_snapshot!(shaped("a = { box = { x = [0, 1] }, polygon = [[0, 0], [1, 0], [1, 1]] }"), @r#"
    error: the shape `a` is two things at once
     --> small.toml:9:29
      |
    9 | a = { box = { x = [0, 1] }, polygon = [[0, 0], [1, 0], [1, 1]] }
      |                             ^^^^^^^ one form too many
      |
      = hint: give each a name of its own, and combine them: `inside = "a + b"`

    1 error in small.toml
    "#);
}

#[test]
fn a_box_along_something_else() {
    insta::assert_snapshot!(shaped("a = { box = { z = [0, 1] } }\nb = { box = {} }\nc = { box = { x = [1, 0] } }"), @r#"
    error: unknown key `z` in `box` of [shapes.a]
     --> small.toml:9:15
      |
    9 | a = { box = { z = [0, 1] } }
      |               ^ unknown key
      |
      = hint: the keys of `box` of [shapes.a] are x, y

    error: `box` of [shapes.b] has no coordinates
      --> small.toml:10:13
       |
    10 | b = { box = {} }
       |             ^^ nothing in it
       |
       = hint: write for example `box = { x = [-1, 1], y = [-1, 1] }`

    error: the range of `x` in `box` of [shapes.c] is empty: 1 is not below 0
      --> small.toml:11:19
       |
    11 | c = { box = { x = [1, 0] } }
       |                   ^^^^^^ lower end first
       |
       = hint: write `[0, 1]`

    3 errors in small.toml
    "#);
}

#[test]
fn a_box_with_axes() {
    insta::assert_snapshot!(shaped("a = { box = { x = [0, 1] }, axes = ['x'] }"), @r#"
    error: `axes` of [shapes.a] is not needed: a box names its coordinates itself
     --> small.toml:9:36
      |
    9 | a = { box = { x = [0, 1] }, axes = ['x'] }
      |                                    ^^^^^ not for a box
      |
      = hint: remove `axes`

    1 error in small.toml
    "#);
}

#[test]
fn axes_that_do_not_fit() {
    insta::assert_snapshot!(shaped("a = { disk = { center = [0, 0], radius = 1 }, axes = ['x'] }\nb = { ball = { center = [0], radius = 1 }, axes = ['z'] }\nc = { disk = { center = [0, 0], radius = 1 }, axes = ['x', 'x'] }"), @r#"
    error: `axes` of [shapes.a] must name 2 coordinates
     --> small.toml:9:54
      |
    9 | a = { disk = { center = [0, 0], radius = 1 }, axes = ['x'] }
      |                                                      ^^^^^ 1 here
      |
      = hint: name one coordinate for each number of the center or of a corner

    error: `axes` of [shapes.b] cannot be `z`
      --> small.toml:10:53
       |
    10 | b = { ball = { center = [0], radius = 1 }, axes = ['z'] }
       |                                                     ^ not a coordinate
       |
       = hint: the coordinates are x, y

    error: `axes` of [shapes.c] has `x` twice
      --> small.toml:11:61
       |
    11 | c = { disk = { center = [0, 0], radius = 1 }, axes = ['x', 'x'] }
       |                                                             ^ once is enough
       |
       = hint: remove one of them

    3 errors in small.toml
    "#);
}

#[test]
fn a_ball_with_more_coordinates_than_the_domain() {
    insta::assert_snapshot!(shaped("a = { ball = { center = [0, 0, 0], radius = 1 } }"), @r#"
    error: the shape `a` has 3 coordinates
     --> small.toml:9:1
      |
    9 | a = { ball = { center = [0, 0, 0], radius = 1 } }
      | ^ the domain has 2
      |
      = hint: a shape has at most as many coordinates as [domain]

    1 error in small.toml
    "#);
}

#[test]
fn a_coordinate_called_inside() {
    insta::assert_snapshot!(changed("x = [0, 1]", "x = [0, 1]\ninside = [0, 1]"), @r#"
    error: a coordinate cannot be called `inside`
     --> small.toml:4:1
      |
    4 | inside = [0, 1]
      | ^^^^^^ reserved
      |
      = hint: `inside = "plate - hole"` cuts the domain out of its ranges; choose another name

    1 error in small.toml
    "#);
}

#[test]
fn an_inside_that_is_a_number() {
    insta::assert_snapshot!(changed("x = [0, 1]", "x = [0, 1]\ninside = 1"), @r#"
    error: `inside` of [domain] must be text
     --> small.toml:4:10
      |
    4 | inside = 1
      |          ^ this is a number
      |
      = hint: write for example `inside = "plate - hole"`

    1 error in small.toml
    "#);
}
