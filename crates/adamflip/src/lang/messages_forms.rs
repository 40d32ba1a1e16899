//! The errors in conditions, vectors, points, integrals, definitions, places and shapes, each with its
//! place and hint.

use super::messages::lines;
use super::oracle::{rich, scope, spanned};
use super::*;

/// Which entry point reads the text.
#[derive(Clone, Copy, Debug)]
enum Read {
    /// An equation on a boundary, with definitions.
    Equation,
    /// The same without normals and ranges.
    Inside,
    /// An equation in time alone.
    Time,
    Value,
    Place,
    Shapes,
    /// The definition of `second(s)`, after `first` and before `third(s)`.
    Definition,
}

use Read::{Definition, Equation, Inside, Place, Shapes, Time, Value};

fn inside() -> Scope<'static> {
    Scope { attributes: &[], ranges: &[], ..rich() }
}

fn time() -> Scope<'static> {
    let scope = scope();
    Scope { coordinates: &scope.coordinates[1..2], time: Some(0), ..scope }
}

fn defined(text: &str) -> Vec<Diagnostic> {
    let parameters = || Some(vec!["s".to_owned()]);
    let mut list = vec![
        super::Definition::new("first".to_owned(), parameters(), spanned("s")),
        super::Definition::new("second".to_owned(), parameters(), spanned(text)),
        super::Definition::new("third".to_owned(), parameters(), spanned("s")),
    ];
    definitions(&mut list, &rich())
}

fn shown(how: Read, text: &str) -> Vec<String> {
    let (source, mut graph) = (spanned(text), Graph::new());
    let names = ["plate", "hole"].map(str::to_owned);
    let mistakes = match how {
        Equation => equation(&source, &rich(), &mut graph).err(),
        Inside => equation(&source, &inside(), &mut graph).err(),
        Time => equation(&source, &time(), &mut graph).err(),
        Value => expression(&source, &rich(), &mut graph).err(),
        Place => super::place(&source, &rich(), &mut graph).err(),
        Shapes => super::shapes(&source, &names).err(),
        Definition => Some(defined(text)),
    };
    lines(text, mistakes.unwrap_or_default())
}

fn assert_shown(table: &[(Read, &str, &[&str])]) {
    for (how, text, expected) in table {
        assert_eq!(shown(*how, text), *expected, "{how:?} {text}");
    }
}

