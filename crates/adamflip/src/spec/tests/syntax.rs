//! Errors in the TOML itself.

use super::*;

#[test]
fn an_unquoted_formula() {
    insta::assert_snapshot!(changed("'u_xx = 0'", "u_xx = 0"), @r#"
    error: `u_xx = 0` is not a value
     --> small.toml:5:12
      |
    5 | equation = u_xx = 0
      |            ^^^^^^^^ not a value
      |
      = hint: text and formulas need quotes: `"u_xx = 0"`

    1 error in small.toml
    "#);
}

#[test]
fn an_unquoted_number_formula() {
    insta::assert_snapshot!(added("[constants]\nnu = 0.01/pi # viscosity"), @r#"
    error: `0.01/pi` is not a value
     --> small.toml:8:6
      |
    8 | nu = 0.01/pi # viscosity
      |      ^^^^^^^ not a value
      |
      = hint: text and formulas need quotes: `"0.01/pi"`

    1 error in small.toml
    "#);
}

#[test]
fn a_capital_true() {
    insta::assert_snapshot!(added("[network]\nscale_inputs = True"), @r#"
    error: `True` is not a value
     --> small.toml:8:16
      |
    8 | scale_inputs = True
      |                ^^^^ not a value
      |
      = hint: write `true`

    1 error in small.toml
    "#);
}

#[test]
fn a_number_without_its_zero() {
    insta::assert_snapshot!(added("[constants]\nnu = .5"), @r#"
    error: `.5` is not a value
     --> small.toml:8:6
      |
    8 | nu = .5
      |      ^^ not a value
      |
      = hint: write `0.5`

    1 error in small.toml
    "#);
}

#[test]
fn a_key_without_a_value() {
    insta::assert_snapshot!(changed("points = 10", "points ="), @r#"
    error: `points` has no value
     --> small.toml:6:9
      |
    6 | points =
      |         ^
      |
      = hint: write `points = …`

    1 error in small.toml
    "#);
}

#[test]
fn a_key_without_equals_sign() {
    insta::assert_snapshot!(changed("points = 10", "points"), @r#"
    error: `points` has no value
     --> small.toml:6:7
      |
    6 | points
      |       ^
      |
      = hint: write `points = …`

    1 error in small.toml
    "#);
}

#[test]
fn a_colon_for_an_equals_sign() {
    insta::assert_snapshot!(changed("points = 10", "points: 10"), @r#"
    error: not valid TOML: invalid unquoted key, expected letters, numbers, `-`, `_`
     --> small.toml:6:7
      |
    6 | points: 10
      |       ^
      |
      = hint: write `key = value`; a key is made of letters, digits, `-` and `_`

    1 error in small.toml
    "#);
}

#[test]
fn a_key_written_twice() {
    insta::assert_snapshot!(changed("points = 10", "points = 10\npoints = 20"), @r#"
    error: `points` is written twice
     --> small.toml:7:1
      |
    7 | points = 20
      | ^^^^^^
      |
      = hint: keep one of them

    1 error in small.toml
    "#);
}

#[test]
fn a_section_written_twice() {
    insta::assert_snapshot!(added("[domain]\ny = [0, 1]"), @r#"
    error: `domain` is written twice
     --> small.toml:7:2
      |
    7 | [domain]
      |  ^^^^^^
      |
      = hint: keep one of them

    1 error in small.toml
    "#);
}

#[test]
fn a_header_without_its_bracket() {
    insta::assert_snapshot!(changed("[term.pde]", "[term.pde"), @r#"
    error: this section header is not closed
     --> small.toml:4:10
      |
    4 | [term.pde
      |          ^
      |
      = hint: names are joined by dots between brackets, like `[term.pde]`

    1 error in small.toml
    "#);
}

#[test]
fn a_header_with_a_space() {
    insta::assert_snapshot!(changed("[term.pde]", "[term pde]"), @r#"
    error: this section header is not closed
     --> small.toml:4:6
      |
    4 | [term pde]
      |      ^
      |
      = hint: names are joined by dots between brackets, like `[term.pde]`

    1 error in small.toml
    "#);
}

#[test]
fn a_text_without_its_closing_quote() {
    insta::assert_snapshot!(changed("'u_xx = 0'", "'u_xx = 0"), @r#"
    error: this text is not closed
     --> small.toml:5:21
      |
    5 | equation = 'u_xx = 0
      |                     ^
      |
      = hint: add the closing quote

    1 error in small.toml
    "#);
}

#[test]
fn a_list_without_its_bracket() {
    insta::assert_snapshot!(changed("[0, 1]", "[0, 1"), @r#"
    error: this list is not closed
     --> small.toml:3:5
      |
    3 | x = [0, 1
      |     ^^^^^
      |
      = hint: add `]`, and a comma between its entries

    1 error in small.toml
    "#);
}

#[test]
fn a_list_without_its_bracket_at_the_end() {
    insta::assert_snapshot!(added("[train]\nstages = [\n  { method = 'adam', steps = 5 },\n"), @r#"
    error: this list is not closed
     --> small.toml:8:10
      |
    8 | stages = [
      |          ^
      |
      = hint: add `]`, and a comma between its entries

    1 error in small.toml
    "#);
}

#[test]
fn a_list_without_comma() {
    insta::assert_snapshot!(changed("['u']", "['u' 'v']"), @r#"
    error: not valid TOML: missing comma between array elements, expected `,`
     --> small.toml:1:15
      |
    1 | fields = ['u' 'v']
      |               ^
      |
      = hint: put one comma between two entries

    1 error in small.toml
    "#);
}

#[test]
fn several_at_once_and_the_rest_is_still_checked() {
    insta::assert_snapshot!(complaints("fields = [u]\n[domain]\nx = [0, 1\ny = [1, 0]\n[term.pde]\nequation = u\npoint = 5\n[network]\nhidden = 8x20\n"), @r#"
    error: `u` is not a value
     --> small.toml:1:11
      |
    1 | fields = [u]
      |           ^ not a value
      |
      = hint: text and formulas need quotes: `"u"`

    error: this list is not closed
     --> small.toml:3:5
      |
    3 | x = [0, 1
      |     ^^^^^
      |
      = hint: add `]`, and a comma between its entries

    error: the range of `y` is empty: 1 is not below 0
     --> small.toml:4:5
      |
    4 | y = [1, 0]
      |     ^^^^^^ lower end first
      |
      = hint: write `[0, 1]`

    error: `u` is not a value
     --> small.toml:6:12
      |
    6 | equation = u
      |            ^ not a value
      |
      = hint: text and formulas need quotes: `"u"`

    error: unknown key `point` in [term.pde]
     --> small.toml:7:1
      |
    7 | point = 5
      | ^^^^^ unknown key
      |
      = hint: did you mean `points`? the keys of [term.pde] are equation, complement, on, points, cloud, data, columns, observe, noise, role, pointwise, weight, sampler, adaptive, caputo, nodes, tolerance, symmetry, augment, project

    error: `8x20` is not a value
     --> small.toml:9:10
      |
    9 | hidden = 8x20
      |          ^^^^ not a value
      |
      = hint: text and formulas need quotes: `"8x20"`

    6 errors in small.toml
    "#);
}

#[test]
fn letters_and_line_ends_of_all_kinds() {
    insta::assert_snapshot!(complaints(&format!("\u{feff}# élan\r\ntitle = 'é' + 1\r\n{}", SMALL.replace('\n', "\r\n"))), @r#"
    error: `'é' + 1` is not a value
     --> small.toml:2:9
      |
    2 | title = 'é' + 1
      |         ^^^^^^^ not a value
      |
      = hint: a value is a number, true, false, or text in quotes

    1 error in small.toml
    "#);
}

#[test]
fn a_stray_carriage_return_hides_nothing() {
    let text = SMALL.replace("10", "\r0").replace("[0, 1]", "[1, 0]");
    assert_eq!(read(&text).diagnostics.len(), 2);
}
