//! Runs the files in `tests/scenarios` and compares their traces.
//!
//! With `UPDATE_SCENARIOS=1` in the environment the traces are rewritten instead; look at the
//! difference before you keep it.

use manet_mutex_sim::network::Step;
use manet_mutex_sim::scenario::{PROGRESS, Scenario};
use manet_mutex_sim::shrink::shrink;
use std::fs;
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let entries = fs::read_dir(folder).expect("the folder of scenarios");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are scenarios");
    files
}

/// The first line that differs, with its number.
fn difference(old: &str, new: &str) -> String {
    let end = "(end of file)";
    let mut old = old.lines();
    let mut new = new.lines();
    for number in 1.. {
        let (a, b) = (old.next(), new.next());
        if a != b || a.is_none() {
            let (a, b) = (a.unwrap_or(end), b.unwrap_or(end));
            return format!("line {number}\n  expected `{a}`\n  but got  `{b}`");
        }
    }
    unreachable!("the files end");
}

#[test]
fn every_scenario_goes_as_written() {
    let update = std::env::var_os("UPDATE_SCENARIOS").is_some();
    let mut wrong = Vec::new();
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let report = match Scenario::parse(&text).and_then(|scenario| scenario.run()) {
            Ok(report) => report,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let failures = report.failures.iter().map(|f| format!("{name}: {f}"));
        wrong.extend(failures);
        if update {
            fs::write(&file, report.text).unwrap();
        } else if report.text != text {
            wrong.push(format!("{name}: {}", difference(&text, &report.text)));
        }
    }
    let hint = "UPDATE_SCENARIOS=1 rewrites the traces";
    assert!(wrong.is_empty(), "{}\n({hint})", wrong.join("\n"));
}

/// Whatever a file says, reading and running it ends with a report or one line of error.
#[test]
fn damaged_scenarios_are_refused_in_one_line() {
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        for at in 0..lines.len() {
            let (before, after) = (lines[..at].join("\n"), lines[at + 1..].join("\n"));
            let middle = lines[at].char_indices().map(|(cut, _)| &lines[at][..cut]);
            for cut in middle.chain(["req 99", "topology path:4294967295", "state 7, ,"]) {
                let damaged = format!("{before}\n{cut}\n{after}");
                if let Err(error) = Scenario::parse(&damaged).and_then(|s| s.run()) {
                    assert_eq!(error.to_string().lines().count(), 1, "{damaged}");
                }
            }
        }
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let head = "protocol rl\ntopology path:3\n";
    let cases = [
        (
            "",
            "there is no `protocol` line: begin with one, as in `protocol rl`",
        ),
        ("protocol rl\nreq 1", "there is no `topology` line"),
        (
            "protocol lr\n",
            "line 1: unknown protocol `lr`: use one of rl",
        ),
        (
            "protocol rl\ntopology path:9999999\n",
            "line 2: `9999999` is too large",
        ),
        (
            "protocol rl\ntopology 0-1,2-3\n",
            "the start graph is not connected",
        ),
        ("protocol rl\ntopology path:0\n", "the network has no nodes"),
        ("rcv 0", "line 3: `rcv 0` is not a command: use req"),
        ("req 1,", "line 3: a step is missing beside a comma"),
        (
            "rel 1",
            "line 3: `rel 1` cannot happen here: the node is not inside",
        ),
        (
            "req 7",
            "line 3: `req 7` cannot happen here: there is no such node",
        ),
        (
            "req 1 g4",
            "line 3: `req 1 g4`: rl cannot serve a demand for group 4",
        ),
        (
            "expect inside 7",
            "line 3: there is no node `7`: nodes are 0 to 2",
        ),
        ("expect luck", "line 3: cannot expect `luck`: use inside"),
        ("state\nprotocol rl", "line 4: `protocol rl` comes too late"),
        (
            "option burst 70000",
            "line 3: `70000` is no burst: use off or a number",
        ),
        (
            "option as-printed E9",
            "line 3: `E9` is no erratum: use one of E1",
        ),
    ];
    for (text, wanted) in cases {
        let whole = match text.starts_with("protocol") || text.is_empty() {
            true => text.to_owned(),
            false => format!("{head}{text}"),
        };
        let error = Scenario::parse(&whole).and_then(|s| s.run()).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(wanted), "{whole}\ngave `{error}`");
    }
}

