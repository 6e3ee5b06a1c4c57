//! The command line as a user meets it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn run(words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manet-mutex"))
        .args(words.split_whitespace())
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the command starts")
}

fn json(words: &str) -> Value {
    let output = run(words);
    assert!(output.status.success(), "{words}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Exit code 2, one line that contains `hint`, no backtrace.
fn refuses(words: &str, hint: &str) {
    let output = run(words);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}: {text}");
    assert!(text.contains(hint), "{words}: no `{hint}` in: {text}");
    assert!(
        !text.contains("panicked") && !text.contains("RUST_BACKTRACE"),
        "{words}: {text}"
    );
    assert!(text.starts_with("error: "), "{words}: {text}");
}

/// As [`refuses`], for what the program itself checks.
fn refuses_in_one_line(words: &str, hint: &str) {
    refuses(words, hint);
    assert_eq!(
        run(words)
            .stderr
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count(),
        1,
        "{words}"
    );
}

#[test]
fn sim_reports_all_it_promises() {
    let report = json("sim --protocol rl --nodes 12 --duration 500 --seed 3 --format json");
    for key in [
        "protocol",
        "nodes",
        "seed",
        "duration",
        "requests",
        "entries",
        "wait_mean",
        "wait_p50",
        "wait_p95",
        "wait_p99",
        "messages",
        "messages_per_entry",
        "messages_by_kind",
        "link_changes",
        "violations",
        "unserved",
        "events",
        "wall_s",
        "events_per_s",
        "rss_bytes",
    ] {
        assert!(!report[key].is_null(), "{key} is missing");
    }
    assert_eq!(report["entries"], report["requests"]);
    assert!(report["entries"].as_u64() > Some(50));
    let by_kind = report["messages_by_kind"].as_object().unwrap();
    let sum: u64 = by_kind.values().filter_map(Value::as_u64).sum();
    assert_eq!(report["messages"].as_u64(), Some(sum));
}

#[test]
fn every_protocol_is_served_in_a_moving_network() {
    for protocol in manet_mutex::protocol::registry::NAMES {
        let words = format!(
            "sim --protocol {protocol} --nodes 15 --mobility waypoint --degree 6 \
             --all-faults --duration 2000 --format json"
        );
        let report = json(&words);
        assert_eq!(
            (&report["violations"], &report["unserved"]),
            (&0.into(), &0.into())
        );
        assert!(report["link_changes"].as_u64() > Some(100));
    }
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let traced = |seed: u64, name: &str| {
        let file = scratch(name);
        let words = "sim --nodes 10 --mobility links --rate 0.1 --all-faults --duration 300";
        run(&format!("{words} --seed {seed} --trace {}", file.display()));
        std::fs::read(file).unwrap()
    };
    let first = traced(7, "first.jsonl");
    assert_eq!(first, traced(7, "second.jsonl"));
    assert_ne!(first, traced(8, "third.jsonl"));
    let text = String::from_utf8(first).unwrap();
    let mut last = 0.0;
    let mut seen = std::collections::BTreeSet::new();
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let t = event["t"].as_f64().unwrap();
        assert!(t >= last, "in time order");
        last = t;
        seen.insert(event["event"].as_str().unwrap().to_owned());
    }
    let kinds = [
        "enter",
        "link_down",
        "link_up",
        "recv",
        "release",
        "request",
        "send",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), kinds);
}

/// A script in a file of its own, as the words that play it.
fn scripted(name: &str, text: &str) -> String {
    let file = scratch(name);
    std::fs::write(&file, text).expect("a scratch file");
    format!("sim --script {}", file.display())
}

