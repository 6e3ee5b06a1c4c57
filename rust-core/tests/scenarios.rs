//! Runs the files in `tests/scenarios` and compares their traces.
//!
//! With `UPDATE_SCENARIOS=1` in the environment the traces are rewritten instead; look at the
//! difference before you keep it.

use manet_mutex::scenario::Scenario;
use std::fs;
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
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
