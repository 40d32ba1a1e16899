//! Errors in definitions, and words that cannot be names.

use super::*;

#[test]
fn a_definition_with_a_bad_name() {
    insta::assert_snapshot!(added("[define]\n2flux = 'u_x'\n'g h' = 'u'\n'2g(s)' = 's'"), @r#"
    error: `2flux` cannot be a name in equations
     --> small.toml:8:1
      |
    8 | 2flux = 'u_x'
      | ^^^^^ not a name
      |
      = hint: begin with a letter, then letters, digits and `_`

    error: `g h` cannot be a name in equations
     --> small.toml:9:2
      |
    9 | 'g h' = 'u'
      |  ^^^ not a name
      |
      = hint: begin with a letter, then letters, digits and `_`

    error: `2g` cannot be a name in equations
      --> small.toml:10:2
       |
    10 | '2g(s)' = 's'
       |  ^^ not a name
       |
       = hint: begin with a letter, then letters, digits and `_`

    3 errors in small.toml
    "#);
}

#[test]
fn a_definition_without_closing_parenthesis() {
    insta::assert_snapshot!(added("[define]\n'g(s' = 's'"), @r#"
    error: `g(s` is not a name with parameters
     --> small.toml:8:2
      |
    8 | 'g(s' = 's'
      |  ^^^ not understood
      |
      = hint: write for example `flux = "k*u_x"` or `"g(s)" = "exp(-s^2)"`

    1 error in small.toml
    "#);
}

#[test]
fn a_function_without_parameters() {
    insta::assert_snapshot!(added("[define]\n'g()' = 'x'"), @r#"
    error: the function `g` has no parameters
     --> small.toml:8:2
      |
    8 | 'g()' = 'x'
      |  ^^^ nothing in `()`
      |
      = hint: write `g` without `()`

    1 error in small.toml
    "#);
}

#[test]
fn two_parameters_of_one_name() {
    insta::assert_snapshot!(added("[define]\n'g(s, r, s)' = 's*r'"), @r#"
    error: the function `g` has two parameters `s`
     --> small.toml:8:10
      |
    8 | 'g(s, r, s)' = 's*r'
      |          ^ the second
      |
      = hint: choose another name for one of them

    1 error in small.toml
    "#);
}

#[test]
fn parameters_that_are_no_names() {
    insta::assert_snapshot!(added("[define]\n'g(2, pi, )' = '1'"), @r#"
    error: `2` cannot be a name in equations
     --> small.toml:8:4
      |
    8 | 'g(2, pi, )' = '1'
      |    ^ not a name
      |
      = hint: begin with a letter, then letters, digits and `_`

    error: `pi` is the number 3.14…
     --> small.toml:8:7
      |
    8 | 'g(2, pi, )' = '1'
      |       ^^ reserved
      |
      = hint: choose another name

    error: a parameter of `g` has no name
     --> small.toml:8:11
      |
    8 | 'g(2, pi, )' = '1'
      |           ^ no name here
      |
      = hint: write one, or remove a comma

    3 errors in small.toml
    "#);
}

#[test]
fn a_definition_that_is_no_text() {
    insta::assert_snapshot!(added("[define]\nflux = 3\nheat = ''\ncold = ['u']"), @r#"
    error: the definition of `flux` must be text
     --> small.toml:8:8
      |
    8 | flux = 3
      |        ^ this is a number
      |
      = hint: numbers are given names in [constants]

    error: the definition of `heat` is empty
     --> small.toml:9:9
      |
    9 | heat = ''
      |         ^ no text here
      |
      = hint: write for example `"k*u_x"`

    error: the definition of `cold` must be text
      --> small.toml:10:8
       |
    10 | cold = ['u']
       |        ^^^^^ this is a list
       |
       = hint: write for example `"k*u_x"`

    3 errors in small.toml
    "#);
}

#[test]
fn a_name_defined_twice() {
    insta::assert_snapshot!(added("[define]\ng = 'u'\n'g(s)' = 's'\nu = 'x'\n[shapes]\nx = { box = { x = [0, 1] } }"), @r#"
    error: the name `g` is used twice
     --> small.toml:9:2
      |
    9 | 'g(s)' = 's'
      |  ^ already a definition
      |
      = hint: choose another name for one of them

    error: the name `u` is used twice
      --> small.toml:10:1
       |
    10 | u = 'x'
       | ^ already a field
       |
       = hint: choose another name for one of them

    error: the name `x` is used twice
      --> small.toml:12:1
       |
    12 | x = { box = { x = [0, 1] } }
       | ^ already a coordinate
       |
       = hint: choose another name for one of them

    3 errors in small.toml
    "#);
}

#[test]
fn words_of_equations_as_names() {
    insta::assert_snapshot!(added("[constants]\nwhere = 1\nlaplacian = 2\n[define]\n'dot(a)' = 'a'\n[unknowns]\nor = { start = 1 }\n[shapes]\nboundary = { box = { x = [0, 1] } }"), @r#"
    error: `where` chooses between two expressions
     --> small.toml:8:1
      |
    8 | where = 1
      | ^^^^^ reserved
      |
      = hint: choose another name

    error: `laplacian` stands for the sum of second derivatives
     --> small.toml:9:1
      |
    9 | laplacian = 2
      | ^^^^^^^^^ reserved
      |
      = hint: choose another name

    error: `dot` stands for the product of vectors
      --> small.toml:11:2
       |
    11 | 'dot(a)' = 'a'
       |  ^^^ reserved
       |
       = hint: choose another name

    error: `or` joins conditions
      --> small.toml:13:1
       |
    13 | or = { start = 1 }
       | ^^ reserved
       |
       = hint: choose another name

    error: `boundary` stands for the whole boundary
      --> small.toml:15:1
       |
    15 | boundary = { box = { x = [0, 1] } }
       | ^^^^^^^^ reserved
       |
       = hint: choose another name

    5 errors in small.toml
    "#);
}
