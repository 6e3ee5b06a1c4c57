//! Unserved requests, as the command reports them.

/// The command ends with exit code 1 and says how many.
#[test]
fn unserved_requests_end_with_exit_code_1() {
    // Where the command leaves the steps of a run that failed.
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let script = folder.join("unserved.jsonl");
    let events = [
        r#"{"t":0.5,"node":0,"event":"link_up","peer":1}"#,
        r#"{"t":0.5,"node":1,"event":"link_up","peer":0}"#,
        r#"{"t":5.0,"node":0,"event":"request"}"#,
        r#"{"t":6.0,"node":1,"event":"request"}"#,
    ];
    std::fs::write(&script, events.join("\n")).expect("a file");
    let script = script.to_str().expect("text");
    let simulators: [&[&str]; 4] = [
        &["--nodes", "5", "--duration", "20"],
        &["--world", "radio", "--nodes", "5", "--duration", "20"],
        &[
            "--world",
            "routed",
            "--protocol",
            "raymond",
            "--nodes",
            "5",
            "--duration",
            "20",
        ],
        &["--script", script],
    ];
    for simulator in simulators {
        let sim = |stay: &str| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_manet-mutex"));
            let command = command.arg("sim").args(simulator).args(["--stay", stay]);
            let output = command.current_dir(&folder).output().expect("it runs");
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8(text).expect("text");
            (output.status.code(), text)
        };
        assert_eq!(sim("0.1").0, Some(0), "{simulator:?}");
        let (code, text) = sim("1000000");
        assert_eq!(code, Some(1), "{simulator:?}: {text}");
        assert!(text.contains("not served"), "{simulator:?}: {text}");
    }
}
