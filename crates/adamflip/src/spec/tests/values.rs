//! Values of the wrong type or out of range.

use super::*;

#[test]
fn points_below_one() {
    insta::assert_snapshot!(changed("10", "-10"), @r#"
    error: `points` of [term.pde] must be at least 1
     --> small.toml:6:10
      |
    6 | points = -10
      |          ^^^ too small
      |
      = hint: write for example `100`

    1 error in small.toml
    "#);
}

#[test]
fn points_beyond_all_bounds() {
    insta::assert_snapshot!(changed("10", "1e10"), @r#"
    error: `points` of [term.pde] must be at most 1000000000
     --> small.toml:6:10
      |
    6 | points = 1e10
      |          ^^^^ too large
      |
      = hint: write for example `100`

    1 error in small.toml
    "#);
}

#[test]
fn half_a_point() {
    insta::assert_snapshot!(changed("10", "10.5"), @r#"
    error: `points` of [term.pde] must be a whole number
     --> small.toml:6:10
      |
    6 | points = 10.5
      |          ^^^^ not a whole number
      |
      = hint: write `11`

    1 error in small.toml
    "#);
}

#[test]
fn points_as_text() {
    insta::assert_snapshot!(changed("10", "'10'"), @r#"
    error: `points` of [term.pde] must be a whole number
     --> small.toml:6:11
      |
    6 | points = '10'
      |           ^^ this is text
      |
      = hint: leave out the quotes: `10`

    1 error in small.toml
    "#);
}

#[test]
fn infinite_points() {
    insta::assert_snapshot!(changed("10", "inf"), @r#"
    error: `points` of [term.pde] must be a whole number
     --> small.toml:6:10
      |
    6 | points = inf
      |          ^^^ not a whole number
      |
      = hint: write for example `100`

    1 error in small.toml
    "#);
}

#[test]
fn a_constant_that_is_not_a_number() {
    insta::assert_snapshot!(added("[constants]\nnu = nan\nmu = true\nxi = ''\neta = 1e400"), @r#"
    error: the constant `nu` must be a finite number
     --> small.toml:8:6
      |
    8 | nu = nan
      |      ^^^ not finite
      |
      = hint: write an ordinary number, like `0.5` or `1e-3`

    error: the constant `mu` must be a number or a formula
     --> small.toml:9:6
      |
    9 | mu = true
      |      ^^^^ this is true or false
      |
      = hint: write for example `0.5` or `"0.01/pi"`

    error: the constant `xi` is empty
      --> small.toml:10:7
       |
    10 | xi = ''
       |       ^ no text here
       |
       = hint: write for example `0.5` or `"0.01/pi"`

    error: the constant `eta` must be a finite number
      --> small.toml:11:7
       |
    11 | eta = 1e400
       |       ^^^^^ not finite
       |
       = hint: write an ordinary number, like `0.5` or `1e-3`

    4 errors in small.toml
    "#);
}

#[test]
fn an_empty_range() {
    insta::assert_snapshot!(changed("[0, 1]", "[1, 0]"), @r#"
    error: the range of `x` is empty: 1 is not below 0
     --> small.toml:3:5
      |
    3 | x = [1, 0]
      |     ^^^^^^ lower end first
      |
      = hint: write `[0, 1]`

    1 error in small.toml
    "#);
}

#[test]
fn a_range_of_no_length() {
    insta::assert_snapshot!(changed("[0, 1]", "[1, 1.0]"), @r#"
    error: the range of `x` is empty: 1 is not below 1
     --> small.toml:3:5
      |
    3 | x = [1, 1.0]
      |     ^^^^^^^^ no length
      |
      = hint: the two ends must differ

    1 error in small.toml
    "#);
}

#[test]
fn a_range_with_one_end() {
    insta::assert_snapshot!(changed("[0, 1]", "[1]"), @r#"
    error: the range of `x` needs two ends
     --> small.toml:3:5
      |
    3 | x = [1]
      |     ^^^ 1 entry
      |
      = hint: write for example `x = [-1, 1]`

    1 error in small.toml
    "#);
}

#[test]
fn a_range_that_is_a_number() {
    insta::assert_snapshot!(changed("[0, 1]", "1"), @r#"
    error: the range of `x` must be a list
     --> small.toml:3:5
      |
    3 | x = 1
      |     ^ this is a number
      |
      = hint: write for example `x = [-1, 1]`

    1 error in small.toml
    "#);
}

#[test]
fn fields_that_are_numbers() {
    insta::assert_snapshot!(changed("['u']", "[1]"), @r#"
    error: `fields` must be text
     --> small.toml:1:11
      |
    1 | fields = [1]
      |           ^ this is a number
      |
      = hint: write for example `fields = ["u"]`

    1 error in small.toml
    "#);
}

#[test]
fn fields_that_are_none() {
    insta::assert_snapshot!(changed("['u']", "[]"), @r#"
    error: `fields` is an empty list
     --> small.toml:1:10
      |
    1 | fields = []
      |          ^^ nothing in it
      |
      = hint: write for example `fields = ["u"]`

    1 error in small.toml
    "#);
}

#[test]
fn an_empty_equation() {
    insta::assert_snapshot!(changed("'u_xx = 0'", "' '"), @r#"
    error: `equation` of [term.pde] is empty
     --> small.toml:5:13
      |
    5 | equation = ' '
      |             ^ no text here
      |
      = hint: write for example `equation = "u_t = u_xx"`

    1 error in small.toml
    "#);
}

#[test]
fn no_equation_in_the_list() {
    insta::assert_snapshot!(changed("'u_xx = 0'", "[]"), @r#"
    error: `equation` of [term.pde] is an empty list
     --> small.toml:5:12
      |
    5 | equation = []
      |            ^^ nothing in it
      |
      = hint: write for example `equation = "u_t = u_xx"`

    1 error in small.toml
    "#);
}

#[test]
fn a_weight_of_zero() {
    insta::assert_snapshot!(added("weight = 0"), @r#"
    error: `weight` of [term.pde] must be greater than 0
     --> small.toml:7:10
      |
    7 | weight = 0
      |          ^ not greater than 0
      |
      = hint: write for example `1.0`

    1 error in small.toml
    "#);
}

#[test]
fn a_role_with_a_slip() {
    insta::assert_snapshot!(added("role = 'constrain'"), @r#"
    error: `role` of [term.pde] cannot be `constrain`
     --> small.toml:7:9
      |
    7 | role = 'constrain'
      |         ^^^^^^^^^ unknown name
      |
      = hint: did you mean `constraint`? choose one of objective, constraint

    1 error in small.toml
    "#);
}

#[test]
fn a_sampler_that_does_not_exist() {
    insta::assert_snapshot!(added("sampler = 'random'"), @r#"
    error: `sampler` of [term.pde] cannot be `random`
     --> small.toml:7:12
      |
    7 | sampler = 'random'
      |            ^^^^^^ unknown name
      |
      = hint: choose one of uniform, grid, latin, sobol, halton

    1 error in small.toml
    "#);
}

#[test]
fn a_tolerance_without_measure() {
    insta::assert_snapshot!(added("tolerance = '1e-3'"), @r#"
    error: `tolerance` of [term.pde] must be a measure, `<` and a number above 0
     --> small.toml:7:14
      |
    7 | tolerance = '1e-3'
      |              ^^^^ not understood
      |
      = hint: write for example `tolerance = "max < 1e-3"`; max, rms and mse can be measured

    1 error in small.toml
    "#);
}

#[test]
fn a_network_of_no_width() {
    insta::assert_snapshot!(added("[network]\nhidden = '8x0'"), @r#"
    error: `hidden` of [network] is 8 layers of width 0
     --> small.toml:8:11
      |
    8 | hidden = '8x0'
      |           ^^^ out of range
      |
      = hint: possible are 1 to 256 layers with widths from 1 to 4096

    1 error in small.toml
    "#);
}

#[test]
fn a_network_as_a_number() {
    insta::assert_snapshot!(added("[network]\nhidden = 20"), @r#"
    error: `hidden` of [network] must be text or a list of widths
     --> small.toml:8:10
      |
    8 | hidden = 20
      |          ^^ this is a number
      |
      = hint: write `"4x32"` for four layers of 32, or the widths one by one: `[64, 32, 32]`

    1 error in small.toml
    "#);
}

#[test]
fn a_network_as_a_word() {
    insta::assert_snapshot!(added("[network]\nhidden = 'large'"), @r#"
    error: `hidden` of [network] must be written like `4x32`, layers x width
     --> small.toml:8:11
      |
    8 | hidden = 'large'
      |           ^^^^^ not understood
      |
      = hint: write `"4x32"` for four layers of 32, or the widths one by one: `[64, 32, 32]`

    1 error in small.toml
    "#);
}

#[test]
fn a_width_out_of_range() {
    insta::assert_snapshot!(added("[network]\nhidden = [20, 5000]"), @r#"
    error: a width in `hidden` of [network] must be at most 4096
     --> small.toml:8:15
      |
    8 | hidden = [20, 5000]
      |               ^^^^ too large
      |
      = hint: write for example `100`

    1 error in small.toml
    "#);
}

#[test]
fn an_activation_with_a_slip() {
    insta::assert_snapshot!(added("[network]\nactivation = 'tahn'\nscale_inputs = 'yes'"), @r#"
    error: `activation` of [network] cannot be `tahn`
     --> small.toml:8:15
      |
    8 | activation = 'tahn'
      |               ^^^^ unknown name
      |
      = hint: did you mean `tanh`? choose one of tanh, sin, swish, gelu, softplus

    error: `scale_inputs` of [network] must be true or false
     --> small.toml:9:17
      |
    9 | scale_inputs = 'yes'
      |                 ^^^ this is text
      |
      = hint: write `true` or `false`, without quotes

    2 errors in small.toml
    "#);
}

#[test]
fn ends_of_training_are_checked() {
    let text = "[train]\ntolerance = 0\npatience = 0\nstop_when_feasible = true";
    insta::assert_snapshot!(added(text), @r#"
    error: `tolerance` of [train] must be greater than 0
     --> small.toml:8:13
      |
    8 | tolerance = 0
      |             ^ not greater than 0
      |
      = hint: write for example `1.0`

    error: `patience` of [train] must be at least 1
     --> small.toml:9:12
      |
    9 | patience = 0
      |            ^ too small
      |
      = hint: write for example `100`

    error: `stop_when_feasible` of [train] needs a term with a tolerance
      --> small.toml:10:22
       |
    10 | stop_when_feasible = true
       |                      ^^^^ feasible when?
       |
       = hint: write `tolerance = "max < 1e-3"` in a term

    3 errors in small.toml
    "#);
}

#[test]
fn a_negative_seed() {
    insta::assert_snapshot!(added("[train]\nseed = -1\nmax_seconds = 0\nobserve = 0\nresample = -1"), @r#"
    error: `seed` of [train] must be at least 0
     --> small.toml:8:8
      |
    8 | seed = -1
      |        ^^ too small
      |
      = hint: write for example `100`

    error: `max_seconds` of [train] must be greater than 0
     --> small.toml:9:15
      |
    9 | max_seconds = 0
      |               ^ not greater than 0
      |
      = hint: write for example `1.0`

    error: `observe` of [train] must be at least 1
      --> small.toml:10:11
       |
    10 | observe = 0
       |           ^ too small
       |
       = hint: write for example `100`

    error: `resample` of [train] must be at least 0
      --> small.toml:11:12
       |
    11 | resample = -1
       |            ^^ too small
       |
       = hint: write for example `100`

    4 errors in small.toml
    "#);
}

#[test]
fn a_stage_without_method_and_steps() {
    insta::assert_snapshot!(added("[train]\nstages = [{ lr = 1e-3 }, 5]"), @r#"
    error: this stage has no `method`
     --> small.toml:8:11
      |
    8 | stages = [{ lr = 1e-3 }, 5]
      |           ^^^^^^^^^^^^^
      |
      = hint: write for example `{ method = "adam", steps = 1000, lr = 1e-3 }`

    error: this stage has no `steps`
     --> small.toml:8:11
      |
    8 | stages = [{ lr = 1e-3 }, 5]
      |           ^^^^^^^^^^^^^
      |
      = hint: write for example `{ method = "adam", steps = 1000, lr = 1e-3 }`

    error: a stage must be a table
     --> small.toml:8:26
      |
    8 | stages = [{ lr = 1e-3 }, 5]
      |                          ^ this is a number
      |
      = hint: write for example `{ method = "adam", steps = 1000, lr = 1e-3 }`

    3 errors in small.toml
    "#);
}

#[test]
fn a_setting_that_is_a_table() {
    insta::assert_snapshot!(added("[train]\nstages = [{ method = 'adam', steps = 5, lr = {}, betas = [0.9, nan] }]"), @r#"
    error: `lr` of a stage must be a number, text, true or false, or a list of numbers
     --> small.toml:8:46
      |
    8 | stages = [{ method = 'adam', steps = 5, lr = {}, betas = [0.9, nan] }]
      |                                              ^^ this is a table
      |
      = hint: write for example `lr = 1e-3`

    error: `betas` of a stage must be a finite number
     --> small.toml:8:64
      |
    8 | stages = [{ method = 'adam', steps = 5, lr = {}, betas = [0.9, nan] }]
      |                                                                ^^^ not finite
      |
      = hint: write an ordinary number, like `0.5` or `1e-3`

    2 errors in small.toml
    "#);
}

#[test]
fn no_stages_in_the_list() {
    insta::assert_snapshot!(added("[train]\nstages = []"), @r#"
    error: `stages` of [train] is an empty list
     --> small.toml:8:10
      |
    8 | stages = []
      |          ^^ nothing in it
      |
      = hint: write for example `stages = [{ method = "adam", steps = 1000, lr = 1e-3 }]`

    1 error in small.toml
    "#);
}
