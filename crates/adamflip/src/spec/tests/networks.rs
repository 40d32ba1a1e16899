//! Errors in layers and ansatz of `[network]`.

use super::*;

#[test]
fn activations_for_other_layers() {
    insta::assert_snapshot!(added("[network]\nhidden = '3x20'\nactivation = ['sin', 'tanh']"), @r#"
    error: `activation` of [network] must be one name, or one for each of the 3 hidden layers
     --> small.toml:9:14
      |
    9 | activation = ['sin', 'tanh']
      |              ^^^^^^^^^^^^^^^ 2 names
      |
      = hint: write one name for all, `activation = "tanh"`, or add or remove names

    1 error in small.toml
    "#);
}

#[test]
fn one_activation_with_a_slip() {
    insta::assert_snapshot!(added("[network]\nhidden = [20, 30]\nactivation = ['sin', 'than']"), @r#"
    error: `activation` of [network] cannot be `than`
     --> small.toml:9:23
      |
    9 | activation = ['sin', 'than']
      |                       ^^^^ unknown name
      |
      = hint: choose one of tanh, sin, swish, gelu, softplus

    1 error in small.toml
    "#);
}

#[test]
fn a_gated_network_of_unequal_widths() {
    insta::assert_snapshot!(added("[network]\nhidden = [20, 30]\narchitecture = 'gated'"), @r#"
    error: the hidden layers of a gated network must have equal widths
     --> small.toml:8:10
      |
    8 | hidden = [20, 30]
      |          ^^^^^^^^ unequal widths
      |
      = hint: write `hidden = "2x30"`, or `architecture = "mlp"`

    1 error in small.toml
    "#);
}

#[test]
fn a_residual_network_of_unequal_widths() {
    insta::assert_snapshot!(added("[network]\nhidden = [40, 30, 30]\narchitecture = 'residual'"), @r#"
    error: the hidden layers of a residual network must have equal widths
     --> small.toml:8:10
      |
    8 | hidden = [40, 30, 30]
      |          ^^^^^^^^^^^^ unequal widths
      |
      = hint: write `hidden = "3x40"`, or `architecture = "mlp"`

    1 error in small.toml
    "#);
}

#[test]
fn an_architecture_with_a_slip() {
    insta::assert_snapshot!(added("[network]\narchitecture = 'resdual'"), @r#"
    error: `architecture` of [network] cannot be `resdual`
     --> small.toml:8:17
      |
    8 | architecture = 'resdual'
      |                 ^^^^^^^ unknown name
      |
      = hint: did you mean `residual`? choose one of mlp, gated, residual

    1 error in small.toml
    "#);
}

#[test]
fn an_ansatz_for_another_field() {
    insta::assert_snapshot!(added("[network]\nansatz = { w = 'x*N' }"), @r#"
    error: unknown key `w` in [network.ansatz]
     --> small.toml:8:12
      |
    8 | ansatz = { w = 'x*N' }
      |            ^ unknown key
      |
      = hint: the keys of [network.ansatz] are u

    1 error in small.toml
    "#);
}

#[test]
fn an_ansatz_for_which_field() {
    insta::assert_snapshot!(complaints(&format!("{}[network]\nansatz = 'x*N'\n", SMALL.replace("['u']", "['u', 'v']"))), @r#"
    error: `ansatz` of [network] must say which field it is for
     --> small.toml:8:11
      |
    8 | ansatz = 'x*N'
      |           ^^^ there are several fields
      |
      = hint: write `ansatz = { u = "…" }`; fields without one are plain outputs

    1 error in small.toml
    "#);
}

#[test]
fn an_ansatz_that_is_a_number() {
    insta::assert_snapshot!(added("[network]\nansatz = 1"), @r#"
    error: `ansatz` of [network] must be text or a table
     --> small.toml:8:10
      |
    8 | ansatz = 1
      |          ^ this is a number
      |
      = hint: write for example `ansatz = "x*(1 - x)*N"`

    1 error in small.toml
    "#);
}

#[test]
fn a_name_that_the_ansatz_needs() {
    insta::assert_snapshot!(added("[constants]\nN = 1\n[network]\nansatz = 'x*N'"), @r#"
    error: `N` stands for the network's output in `ansatz`
     --> small.toml:8:1
      |
    8 | N = 1
      | ^ reserved
      |
      = hint: choose another name, or remove `ansatz` from [network]

    1 error in small.toml
    "#);
}