#[test]
fn a_trace_is_a_script() {
    let text = r#"{"t":0.25,"node":0,"event":"link_up","peer":1}
{"t":0.251,"node":1,"event":"link_up","peer":0}
{"t":1,"node":1,"event":"request"}
{"t":1.0005,"node":0,"event":"request"}
{"t":5,"node":0,"event":"link_down","peer":1}
{"t":5,"node":1,"event":"link_down","peer":0}
{"t":5.5,"node":0,"event":"request"}
{"t":6,"node":1,"event":"link_up","peer":0,"role":"static"}
{"t":6,"node":0,"event":"link_up","peer":1,"role":"moving"}
"#;
    let trace = |script: &str, name: &str| {
        let file = scratch(name);
        let options = "--delay 0.001 --stay 0.1 --format json --trace";
        let report = json(&format!("{script} {options} {}", file.display()));
        assert_eq!(
            (&report["entries"], &report["nodes"]),
            (&3.into(), &2.into())
        );
        std::fs::read_to_string(file).unwrap()
    };
    let first = trace(&scripted("hand.jsonl", text), "played.jsonl");
    let played = format!("sim --script {}", scratch("played.jsonl").display());
    assert_eq!(first, trace(&played, "again.jsonl"));
}

/// With the same links and requests the critical sections come in the same order.
#[test]
fn a_run_over_the_radio_is_played_over_ideal_links() {
    let entered = |words: &str, name: &str| -> Vec<u64> {
        let file = scratch(name);
        json(&format!("{words} --format json --trace {}", file.display()));
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let entries = lines.filter(|line: &Value| line["event"] == "enter");
        entries.filter_map(|line| line["node"].as_u64()).collect()
    };
    let radio = "sim --world radio --walk still --nodes 8 --side 150 --duration 30";
    let over_radio = entered(radio, "radio.jsonl");
    let script = format!("sim --script {}", scratch("radio.jsonl").display());
    let words = format!("{script} --delay 0.0004 --stay 0.1");
    assert_eq!(over_radio, entered(&words, "ideal.jsonl"));
    assert!(over_radio.len() > 10, "{over_radio:?}");
}

#[test]
fn unreadable_scripts_are_refused_with_a_hint() {
    refuses_in_one_line("sim --script no-such-file.jsonl", "no-such-file.jsonl");
    let up = r#"{"t":1,"node":0,"event":"link_up","peer":1}"#;
    let twice = scripted("twice.jsonl", &format!("{up}\n{up}\n"));
    refuses_in_one_line(&twice, "twice.jsonl: line 2: ");
    refuses_in_one_line(&scripted("half.jsonl", &up[..20]), "line 1: ");
    refuses_in_one_line(&scripted("nothing.jsonl", ""), "no link_up");
    let group = r#"{"t":1,"node":0,"event":"request","resource":2}"#;
    refuses_in_one_line(&scripted("group.jsonl", group), "line 1: rl cannot serve");
    let good = scripted("good.jsonl", up);
    refuses_in_one_line(&format!("{good} --nodes 1"), "--nodes");
    refuses_in_one_line(&format!("{good} --duration 0"), "above 0");
    refuses_in_one_line(&format!("{good} --protocol raymond"), "without a script");
    for option in [
        "--topology ring:3",
        "--mobility links",
        "--degree 8",
        "--links 9",
        "--think 10",
        "--closed-loop",
        "--all-faults",
        "--skew 1",
        "--crashes 1",
    ] {
        let name = option.split(' ').next().unwrap();
        refuses_in_one_line(&format!("{good} {option}"), name);
    }
    refuses_in_one_line(&format!("{good} --world radio"), "--script is for");
    refuses_in_one_line(&format!("{good} --preset fast"), "--world radio");
}

