//! The page in a real browser: curves and pictures are there, in any window, and it knows the end of a run.

use super::chromium::Chromium;
use super::*;

/// How many curves have several points, and how many charts have marks on both axes.
const CURVES: &str =
    "[...document.querySelectorAll('path.series')].filter(path => path.getTotalLength() > 20).length";
const CHARTS: &str = "[...document.querySelectorAll('.chart > svg')].filter(svg => \
     svg.querySelectorAll('text.mark').length >= 4).length";
const PICTURE: &str = "(() => { const image = document.getElementById('solution'); \
     return !image.hidden && image.complete && image.naturalWidth > 300; })()";
const CONDITION: &str = "document.getElementById('condition').textContent";
/// Nothing is wider than the window, but for what has bars of its own.
const FITS: &str = "document.documentElement.scrollWidth <= window.innerWidth";

#[cfg(unix)]
#[test]
fn a_browser_draws_the_run_while_it_trains_and_sees_its_end() {
    if !has_tool("chromium") {
        return;
    }
    let desk = Desk::new();
    let mut shown = Shown::start(&desk, &LONG);
    let mut chromium = Chromium::start();
    chromium.open(&format!("http://127.0.0.1:{}/", shown.port));
    // Loss and largest residual of two terms, the error of a field, an unknown.
    chromium.wait(&format!("{CURVES} === 6 && {CHARTS} === 4 && {PICTURE}"));
    assert_eq!(chromium.evaluate(CONDITION), "running");
    assert_eq!(chromium.evaluate("document.querySelectorAll('line.truth').length"), 2, "line and legend");
    let text = chromium.evaluate("document.body.innerText");
    for part in
        ["A bar under its own weight", "pde", "ends", "constraint", "stiffness", "steps/s", "runs/bar-0"]
    {
        assert!(text.as_str().unwrap().contains(part), "{part}: {text}");
    }
    let step = "parseInt(document.getElementById('step').textContent)";
    let seen = chromium.evaluate(step);
    chromium.wait(&format!("{step} > {seen}"));
    look(&mut chromium);
    assert_eq!(chromium.complaints, Vec::<String>::new());
    shown.interrupt();
    chromium.wait(&format!("{CONDITION} === 'ended: interrupted'"));
    assert_eq!(shown.child.wait().unwrap().code(), Some(130));
    let said = chromium.evaluate("document.getElementById('message').innerText");
    assert!(said.as_str().unwrap().contains("adamflip resume runs/bar-0"), "{said}");
    // It has seen the end, so it does not look for the program that is gone.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(chromium.evaluate(CONDITION), "ended: interrupted");
    // On a busy machine it may have asked for the last picture too late.
    assert_eq!(but_of_the_network(&chromium), Vec::<&String>::new());
}

/// Light and dark, wide and narrow: other colours, all curves, and no blank screen.
fn look(chromium: &mut Chromium) {
    let mut backgrounds = Vec::new();
    for (width, height, scheme) in [(1300, 900, "light"), (1300, 900, "dark"), (360, 740, "light")] {
        chromium.dress(width, height, scheme);
        chromium.wait(&format!("{CURVES} === 6 && {CHARTS} === 4 && {FITS}"));
        backgrounds.push(chromium.evaluate("getComputedStyle(document.body).backgroundColor"));
        let shot = chromium.screenshot();
        // An empty page of this size has some thousand characters.
        assert!(shot.len() > 40_000, "{width}, {scheme}: {}", shot.len());
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
}

#[test]
fn a_browser_draws_the_trust_region() {
    if !has_tool("chromium") {
        return;
    }
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--method", "newtonflip", "--steps", "20"])), 0);
    let shown = Shown::start(&desk, &["watch", "runs/bar-0"]);
    let mut chromium = Chromium::start();
    chromium.open(&format!("http://127.0.0.1:{}/", shown.port));
    // The four charts of any run, the region and how often it was refused.
    chromium.wait(&format!("{CHARTS} === 6"));
    let titles =
        chromium.evaluate("[...document.querySelectorAll('h2')].map(title => title.textContent).join()");
    assert!(titles.as_str().unwrap().contains("Trust region,Refused trust regions"), "{titles}");
    let rows = chromium.evaluate("document.getElementById('table').innerText");
    let names = ["radius", "damping", "penalty", "refused"];
    assert!(names.iter().all(|name| rows.as_str().unwrap().contains(name)), "{rows}");
    assert_eq!(chromium.complaints, Vec::<String>::new());
}

#[test]
fn a_browser_tells_that_the_process_is_gone() {
    if !has_tool("chromium") {
        return;
    }
    let desk = Desk::new();
    let mut shown = Shown::start(&desk, &LONG);
    let mut chromium = Chromium::start();
    chromium.open(&format!("http://127.0.0.1:{}/", shown.port));
    chromium.wait(&format!("{CURVES} >= 4"));
    shown.child.kill().unwrap();
    shown.child.wait().unwrap();
    chromium.wait(&format!("{CONDITION} === 'gone'"));
    let said = chromium.evaluate("document.getElementById('message').innerText");
    assert!(
        said.as_str()
            .unwrap()
            .contains("is gone. If it was the one that trained, adamflip resume runs/bar-0"),
        "{said}"
    );
    // Only the calls that nobody answered.
    assert_eq!(but_of_the_network(&chromium), Vec::<&String>::new());
}

/// What a browser complains of but for calls that nobody answered.
fn but_of_the_network(chromium: &Chromium) -> Vec<&String> {
    chromium.complaints.iter().filter(|text| !text.contains("net::ERR_")).collect()
}