#[test]
fn errors_in_equations() {
    #[rustfmt::skip]
    assert_shown(&[
        (Equation, "u = where(x < 0.5, 1)",
            &["[where(x < 0.5, 1)] `where` takes at least 3 arguments | 2 given | write `where(condition, a, otherwise)`"]),
        (Equation, "u = where(x < 0.5, 1, 2, 3)",
            &["[where(x < 0.5, 1, 2, 3)] `where` ends with a value for all other points | 4 arguments given | write `where(condition, a, otherwise)`"]),
        (Equation, "u = where(x, 1, 2)",
            &["[x] a condition is expected | a number | compare it with something, like `x < 0.5`"]),
        (Equation, "u = where(grad(u), 1, 2)",
            &["[grad(u)] a condition is expected | a vector | compare it with something, like `x < 0.5`"]),
        (Equation, "u = where(x = 0, 1, 2)",
            &["[=] unexpected `=` | cannot stand in parentheses | compare with `<`, `<=`, `>` or `>=`, or close the parenthesis before"]),
        (Equation, "u = where(x == 0, 1, 2)",
            &["[==] an equation is written with one `=` | two `=` | write `=`"]),
        (Equation, "u = where(x ≤ 0, 1, 2)",
            &["[≤] unexpected character `≤` | has no meaning here | write `<=`"]),
        (Equation, "u = where(x < 0 && t < 1, 1, 2)",
            &["[&] unexpected character `&` | has no meaning here | join conditions by `and`"]),
        (Equation, "u = where(x < 0 & t < 1, 1, 2)",
            &["[0 & t] `&` joins shapes only | not shapes | join conditions by `and`"]),
        (Equation, "u = where(x < 0 and t, 1, 2)",
            &["[t] a condition is expected | a number | compare it with something, like `x < 0.5`"]),
        (Equation, "u = 1 + (x < 0)",
            &["[(x < 0)] a number is expected, not a condition | true or false | write `where(condition, a, b)` to choose between two numbers"]),
        (Equation, "u = sin(left)",
            &["[left] a number is expected, not a condition | true or false | write `where(condition, a, b)` to choose between two numbers"]),
        (Equation, "u = where((0 < x) < 1, 1, 2)",
            &["[(0 < x)] a number is expected, not a condition | true or false | write `where(condition, a, b)` to choose between two numbers"]),
        (Equation, "u = x < 1",
            &["[<] `<` is no condition that a solution can end on | a strict inequality | write `<=`; with a margin, `u >= 0.01`, where the bound itself is not allowed"]),
        (Equation, "u = grad(u)",
            &["[grad(u)] a number is expected, not a vector | a vector | vectors belong inside `div(…)` or `dot(…)`"]),
        (Equation, "u = 1 + grad(u)",
            &["[grad(u)] a number is expected, not a vector | a vector | vectors belong inside `div(…)` or `dot(…)`"]),
        (Equation, "u = grad(u)*grad(v)",
            &["[grad(u)*grad(v)] two vectors are multiplied | which product? | write `dot(a, b)`"]),
        (Equation, "u = 1/grad(u)",
            &["[grad(u)] a number is expected, not a vector | a vector | vectors belong inside `div(…)` or `dot(…)`"]),
        (Equation, "u = dot(grad(u), v)",
            &["[v] a vector is expected | a number | vectors are made by `grad(…)`"]),
        (Equation, "u = dot(grad(u), x < 1)",
            &["[x < 1] a vector is expected | true or false | vectors are made by `grad(…)`"]),
        (Equation, "u = grad(grad(u))",
            &["[grad(u)] a number is expected, not a vector | a vector | vectors belong inside `div(…)` or `dot(…)`"]),
        (Equation, "u = div(u)",
            &["[div(u)] a vector has 2 components here | a number given | write one for each of `x`, `y`, or `div(k*grad(u))`"]),
        (Equation, "u = div(u, v, k)",
            &["[div(u, v, k)] a vector has 2 components here | 3 given | write one for each of `x`, `y`, or `div(k*grad(u))`"]),
        (Equation, "u = div()",
            &["[div()] `div` takes at least one argument | 0 given | write `div(vector)`"]),
        (Equation, "u = laplacian(u, v)",
            &["[laplacian(u, v)] `laplacian` takes one argument | 2 given | write `laplacian(expression)`"]),
        (Equation, "u = laplacian(u_xxx)",
            &["[laplacian(u_xxx)] this derivative cannot be taken | it contains a derivative beyond order 4 | differentiate less often, or write the derivative out"]),
        (Equation, "u = laplacian(flux)",
            &["[laplacian(flux)] this derivative cannot be taken | it contains a value that is known at the points alone | differentiate less often, or write the derivative out"]),
        (Equation, "u = u(0, t)",
            &["[u(0, t)] a point of `u` has 3 coordinates | 2 given | write `u(x, t, y)`, or `u*(…)` for a product"]),
        (Equation, "u = u(0, v, y)",
            &["[v] a point takes coordinates and constants only | depends on a field | write the point with coordinates and numbers"]),
        (Equation, "u = u(flux, t, y)",
            &["[flux] a point takes coordinates and constants only | depends on a value known at the points | write the point with coordinates and numbers"]),
        (Equation, "u = u(kappa, t, y)",
            &["[kappa] a point takes coordinates and constants only | depends on an unknown | write the point with coordinates and numbers"]),
        (Equation, "u = u(integral(x, x), t, y)",
            &["[integral(x, x)] a point takes coordinates and constants only | contains `integral` | write the point with coordinates and numbers"]),
        (Equation, "u = u_z(0, t, y)",
            &["[z] `u_z` is not a derivative by coordinates | `z` is not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = k(0, t)",
            &["[k(0, t)] a point of `k` has 1 coordinate | 2 given | write `k(x)`, or `k*(…)` for a product"]),
        (Equation, "u = k_t", &["[k_t] `k` does not depend on `t` | `k_t` is 0 | `k` depends on `x`"]),
        (Equation, "u = k_xt(0)", &["[k_xt] `k` does not depend on `t` | `k_xt` is 0 | `k` depends on `x`"]),
        (Equation, "u = u_nn",
            &["[nn] `u_nn` is not a derivative by coordinates | `nn` is not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = n_z", &["[n_z] `n_z` is not defined | not defined | did you mean `n_x`?"]),
        (Equation, "u = kappa(x)",
            &["[kappa] `kappa` is not a function | an unknown | write `kappa*(…)` for a product"]),
        (Equation, "u = x(0)", &["[x] `x` is not a function | a coordinate | write `x*(…)` for a product"]),
        (Equation, "u = u_n(0, t, y)",
            &["[u_n] `u_n` is not a function | a derivative along the normal | write `u_n*(…)` for a product"]),
        (Equation, "u = d(u_n, x)",
            &["[d(u_n, x)] this derivative cannot be taken | it contains a value that is known at the points alone | differentiate less often, or write the derivative out"]),
        (Equation, "u = caputo(u, 0.5)",
            &["[caputo(u, 0.5)] `caputo` takes 3 arguments | 2 given | write `caputo(expression, coordinate, order)`"]),
        (Equation, "u = caputo(u, alpha, 0.5)",
            &["[alpha] Caputo derivatives are taken by coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = caputo(u, t, u)",
            &["[u] the order of `caputo` depends on a field | not known beforehand | write it with constants, coordinates and unknown numbers"]),
        (Equation, "u = caputo(u, t, -0.5)",
            &["[-0.5] the order of `caputo` is not positive | must be larger than 0 | write for example `caputo(u, t, 0.5)`"]),
        (Equation, "u = caputo(caputo(u, t, 0.5), t, 0.5)",
            &["[caputo(u, t, 0.5)] `caputo` cannot stand inside `caputo` | contains `caputo` | introduce a field for the inner one and give it an equation"]),
        (Equation, "u = caputo(integral(u, x), t, 0.5)",
            &["[integral(u, x)] `integral` cannot stand inside `caputo` | contains `integral` | introduce a field for the inner one and give it an equation"]),
        (Equation, "u = integral(caputo(u, t, 0.5), x)",
            &["[caputo(u, t, 0.5)] `caputo` cannot stand inside `integral` | contains `caputo` | introduce a field for the inner one and give it an equation"]),
        (Equation, "u = d(caputo(u, t, 0.5), t)",
            &["[d(caputo(u, t, 0.5), t)] this derivative cannot be taken | `caputo` cannot be differentiated | differentiate less often, or write the derivative out"]),
        (Equation, "u = d(integral(u, x, 0, t), t)",
            &["[d(integral(u, x, 0, t), t)] this derivative cannot be taken | `integral` cannot be differentiated | differentiate less often, or write the derivative out"]),
        (Equation, "u = integral(u)",
            &["[integral(u)] `integral` takes at least 2 arguments | 1 given | write `integral(expression, coordinate, lower, upper)`"]),
        (Equation, "u = integral(u, 0, 1)",
            &["[0] integrals are taken over coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = integral(u, z)",
            &["[z] integrals are taken over coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = integral(u, x, 0, u)",
            &["[u] a limit of `integral` takes coordinates and constants only | depends on a field | write the limits with coordinates and numbers"]),
        (Equation, "u = integral(u, x, 0, flux)",
            &["[flux] a limit of `integral` takes coordinates and constants only | depends on a value known at the points | write the limits with coordinates and numbers"]),
        (Equation, "u = integral(u, x, 0, 1, 2)",
            &["[0] integrals are taken over coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = g", &["[g] `g` is a function | without its arguments | write `g(s)`"]),
        (Equation, "u = g(1, 2)", &["[g(1, 2)] `g` takes one argument | 2 given | write `g(s)`"]),
        (Equation, "u = inverse(1)",
            &["[inverse(1)] `inverse` takes 2 arguments | 1 given | write `inverse(a, b)`"]),
        (Equation, "u = current(0, t)",
            &["[current(0, t)] `current` takes no arguments | 2 given | write `current` alone, or `current*(…)` for a product"]),
        (Equation, "u = inverse(x, x)",
            &["[inverse(x, x)] in `inverse`: division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Equation, "u = inverse(x < 1, 2)",
            &["[inverse(x < 1, 2)] in `inverse`: a number is expected, not a condition | true or false | write `where(condition, a, b)` to choose between two numbers"]),
        (Equation, "u = curent",
            &["[curent] `curent` is not defined | not defined | did you mean `current`?"]),
        (Equation, "u = current_x",
            &["[current_x] `current` is a definition, not a field | only fields have subscripts | write `d(current, x)`"]),
        (Equation, "u = d(outflow, x)",
            &["[d(outflow, x)] this derivative cannot be taken | it contains a value that is known at the points alone | differentiate less often, or write the derivative out"]),
        (Equation, "u = x & t", &["[x & t] `&` joins shapes only | not shapes | join conditions by `and`"]),
        (Value, "x < 1",
            &["[<] unexpected `<` | a comparison | comparisons are equations of a term, or stand inside `where(condition, a, b)` and in `on`"]),
        (Inside, "u_n = 0",
            &["[u_n] `u_n` needs a boundary | no normal here | say where: `on = \"boundary\"`, a shape's name, or an end of an axis like `x = 0`"]),
        (Inside, "d(u, n) = 0",
            &["[n] the normal `n` needs a boundary | no normal here | say where: `on = \"boundary\"`, a shape's name, or an end of an axis like `x = 0`"]),
        (Inside, "u = outflow",
            &["[outflow] in `outflow`: `u_n` needs a boundary | no normal here | say where: `on = \"boundary\"`, a shape's name, or an end of an axis like `x = 0`"]),
        (Inside, "u = integral(u, x)",
            &["[x] the range is not known here | from where to where? | give both limits: `integral(u, x, 0, 1)`"]),
        (Inside, "u = n", &["[n] `n` is not defined | not defined | did you mean `nu`?"]),
        (Time, "laplacian(u) = 0",
            &["[laplacian(u)] there are no spatial coordinates | nothing to differentiate by | use derivatives by the coordinates that there are"]),
        (Time, "grad(u) = 0",
            &["[grad(u)] there are no spatial coordinates | nothing to differentiate by | use derivatives by the coordinates that there are"]),
        (Inside, "u = current + left",
            &["[left] a number is expected, not a condition | true or false | write `where(condition, a, b)` to choose between two numbers"]),
        (Inside, "u = slope(g)", &["[g] `g` is a function | without its arguments | write `g(s)`"]),
    ]);
}

#[test]
fn errors_in_places_shapes_and_definitions() {
    #[rustfmt::skip]
    assert_shown(&[
        (Place, "x",
            &["[x] a place needs `=` or a comparison | a value alone | write like `t = 0`, `x < 0.5`, or the name of a shape"]),
        (Place, "x + 1",
            &["[x + 1] a place needs `=` or a comparison | a value alone | write like `t = 0`, `x < 0.5`, or the name of a shape"]),
        (Place, "x < 0.5 or t < 1",
            &["[or] unexpected `or` | joins conditions in parentheses | write several places as a list"]),
        (Place, "0.7 < x < 0.3",
            &["[x < 0.3] no point lies here | `x` would be above 0.7 and below 0.3 | write `x = 0.3` for a value, or another bound"]),
        (Place, "x < y and u < 1",
            &["[u < 1] a place is made of coordinates and constants | depends on a field | compare coordinates with numbers, like `x^2 + y^2 < 1`"]),
        (Place, "kappa < x",
            &["[kappa < x] a place is made of coordinates and constants | depends on an unknown | compare coordinates with numbers, like `x^2 + y^2 < 1`"]),
        (Place, "integral(u, x) < 1",
            &["[integral(u, x) < 1] a place is made of coordinates and constants | depends on a field | compare coordinates with numbers, like `x^2 + y^2 < 1`"]),
        (Place, "1 < 2",
            &["[1 < 2] a place is made of coordinates and constants | the same at every point | compare coordinates with numbers, like `x^2 + y^2 < 1`"]),
        (Place, "x = 0 and (t < 1", &["[(] `(` is never closed | opened here | add `)`"]),
        (Place, "current",
            &["[current] a place needs `=` or a comparison | a value alone | write like `t = 0`, `x < 0.5`, or the name of a shape"]),
        (Place, "g", &["[g] `g` is a function | without its arguments | write `g(s)`"]),
        (Place, "x = u_x",
            &["[u_x] `u_x` is a field | only constants may stand here | the constants are `nu`"]),
        (Place, "boundary = 3",
            &["[boundary] a place fixes a coordinate | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Place, "x = (t < 1)",
            &["[t] `t` is a coordinate | only constants may stand here | the constants are `nu`"]),
        (Shapes, "", &["[] the shape is empty | nothing here | write one like `plate - hole`"]),
        (Shapes, "plte - hole", &["[plte] `plte` is not a shape | unknown shape | did you mean `plate`?"]),
        (Shapes, "plate - bore",
            &["[bore] `bore` is not a shape | unknown shape | the shapes are `plate`, `hole`"]),
        (Shapes, "plate*hole",
            &["[plate*hole] this is not made of shapes | not a shape | join names of shapes by `+` (union), `-` (difference) and `&` (intersection)"]),
        (Shapes, "2 - hole",
            &["[2] this is not made of shapes | not a shape | join names of shapes by `+` (union), `-` (difference) and `&` (intersection)"]),
        (Shapes, "plate hole",
            &["[plate hole] an operator is missing | nothing stands between these two | join shapes by `+`, `-` or `&`"]),
        (Shapes, "plate - ",
            &["[-] the text ends too early | a number, a name or `(` is expected after this | complete what follows `-`"]),
        (Shapes, "plate(hole)",
            &["[plate(hole)] this is not made of shapes | not a shape | join names of shapes by `+` (union), `-` (difference) and `&` (intersection)"]),
        (Shapes, "-plate",
            &["[-plate] this is not made of shapes | not a shape | join names of shapes by `+` (union), `-` (difference) and `&` (intersection)"]),
        (Shapes, "plate and hole",
            &["[and] unexpected `and` | joins places and conditions | write `&` for what lies in both shapes"]),
        (Shapes, "(plate", &["[(] `(` is never closed | opened here | add `)`"]),
        (Definition, "q + 1",
            &["[q] `q` is not defined | not defined | known names: `x`, `t`, `y`, `u`, `v`, `k`, `kappa`, `nu`, `first`, `second`, `third`, `n_x`, `n_y`, `flux`, `pi`, `e`"]),
        (Definition, "first", &["[first] `first` is a function | without its arguments | write `first(s)`"]),
        (Definition, "second(x)",
            &["[second(x)] `second` is defined by itself | the definition in which it stands | write it without itself"]),
        (Definition, "sin(s, t)", &["[sin(s, t)] `sin` takes one argument | 2 given | write `sin(a)`"]),
        (Definition, "x +",
            &["[+] the text ends too early | a number, a name or `(` is expected after this | complete what follows `+`"]),
        (Definition, "d(s, q)",
            &["[q] derivatives are taken by coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Definition, "s_x",
            &["[s_x] `s` is a parameter, not a field | only fields have subscripts | write `d(s, x)`"]),
        (Definition, "x = 1",
            &["[=] unexpected `=` | only an equation has `=` | give the right side alone"]),
        (Definition, "third(s)",
            &["[third(s)] `third` is used before it is defined | defined below | move the definition of `third` above this one"]),
    ]);
}