/// Nobody adds links that the script does not have.
#[test]
fn a_script_that_leaves_a_request_unserved_is_exit_code_1() {
    let alone = scripted("alone.jsonl", r#"{"t":1,"node":1,"event":"request"}"#);
    let output = run(&format!("{alone} --duration 2"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("1 requests were not served"), "{text}");
}

#[test]
fn check_reports_all_it_promises() {
    let report = json("check --protocol rl --topology path:2 --requests 2 --format json");
    for key in [
        "protocol",
        "topology",
        "states",
        "depth",
        "complete",
        "violations",
    ] {
        assert!(!report[key].is_null(), "{key} is missing");
    }
    assert_eq!(report["complete"], true);
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(0));
    assert!(report["states"].as_u64() > Some(10));
}

#[test]
fn a_broken_promise_is_exit_code_1_with_a_trace() {
    let output =
        run("check --topology path:3 --requests 1 --changes 2 --as-printed E1 --format json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let violation = &report["violations"][0];
    assert!(violation["property"].is_string() && !violation["trace"].is_null());
}

#[test]
fn wrong_input_is_refused_with_a_hint() {
    refuses_in_one_line("sim --protocol nonsense", "use one of rl");
    refuses_in_one_line("check --protocol nonsense", "use one of rl");
    refuses_in_one_line("torture --protocol nonsense", "use one of rl");
    refuses_in_one_line("sim --nodes 0", "at least one node");
    refuses_in_one_line("sim --topology 0-1,2-3", "not connected");
    refuses_in_one_line("sim --topology 0-1-2", "unknown topology");
    refuses_in_one_line("sim --duration -5", "above 0");
    refuses_in_one_line("sim --links 3 --nodes 30", "29 to 435");
    refuses_in_one_line("sim --delay soon", "uniform:LOW,HIGH");
    refuses_in_one_line("sim --loss 2", "0 to 1");
    refuses_in_one_line(
        "sim --trace no/such/folder/trace.jsonl",
        "cannot write the trace",
    );
    refuses_in_one_line("sim --think 0 --stay 0", "never ends");
    refuses_in_one_line("sim --world radio --think 0 --stay 1e-12", "never ends");
    refuses_in_one_line("sim --world radio --hello 1e300", "1 ms to 1 h");
    refuses_in_one_line("torture --seeds 5..5", "holds no seed");
    refuses_in_one_line("check --topology nonsense", "unknown topology");
    refuses("sim --nodes many", "--nodes");
    refuses("sim --format xml", "json");
    refuses("simulate", "sim");
}

#[test]
fn groups_and_units_are_chosen_and_refused() {
    refuses_in_one_line("sim --groups 3", "--groups is for gme");
    refuses_in_one_line("sim --protocol gme --k 3", "--k is for hk");
    refuses_in_one_line("check --order fewest", "--order is for hk");
    refuses_in_one_line("sim --protocol gme --most 2", "--most is for hk");
    refuses_in_one_line("sim --protocol hk --k 2 --most 3", "only 2 units");
    refuses("sim --protocol hk --k 0", "--k");
    refuses("sim --protocol gme --groups 0", "use 1 to 256");
    refuses("sim --protocol hk --order aged", "aged:C");
    refuses("sim --protocol gme --admission all", "close-on-conflict");
    refuses_in_one_line(
        "check --protocol gme --requests 1:g9,",
        "raise the number of groups",
    );
    refuses_in_one_line("check --protocol gme --requests 2", "ask for a group");
    refuses_in_one_line(
        "check --protocol hk --requests 1:u9p0,",
        "not so many units",
    );
    refuses_in_one_line(
        "check --protocol hk --requests 1:u0p0,",
        "at least one unit",
    );
    refuses_in_one_line(
        "torture --protocol gme --as-printed H1",
        "gme has no rule H1",
    );
    refuses_in_one_line("check --as-printed G1", "its errata are E1");
}

/// What was asked for and granted is in the trace, and several are inside together.
#[test]
fn demands_are_traced() {
    let cases = [
        (
            "gme",
            "--groups 2 --admission close-on-conflict",
            &["resource"][..],
        ),
        (
            "hk",
            "--k 4 --most 2 --order aged:3",
            &["units", "priority"][..],
        ),
    ];
    for (protocol, options, fields) in cases {
        let file = scratch(&format!("{protocol}.jsonl"));
        let words =
            format!("sim --protocol {protocol} {options} --nodes 12 --stay 10 --duration 1000");
        let report = json(&format!("{words} --format json --trace {}", file.display()));
        assert!(report["inside_mean"].as_f64() > Some(1.0));
        assert!(report["inside_most"].as_u64() > Some(2));
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let about = |line: &Value| line["event"] == "request" || line["event"] == "enter";
        let told: Vec<Value> = lines.filter(about).collect();
        assert!(told.len() > 100);
        for field in fields {
            assert!(told.iter().all(|line| line[field].is_u64()), "{field}");
        }
    }
}

/// Over the radio, too.
#[test]
fn groups_and_units_over_the_radio() {
    for protocol in ["gme", "hk"] {
        let report = json(&format!(
            "sim --world radio --preset fast --protocol {protocol} --duration 15 --format json"
        ));
        assert_eq!(
            (&report["violations"], &report["unserved"]),
            (&0.into(), &0.into())
        );
        assert!(report["entries"].as_u64() > Some(20));
    }
}

/// One line says where the experiments are.
#[test]
fn experiments_have_a_command_of_their_own() {
    let moved = |new: &str| format!("use `manet-mutex-experiments {new}`");
    refuses_in_one_line("measure sessions --runs 1", &moved("sessions"));
    refuses_in_one_line("measure", &moved("--help"));
    refuses_in_one_line("measure --help", &moved("--help"));
    refuses_in_one_line("paper rl --figures docs/results", &moved("paper-rl"));
    refuses_in_one_line("link figures --runs 10", &moved("link-figures"));
}

#[test]
fn unreadable_scenarios_are_refused_with_a_hint() {
    refuses_in_one_line("replay no-such-file.txt", "no-such-file.txt");
    let write = |name: &str, text: &str| {
        let file = scratch(name);
        std::fs::write(&file, text).unwrap();
        format!("replay {}", file.display())
    };
    let truncated = write(
        "truncated.txt",
        "protocol rl\ntopology path:3\n\nreq 1\nrcv 1>",
    );
    refuses_in_one_line(&truncated, "line 5");
    refuses_in_one_line(&write("empty.txt", ""), "protocol");
    refuses_in_one_line(&write("binary.txt", "\u{0}\u{1}\u{2}"), "protocol");
    let impossible = write(
        "impossible.txt",
        "protocol rl\ntopology path:3\n\nrcv 0>1\n",
    );
    refuses_in_one_line(&impossible, "cannot happen");
}

/// A torture run that fails says how, shortly, and its trace replays.
#[test]
fn torture_finds_the_papers_faults_and_explains_them() {
    for erratum in ["E1", "E3", "take-back-high"] {
        let output = run(&format!("torture --seeds 0..500 --as-printed {erratum}"));
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{erratum}: {text}");
        let file = text
            .lines()
            .find_map(|line| line.strip_prefix("replay with: manet-mutex "));
        let replayed = run(file.expect("how to replay it"));
        assert_eq!(replayed.status.code(), Some(1), "{erratum}: {replayed:?}");
        let steps = text.lines().find_map(|line| line.split_once(" steps: "));
        let steps: usize = steps.expect("the trace").0.parse().unwrap();
        assert!(steps <= 60, "{erratum}: {steps} steps");
    }
}

#[test]
fn the_transport_is_checked_by_itself() {
    let report = json("transport check --messages 2 --restarts 1 --format json");
    assert_eq!(report["violations"], Value::Array(Vec::new()));
    assert!(report["complete"] == true && report["states"].as_u64() > Some(1000));
    let found = run("transport check --messages 2 --flaw no-life-check");
    assert_eq!(found.status.code(), Some(1));
    let summary = json("transport schedules --seeds 0..200 --format json");
    assert_eq!(summary["stats"]["schedules"], 200);
    let found = run("transport schedules --seeds 0..200 --flaw no-duplicate-check");
    assert_eq!(found.status.code(), Some(1));
    refuses("transport check --flaw none", "unknown flaw");
}

#[test]
fn protocols_run_over_routing_that_does_wrong() {
    for protocol in ["raymond", "naimi-trehel", "dgme"] {
        let report = json(&format!(
            "sim --world routed --protocol {protocol} --nodes 8 --degree 3 --loss 0.2 --doubles 0.1 \
             --breaks 0.5 --hints 0.5 --duration 50 --format json"
        ));
        assert_eq!(
            (&report["violations"], &report["unserved"]),
            (&0.into(), &0.into())
        );
        assert!(
            report["entries"].as_u64() > Some(0) && report["routed"]["again"].as_u64() > Some(0)
        );
        let torture = format!("torture --world routed --protocol {protocol} --seeds 0..3");
        assert!(run(&torture).status.success(), "{protocol}");
        let torture = format!("torture --protocol {protocol} --seeds 0..3");
        assert!(run(&torture).status.success(), "{protocol}");
    }
    let wrong = "torture --protocol dgme --seeds 0..20 --as-printed oaaa";
    assert_eq!(run(wrong).status.code(), Some(1));
    refuses_in_one_line("sim --world routed --protocol rl", "use a link layer");
    refuses_in_one_line("sim --doubles 0.1", "--world routed");
    refuses_in_one_line(
        "sim --world routed --protocol raymond --flaps 1",
        "routing has --loss",
    );
    refuses_in_one_line("check --protocol rl --unordered", "leave routing out");
    refuses("check --protocol dgme --as-printed aax", "such as oaaa");
}

/// Commands that print little and take little time.
const QUICK: [&str; 8] = [
    "sim --nodes 5 --duration 20",
    "sim --nodes 5 --duration 20 --format json",
    "check --topology path:2 --requests 1",
    "torture --seeds 0..2",
    "link check --closes 1 --messages 1",
    "link schedules --seeds 0..2",
    "transport check --messages 1",
    "transport schedules --seeds 0..2",
];

#[test]
fn a_reader_that_has_gone_is_no_error() {
    for words in QUICK {
        let mut child = Command::new(env!("CARGO_BIN_EXE_manet-mutex"))
            .args(words.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*text), (Some(0), ""), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_in_one_line() {
    for words in QUICK {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_manet-mutex"))
            .args(words.split_whitespace())
            .stdout(full.expect("a device that is always full"))
            .output()
            .expect("the command starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert_eq!(text.lines().count(), 1, "{words}: {text}");
        assert!(
            text.starts_with("error: cannot write to standard output"),
            "{words}: {text}"
        );
    }
    refuses_in_one_line("sim --trace /dev/full", "cannot write the trace");
}

#[test]
fn networks_that_no_machine_holds_are_refused() {
    let most = "4294967295";
    for (words, hint) in [
        (format!("sim --nodes {most}"), "at most 4194304"),
        (format!("sim --nodes {most} --mobility waypoint"), "at most"),
        (
            format!("sim --world radio --nodes {most}"),
            "at most 131072",
        ),
        (
            format!("sim --world routed --protocol raymond --nodes {most}"),
            "at most 131072",
        ),
        (format!("sim --topology complete:{most}"), "too large"),
        (format!("sim --topology grid:{most}"), "too large"),
        (format!("check --topology 0-{most}"), "too large"),
        (format!("check --topology complete:{most}"), "too large"),
        (format!("check --topology {most}"), "too large"),
        (
            "sim --nodes 4000000 --degree 4000000".to_owned(),
            "too many",
        ),
        (
            "sim --nodes 4000000 --degree 4000000 --mobility disk".to_owned(),
            "too many",
        ),
    ] {
        refuses_in_one_line(&words, hint);
    }
    let huge = format!("protocol rl\ntopology path:{most}\n");
    let file = scratch("huge.txt");
    std::fs::write(&file, huge).expect("a scratch file");
    refuses_in_one_line(&format!("replay {}", file.display()), "too large");
}

#[test]
fn tables_have_no_numbers_that_are_none() {
    for words in [
        "sim --nodes 3 --duration 1 --think 1000 --closed-loop",
        "sim --nodes 3 --duration 20",
        "sim --world radio --nodes 2 --duration 1 --think 1000 --closed-loop",
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

/// A run on one processor and one on all of them differ in their times only.
#[cfg(target_os = "linux")]
#[test]
fn results_do_not_depend_on_the_number_of_processors() {
    let result = |processors: &str, words: &str| {
        let output = Command::new("taskset")
            .args(["-c", processors, env!("CARGO_BIN_EXE_manet-mutex")])
            .args(words.split_whitespace())
            .args(["--format", "json"])
            .output()
            .expect("taskset is a part of util-linux");
        let mut report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        for time in ["seconds", "wall_s", "events_per_s"] {
            report.as_object_mut().expect("an object").remove(time);
        }
        (output.status.code(), report)
    };
    let last = std::thread::available_parallelism().map_or(1, usize::from) - 1;
    for words in [
        "check --topology complete:3 --requests 2 --changes 1",
        "check --topology path:3 --requests 1 --changes 2 --as-printed E2",
        "link check --closes 1 --messages 1",
        "transport check --messages 1",
        "torture --seeds 0..20",
        "link schedules --seeds 0..200",
        "transport schedules --seeds 0..200",
    ] {
        let all = result(&format!("0-{last}"), words);
        assert_eq!(result("0", words), all, "{words}");
    }
}
