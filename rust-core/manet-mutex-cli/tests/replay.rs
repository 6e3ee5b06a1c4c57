//! `manet-mutex replay` tells by its exit code.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

#[test]
fn replay_tells_by_its_exit_code() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let replay = |text: &[u8], options: &[&str]| {
        let file = folder.join("replayed.txt");
        fs::write(&file, text).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_manet-mutex"));
        let output = command
            .arg("replay")
            .arg(file)
            .args(options)
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), out, err)
    };
    let head = "protocol rl\ntopology path:3\n";
    let clean = format!("{head}req 1, deliver");
    let (code, out, _) = replay(clean.as_bytes(), &[]);
    assert_eq!(code, Some(0));
    assert!(out.contains("  1 ENTER\n"), "{out}");
    assert!(
        out.contains("      1 (0,-1,1) CRITICAL token next 1"),
        "{out}"
    );
    let (_, out, _) = replay(clean.as_bytes(), &["--quiet"]);
    assert_eq!(out, "2 commands, expectations met\n");

    let broken = format!("{head}option as-printed E1\nup 0-2, dn 1-2");
    let (code, out, _) = replay(broken.as_bytes(), &["--format", "json"]);
    assert_eq!(code, Some(1));
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["failures"][0]["line"], 4);
    assert_eq!(
        out["commands"][2]["violations"][0]["property"],
        "assumption"
    );

    for wrong in [
        b"protocol rl\n".as_slice(),
        b"\xff\xfe",
        b"protocol rl\ntopology path:2\nrel 1",
    ] {
        let (code, _, err) = replay(wrong, &[]);
        assert_eq!((code, err.lines().count()), (Some(2), 1), "{err}");
        assert!(err.starts_with("error: "), "{err}");
    }
}
