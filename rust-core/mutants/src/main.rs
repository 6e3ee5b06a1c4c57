//! Rewrites Rust source files so that one build holds all mutants of them.
//!
//! A mutant is a small change that a good test suite notices: a comparison turned around, a
//! statement left out, a function that returns at once. Each is guarded by
//! `mutants::active(NUMBER)`, which is true for the number in the environment variable `MUTANT`.
//! So the crate is compiled once, and a mutant costs a test run and no build.
//!
//! ```text
//! manet-mutex-mutants FOLDER FIRST SKIPPED FILE...
//! ```
//!
//! rewrites the files, which lie below FOLDER, in place: run it on a copy. Mutants are numbered
//! from FIRST; those listed in the file SKIPPED, one number a line, are left out without changing
//! the numbers of the others. The mutants go to standard output, one JSON object a line.

mod guard;
mod rewrite;

use rewrite::Rewriter;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, first, skipped, files @ ..] = arguments.as_slice() else {
        return Err("usage: manet-mutex-mutants FOLDER FIRST SKIPPED FILE...".into());
    };
    let skipped: BTreeSet<u32> = std::fs::read_to_string(skipped)?
        .lines()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let mut next = first.parse()?;
    for file in files {
        let path = Path::new(folder).join(file);
        let mut tree = syn::parse_file(&std::fs::read_to_string(&path)?)?;
        let mut rewriter = Rewriter::new(next, &skipped);
        rewriter.rewrite(&mut tree);
        for mutant in rewriter.mutants() {
            println!("{}", mutant.to_json(file));
        }
        next = rewriter.next();
        std::fs::write(&path, prettyplease::unparse(&tree))?;
    }
    Ok(())
}