#[test]
fn a_failure_is_a_violation_or_expectation_that_was_not_met() {
    let run = |text: &str| {
        let report = Scenario::parse(text).unwrap().run().unwrap();
        let failures = report.failures.iter().map(ToString::to_string);
        failures.collect::<Vec<_>>()
    };
    let head = "protocol rl\ntopology path:3\noption as-printed E1\n";
    let broken = run(&format!("{head}up 0-2\ndn 1-2\nstate"));
    assert_eq!(
        broken,
        ["line 5: assumption: n2: RaiseHeight takes a minimum over no neighbours"]
    );
    let missed = run(&format!(
        "{head}req 1\nexpect inside 1\nexpect violation one token"
    ));
    assert_eq!(
        missed,
        [
            "line 5: expected inside 1, but nobody is inside",
            "line 6: expected violation one token, but there was none such"
        ]
    );
    let stuck = "option as-printed E2\nup 0-2\nrcv 2>0\ndn 1-2\nreq 2\nrcv 0>2";
    let stuck = run(&format!("protocol rl\ntopology path:3\n{stuck}"));
    assert_eq!(
        stuck,
        ["line 8: progress: deadlock: a node waits, all messages delivered, at the end"]
    );
}

#[test]
fn a_shrunk_trace_keeps_what_breaks_the_promise_and_can_be_replayed() {
    let scenario =
        Scenario::parse("protocol rl\ntopology complete:3\noption as-printed E3").unwrap();
    let noise = "req 0, rel 0, req 1, rcv 1>0, rcv 0>1, rel 1, rcv 1>0, req 0, rcv 0>1, rcv 1>0, \
                 rel 0, rcv 0>1, ";
    let long = "req 1, req 2, rcv 2>0, rcv 0>2, rel 2, rcv 1>0, req 0, rcv 0>2, rcv 2>0, rcv 2>0, \
                rcv 0>1, rcv 2>1, rcv 1>0, rcv 0>2, rel 1";
    let steps: Vec<Step> = format!("{noise}{long}")
        .split(", ")
        .map(|step| step.parse().unwrap())
        .collect();
    let shrunk = shrink(scenario.setup(), &steps).unwrap().unwrap();
    assert_eq!(shrunk.violation.property, "assumption");
    assert!(shrunk.steps.len() <= 12, "{:?}", shrunk.steps);

    let trace = scenario.setup().trace(&shrunk.steps, "found by hand\n");
    let replayed = Scenario::parse(&trace).unwrap().run().unwrap();
    assert_eq!(replayed.failures.len(), 1, "{trace}");
    assert!(
        replayed
            .text
            .starts_with("# found by hand\nprotocol rl\ntopology 0-1,0-2,1-2\n")
    );
}

#[test]
fn a_trace_that_ends_in_a_deadlock_shrinks_to_its_core() {
    let scenario = Scenario::parse("protocol rl\ntopology path:3\noption as-printed E2").unwrap();
    let steps = "req 1, rcv 1>0, rcv 0>1, rel 1, rcv 1>0, req 0, rcv 0>1, rcv 1>0, rel 0, rcv 0>1, \
                 new 0-2, upe 0-2, upe 2-0, rcv 2>0, dne 1-2 k, dne 2-1 k, req 2, rcv 0>2";
    let steps: Vec<Step> = steps
        .split(", ")
        .map(|step| step.parse().unwrap())
        .collect();
    let shrunk = shrink(scenario.setup(), &steps).unwrap().unwrap();
    assert_eq!(shrunk.violation.property, PROGRESS);
    let texts: Vec<String> = shrunk.steps.iter().map(ToString::to_string).collect();
    let core = "new 0-2, upe 0-2, upe 2-0, dne 1-2 k, dne 2-1 k, req 2";
    assert_eq!(texts.join(", "), core);
}
