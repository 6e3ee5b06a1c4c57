//! The experiments as a user starts them.

use serde_json::Value;
use std::process::{Command, Output};

fn run(words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manet-mutex-experiments"))
        .args(words.split_whitespace())
        .output()
        .expect("the command starts")
}

/// The JSON objects that a command printed, one in a line.
fn rows(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON lines")
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let most = "4294967295";
    for (words, hint) in [
        ("paper-rl --repetitions 0".to_owned(), "at least 1"),
        ("paper-rl --length 0".to_owned(), "above 0"),
        (
            "priorities --as-printed G1".to_owned(),
            "hk has no such rule",
        ),
        (
            "locality --protocols rl".to_owned(),
            "use lme1a, lme1b, lme2",
        ),
        ("link-figures --runs 0".to_owned(), "above 0"),
        (format!("sessions --nodes {most}"), "at most"),
        (format!("response --nodes 8,{most}"), "at most"),
    ] {
        let output = run(&words);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(text.starts_with("error: "), "{words}: {text}");
        assert!(text.contains(hint), "{words}: no `{hint}` in: {text}");
        assert_eq!(text.lines().count(), 1, "{words}: {text}");
    }
}

#[test]
fn tables_have_no_numbers_that_are_none() {
    for words in [
        "sessions --runs 1 --duration 50",
        "concurrency --runs 1 --duration 50",
        "paper-rl --repetitions 1 --length 50",
    ] {
        let output = run(words);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.is_empty(), "{words}: {output:?}");
        assert!(
            !text.contains("NaN") && !text.contains("inf"),
            "{words}: {text}"
        );
    }
}

#[test]
fn paper_prints_one_object_for_each_cell() {
    let output = run("paper-rl --repetitions 2 --length 300 --format json");
    assert!(output.status.success());
    let cells = rows(&output);
    assert_eq!(cells.len(), 24);
    for key in [
        "algorithm",
        "load",
        "connectivity",
        "mobility",
        "time",
        "time_ci",
        "messages",
        "messages_ci",
        "paper_time",
        "paper_messages",
    ] {
        assert!(
            cells.iter().all(|cell| !cell[key].is_null()),
            "{key} is missing"
        );
    }
}

#[test]
fn measurements_come_out_clean() {
    let output = run("priorities --runs 50 --crowds 1 --grants 200");
    assert!(output.status.success(), "{output:?}");
    let output = run("concurrency --nodes 6 --runs 2 --duration 50 --format json");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(rows(&output).len(), 22);
}

/// Erratum G3 of `dgme`: three message times from one session to the next, not two.
#[test]
fn handovers_take_as_long_as_they_do() {
    let output = run("sessions --runs 1 --duration 50 --nodes 8 --format json");
    assert!(output.status.success());
    let delays: Vec<(String, f64)> = rows(&output)
        .iter()
        .filter_map(|row| {
            let name = row["protocol"].as_str()?.to_owned();
            Some((name, row["delay"].as_f64()?))
        })
        .collect();
    let expected = [("dgme", 3.0), ("naimi-trehel", 1.0), ("raymond", 3.0)];
    assert_eq!(
        delays,
        expected.map(|(name, delay)| (name.to_owned(), delay))
    );
}
