//! Errors in how a term chooses its points and nodes.

use super::*;

#[test]
fn an_adaptive_method_with_a_slip() {
    insta::assert_snapshot!(added("adaptive = 'rda'"), @r#"
    error: `adaptive` of [term.pde] cannot be `rda`
     --> small.toml:7:13
      |
    7 | adaptive = 'rda'
      |             ^^^ unknown name
      |
      = hint: did you mean `rad`? choose one of rad, rar

    1 error in small.toml
    "#);
}

#[test]
fn adaptive_settings() {
    insta::assert_snapshot!(added("adaptive = { method = 'rad', limit = 2, power = 0, pool = 0.5 }"), @r#"
    error: unknown key `limit` in `adaptive` of [term.pde]
     --> small.toml:7:30
      |
    7 | adaptive = { method = 'rad', limit = 2, power = 0, pool = 0.5 }
      |                              ^^^^^ unknown key
      |
      = hint: the keys of `adaptive` of [term.pde] are method, power, floor, pool

    error: `power` of `adaptive` of [term.pde] must be greater than 0
     --> small.toml:7:49
      |
    7 | adaptive = { method = 'rad', limit = 2, power = 0, pool = 0.5 }
      |                                                 ^ not greater than 0
      |
      = hint: write for example `1.0`

    error: `pool` of `adaptive` of [term.pde] must be a whole number
     --> small.toml:7:59
      |
    7 | adaptive = { method = 'rad', limit = 2, power = 0, pool = 0.5 }
      |                                                           ^^^ not a whole number
      |
      = hint: write `1`

    3 errors in small.toml
    "#);
}

#[test]
fn adaptive_settings_of_the_other_method() {
    insta::assert_snapshot!(added("adaptive = { method = 'rar', limit = 0.5, add = 'all', floor = 1 }"), @r#"
    error: `limit` of `adaptive` of [term.pde] must be at least 1
     --> small.toml:7:38
      |
    7 | adaptive = { method = 'rar', limit = 0.5, add = 'all', floor = 1 }
      |                                      ^^^ too small
      |
      = hint: write `1` or more

    error: `add` of `adaptive` of [term.pde] must be a number
     --> small.toml:7:50
      |
    7 | adaptive = { method = 'rar', limit = 0.5, add = 'all', floor = 1 }
      |                                                  ^^^ this is text
      |
      = hint: write for example `0.5`

    error: unknown key `floor` in `adaptive` of [term.pde]
     --> small.toml:7:56
      |
    7 | adaptive = { method = 'rar', limit = 0.5, add = 'all', floor = 1 }
      |                                                        ^^^^^ unknown key
      |
      = hint: the keys of `adaptive` of [term.pde] are method, pool, add, limit

    3 errors in small.toml
    "#);
}

#[test]
fn adaptive_without_method() {
    insta::assert_snapshot!(added("adaptive = { power = 1 }"), @r#"
    error: `adaptive` of [term.pde] has no `method`
     --> small.toml:7:12
      |
    7 | adaptive = { power = 1 }
      |            ^^^^^^^^^^^^^
      |
      = hint: write for example `adaptive = "rad"` or `adaptive = { method = "rad", power = 1 }`

    1 error in small.toml
    "#);
}

#[test]
fn adaptive_as_a_flag() {
    insta::assert_snapshot!(added("adaptive = true"), @r#"
    error: `adaptive` of [term.pde] must be text or a table
     --> small.toml:7:12
      |
    7 | adaptive = true
      |            ^^^^ this is true or false
      |
      = hint: write for example `adaptive = "rad"` or `adaptive = { method = "rad", power = 1 }`

    1 error in small.toml
    "#);
}

#[test]
fn a_caputo_with_a_slip() {
    insta::assert_snapshot!(added("caputo = 'line'\nnodes = 1"), @r#"
    error: `caputo` of [term.pde] cannot be `line`
     --> small.toml:7:11
      |
    7 | caputo = 'line'
      |           ^^^^ unknown name
      |
      = hint: did you mean `lines`? choose one of lines, scattered, l1

    error: `nodes` of [term.pde] must be at least 2
     --> small.toml:8:9
      |
    8 | nodes = 1
      |         ^ too small
      |
      = hint: write for example `100`

    2 errors in small.toml
    "#);
}

#[test]
fn too_many_nodes() {
    insta::assert_snapshot!(added("nodes = 1000"), @r#"
    error: `nodes` of [term.pde] must be at most 256
     --> small.toml:7:9
      |
    7 | nodes = 1000
      |         ^^^^ too large
      |
      = hint: write for example `100`

    1 error in small.toml
    "#);
}
