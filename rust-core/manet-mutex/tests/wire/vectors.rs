//! Files of bytes that every implementation has to write and read.

use std::path::PathBuf;

/// Compares what was written with a file of `tests/vectors`, which `UPDATE_VECTORS=1` rewrites.
/// Returns the lines of the file and the bytes that each gives.
pub fn hold(file: &str, header: &str, written: &[String]) -> Vec<(String, Vec<u8>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let path = path.join(file);
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        std::fs::write(&path, format!("{header}\n{}\n", written.join("\n")))
            .expect("a file to write");
    }
    let text = std::fs::read_to_string(&path).expect("a file of vectors");
    let golden: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert_eq!(
        written, golden,
        "the format changed: see {path:?}; UPDATE_VECTORS=1 rewrites it"
    );
    golden
        .into_iter()
        .map(|line| (line.to_owned(), bytes(line)))
        .collect()
}

fn bytes(line: &str) -> Vec<u8> {
    let (_, hex) = line.rsplit_once(" : ").expect("what it means : bytes");
    let byte = |hex| u8::from_str_radix(hex, 16).expect("hexadecimal");
    hex.split(' ').map(byte).collect()
}
