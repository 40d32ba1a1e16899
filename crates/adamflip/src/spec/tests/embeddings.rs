//! Errors in embeddings and factorized weights of `[network]`.

use super::*;

#[test]
fn fourier_without_features() {
    insta::assert_snapshot!(added("[network]\nfourier = { scale = 0 }"), @r#"
    error: [network.fourier] has no `features`
     --> small.toml:8:11
      |
    8 | fourier = { scale = 0 }
      |           ^^^^^^^^^^^^^
      |
      = hint: write for example `fourier = { features = 64, scale = 1.0 }`

    error: `scale` of [network.fourier] must be greater than 0
     --> small.toml:8:21
      |
    8 | fourier = { scale = 0 }
      |                     ^ not greater than 0
      |
      = hint: write for example `1.0`

    2 errors in small.toml
    "#);
}

#[test]
fn fourier_as_a_number() {
    insta::assert_snapshot!(added("[network]\nfourier = 64"), @r#"
    error: `fourier` of [network] must be a table
     --> small.toml:8:11
      |
    8 | fourier = 64
      |           ^^ this is a number
      |
      = hint: write for example `fourier = { features = 64, scale = 1.0 }`

    1 error in small.toml
    "#);
}

#[test]
fn fourier_with_a_slip() {
    insta::assert_snapshot!(added("[network]\nfourier = { feature = 64 }"), @r#"
    error: unknown key `feature` in [network.fourier]
     --> small.toml:8:13
      |
    8 | fourier = { feature = 64 }
      |             ^^^^^^^ unknown key
      |
      = hint: did you mean `features`? the keys of [network.fourier] are features, scale

    1 error in small.toml
    "#);
}

#[test]
fn periodic_in_something_else() {
    insta::assert_snapshot!(added("[network]\nperiodic = ['X', 'phi']"), @r#"
    error: `periodic` of [network] cannot be `X`
     --> small.toml:8:14
      |
    8 | periodic = ['X', 'phi']
      |              ^ not a coordinate
      |
      = hint: did you mean `x`? the coordinates are x

    error: `periodic` of [network] cannot be `phi`
     --> small.toml:8:19
      |
    8 | periodic = ['X', 'phi']
      |                   ^^^ not a coordinate
      |
      = hint: the coordinates are x

    2 errors in small.toml
    "#);
}

#[test]
fn a_period_of_zero() {
    insta::assert_snapshot!(added("[network]\nperiodic = { x = 0, y = 1 }"), @r#"
    error: the period of `x` must be greater than 0
     --> small.toml:8:18
      |
    8 | periodic = { x = 0, y = 1 }
      |                  ^ not greater than 0
      |
      = hint: write for example `1.0`

    error: unknown key `y` in [network.periodic]
     --> small.toml:8:21
      |
    8 | periodic = { x = 0, y = 1 }
      |                     ^ unknown key
      |
      = hint: the keys of [network.periodic] are x

    2 errors in small.toml
    "#);
}

#[test]
fn factorized_by_a_number() {
    insta::assert_snapshot!(added("[network]\nfactorized = 2\nseparate = 1"), @r#"
    error: `factorized` of [network] must be true, false or a table
     --> small.toml:8:14
      |
    8 | factorized = 2
      |              ^ this is a number
      |
      = hint: write for example `factorized = true` or `factorized = { mean = 1.0, deviation = 0.1 }`

    error: `separate` of [network] must be true or false
     --> small.toml:9:12
      |
    9 | separate = 1
      |            ^ this is a number
      |
      = hint: write `true` or `false`, without quotes

    2 errors in small.toml
    "#);
}

#[test]
fn a_factorization_with_slips() {
    insta::assert_snapshot!(added("[network]\nfactorized = { men = 1, deviation = -1 }"), @r#"
    error: unknown key `men` in [network.factorized]
     --> small.toml:8:16
      |
    8 | factorized = { men = 1, deviation = -1 }
      |                ^^^ unknown key
      |
      = hint: did you mean `mean`? the keys of [network.factorized] are mean, deviation

    error: `deviation` of [network.factorized] must be at least 0
     --> small.toml:8:37
      |
    8 | factorized = { men = 1, deviation = -1 }
      |                                     ^^ too small
      |
      = hint: write `0` or more

    2 errors in small.toml
    "#);
}
