//! Keys, names and sections that are unknown, missing, or used twice.

use super::*;

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(complaints(""), @r#"
    error: the problem has no `fields`
     --> small.toml:1:1
      |
    1 |
      | ^
      |
      = hint: name the functions that are sought, above the first section: `fields = ["u"]`

    error: the problem has no [domain]
     --> small.toml:1:1
      |
    1 |
      | ^
      |
      = hint: give every coordinate a range: `[domain]`, and below it `x = [-1, 1]`

    error: the problem has no terms
     --> small.toml:1:1
      |
    1 |
      | ^
      |
      = hint: write `[term.pde]`, and below it `equation = "u_t = u_xx"` and `points = 1000`

    3 errors in small.toml
    "#);
}

#[test]
fn nothing_but_a_title() {
    insta::assert_snapshot!(complaints("title = 'Nothing'\n"), @r#"
    error: the problem has no `fields`
     --> small.toml:1:1
      |
    1 | title = 'Nothing'
      | ^
      |
      = hint: name the functions that are sought, above the first section: `fields = ["u"]`

    error: the problem has no [domain]
     --> small.toml:1:18
      |
    1 | title = 'Nothing'
      |                  ^
      |
      = hint: give every coordinate a range: `[domain]`, and below it `x = [-1, 1]`

    error: the problem has no terms
     --> small.toml:1:18
      |
    1 | title = 'Nothing'
      |                  ^
      |
      = hint: write `[term.pde]`, and below it `equation = "u_t = u_xx"` and `points = 1000`

    3 errors in small.toml
    "#);
}

#[test]
fn an_unknown_key_at_the_top() {
    insta::assert_snapshot!(complaints(&format!("feilds = ['u']\n{SMALL}")), @r#"
    error: unknown key `feilds` in the problem file
     --> small.toml:1:1
      |
    1 | feilds = ['u']
      | ^^^^^^ unknown key
      |
      = hint: did you mean `fields`? the keys of the problem file are title, fields, domain, shapes, constants, define, unknowns, term, reference, network, train, profile

    1 error in small.toml
    "#);
}

#[test]
fn an_unknown_section() {
    insta::assert_snapshot!(added("[netwrok]\nhidden = '4x20'"), @r#"
    error: unknown key `netwrok` in the problem file
     --> small.toml:7:2
      |
    7 | [netwrok]
      |  ^^^^^^^ unknown key
      |
      = hint: did you mean `network`? the keys of the problem file are title, fields, domain, shapes, constants, define, unknowns, term, reference, network, train, profile

    1 error in small.toml
    "#);
}

#[test]
fn an_unknown_key_in_a_term() {
    insta::assert_snapshot!(changed("points", "pionts"), @r#"
    error: unknown key `pionts` in [term.pde]
     --> small.toml:6:1
      |
    6 | pionts = 10
      | ^^^^^^ unknown key
      |
      = hint: did you mean `points`? the keys of [term.pde] are equation, complement, on, points, cloud, data, columns, observe, noise, role, pointwise, weight, sampler, adaptive, caputo, nodes, tolerance, symmetry, augment, project

    1 error in small.toml
    "#);
}

#[test]
fn unknown_keys_in_other_sections() {
    insta::assert_snapshot!(added("[network]\nwidth = 5\n[train]\nmethod = 'adam'\n[unknowns]\nk = { start = 1, bound = [0, 1] }"), @r#"
    error: unknown key `width` in [network]
     --> small.toml:8:1
      |
    8 | width = 5
      | ^^^^^ unknown key
      |
      = hint: the keys of [network] are hidden, activation, architecture, scale_inputs, scale_outputs, fourier, periodic, fourier_hard, factorized, separate, ansatz

    error: unknown key `method` in [train]
      --> small.toml:10:1
       |
    10 | method = 'adam'
       | ^^^^^^ unknown key
       |
       = hint: the keys of [train] are seed, sampler, resample, stages, plan, grow, max_seconds, accuracy, windows, start, observe, tolerance, patience, stop_when_feasible, lanes

    error: unknown key `bound` in [unknowns.k]
      --> small.toml:12:18
       |
    12 | k = { start = 1, bound = [0, 1] }
       |                  ^^^^^ unknown key
       |
       = hint: did you mean `bounds`? the keys of [unknowns.k] are start, bounds, truth, of, hidden

    3 errors in small.toml
    "#);
}

#[test]
fn a_term_without_equation() {
    insta::assert_snapshot!(changed("equation = 'u_xx = 0'\n", ""), @r#"
    error: the term `pde` has no equation
     --> small.toml:4:7
      |
    4 | [term.pde]
      |       ^^^ what holds here?
      |
      = hint: add for example `equation = "u_t = u_xx"`

    1 error in small.toml
    "#);
}

#[test]
fn a_term_that_is_an_equation() {
    insta::assert_snapshot!(added("[term]\nwalls = 'u = 0'"), @r#"
    error: `walls` in [term] must be a table
     --> small.toml:8:10
      |
    8 | walls = 'u = 0'
      |          ^^^^^ this is text
      |
      = hint: write `[term.pde]`, and below it `equation = "u_t = u_xx"` and `points = 1000`

    1 error in small.toml
    "#);
}

#[test]
fn a_section_that_is_a_number() {
    insta::assert_snapshot!(complaints(&format!("train = 5\n{SMALL}")), @r#"
    error: `train` must be a table
     --> small.toml:1:9
      |
    1 | train = 5
      |         ^ this is a number
      |
      = hint: write `[train]`, and below it for example `seed = 0`

    1 error in small.toml
    "#);
}

#[test]
fn a_domain_without_coordinates() {
    insta::assert_snapshot!(changed("x = [0, 1]\n", ""), @r#"
    error: [domain] has no coordinates
     --> small.toml:2:1
      |
    2 | [domain]
      | ^^^^^^^^
      |
      = hint: give every coordinate a range, for example `x = [-1, 1]`

    1 error in small.toml
    "#);
}

#[test]
fn a_name_used_twice() {
    insta::assert_snapshot!(added("[constants]\nu = 1\nx = 2\n[unknowns]\nx = { start = 1 }"), @r#"
    error: the name `u` is used twice
     --> small.toml:8:1
      |
    8 | u = 1
      | ^ already a field
      |
      = hint: choose another name for one of them

    error: the name `x` is used twice
     --> small.toml:9:1
      |
    9 | x = 2
      | ^ already a coordinate
      |
      = hint: choose another name for one of them

    error: the name `x` is used twice
      --> small.toml:11:1
       |
    11 | x = { start = 1 }
       | ^ already a constant
       |
       = hint: choose another name for one of them

    3 errors in small.toml
    "#);
}

#[test]
fn a_field_written_twice() {
    insta::assert_snapshot!(changed("['u']", "['u', 'u']"), @r#"
    error: the name `u` is used twice
     --> small.toml:1:17
      |
    1 | fields = ['u', 'u']
      |                 ^ already a field
      |
      = hint: choose another name for one of them

    1 error in small.toml
    "#);
}

#[test]
fn names_that_equations_cannot_hold() {
    insta::assert_snapshot!(added("[constants]\n2nu = 1\nnu-t = 1\npi = 3"), @r#"
    error: `2nu` cannot be a name in equations
     --> small.toml:8:1
      |
    8 | 2nu = 1
      | ^^^ not a name
      |
      = hint: begin with a letter, then letters, digits and `_`

    error: `nu-t` cannot be a name in equations
     --> small.toml:9:1
      |
    9 | nu-t = 1
      | ^^^^ not a name
      |
      = hint: begin with a letter, then letters, digits and `_`

    error: `pi` is the number 3.14…
      --> small.toml:10:1
       |
    10 | pi = 3
       | ^^ reserved
       |
       = hint: choose another name

    3 errors in small.toml
    "#);
}

#[test]
fn an_unknown_without_start() {
    insta::assert_snapshot!(added("[unknowns]\nkappa = { bounds = [2, 1] }\nlambda = 0.5"), @r#"
    error: the unknown `kappa` has no `start`
     --> small.toml:8:1
      |
    8 | kappa = { bounds = [2, 1] }
      | ^^^^^ where does it start?
      |
      = hint: say where training starts: `start = 1.0`

    error: `bounds` of [unknowns.kappa] is empty: 2 is not below 1
     --> small.toml:8:20
      |
    8 | kappa = { bounds = [2, 1] }
      |                    ^^^^^^ lower end first
      |
      = hint: write `[1, 2]`

    error: the unknown `lambda` must be a table
     --> small.toml:9:10
      |
    9 | lambda = 0.5
      |          ^^^ this is a number
      |
      = hint: write `lambda = { start = 0.5 }`

    3 errors in small.toml
    "#);
}

#[test]
fn a_reference_of_a_field_that_does_not_exist() {
    insta::assert_snapshot!(added("[reference]\nv = 'x'\ngrid = { x = 11, t = 11 }"), @r#"
    error: unknown key `v` in [reference]
     --> small.toml:8:1
      |
    8 | v = 'x'
      | ^ unknown key
      |
      = hint: the keys of [reference] are u, data, columns, grid

    error: unknown key `t` in [reference.grid]
     --> small.toml:9:18
      |
    9 | grid = { x = 11, t = 11 }
      |                  ^ unknown key
      |
      = hint: the keys of [reference.grid] are x

    2 errors in small.toml
    "#);
}

#[test]
fn a_reference_without_formula() {
    insta::assert_snapshot!(added("[reference]\ngrid = 5"), @r#"
    error: [reference] has no formula for any field
     --> small.toml:7:2
      |
    7 | [reference]
      |  ^^^^^^^^^
      |
      = hint: write for example `u = "sin(pi*x)"`, or name a file: `data = "solution.csv"`

    error: `grid` of [reference] must be a table
     --> small.toml:8:8
      |
    8 | grid = 5
      |        ^ this is a number
      |
      = hint: write for example `grid = { x = 201, t = 101 }`

    2 errors in small.toml
    "#);
}

#[test]
fn a_profile_with_an_unknown_section() {
    insta::assert_snapshot!(added("[profile.paper.trian]\nseed = 1\n[profile]\nquick = 1"), @r#"
    error: unknown key `trian` in [profile.paper]
     --> small.toml:7:16
      |
    7 | [profile.paper.trian]
      |                ^^^^^ unknown key
      |
      = hint: did you mean `train`? the keys of [profile.paper] are title, fields, domain, shapes, constants, define, unknowns, term, reference, network, train

    error: the profile `quick` must be a table
      --> small.toml:10:9
       |
    10 | quick = 1
       |         ^ this is a number
       |
       = hint: write for example `[profile.paper.train]`

    2 errors in small.toml
    "#);
}
