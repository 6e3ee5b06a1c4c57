//! The modules of a crate are layers: they depend on each other without cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module at the top of a crate uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_have_no_cycles() {
    for name in ["manet-mutex", "manet-mutex-sim"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let uses = uses(&folder.join("src"));
        assert!(uses.len() > 5, "{name}: modules were found");
        assert_eq!(cycle(&uses), None, "{name}");
    }
}

#[test]
fn a_cycle_is_found() {
    let uses = |text: &str| {
        let pair = |line: &str| {
            let (module, used) = line.split_once(' ').expect("two modules");
            (module.to_owned(), BTreeSet::from([used.to_owned()]))
        };
        text.split(", ").map(pair).collect::<Uses>()
    };
    assert_eq!(cycle(&uses("node link, link wire, wire ids")), None);
    let found = cycle(&uses("node link, link wire, wire link")).expect("a cycle");
    assert_eq!(found, ["link", "wire"]);
}

#[test]
fn comments_and_tests_do_not_count() {
    let text = "use crate::{ids, time::Time};\n/// [`crate::node`]\nfn f() -> crate::wire::Tag {}\n\
                #[cfg(test)]\nmod tests {\n    use crate::link::Config;\n}\n";
    let found = named(text);
    assert_eq!(found, ["ids", "time", "wire"].map(str::to_owned).into());
}

/// Modules that depend on each other, if there are any: those from which one gets back.
fn cycle(uses: &Uses) -> Option<Vec<String>> {
    let reached = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut todo = vec![from.to_owned()];
        while let Some(module) = todo.pop() {
            for next in uses.get(&module).into_iter().flatten() {
                if reached.insert(next.clone()) {
                    todo.push(next.clone());
                }
            }
        }
        reached
    };
    let circular = uses
        .keys()
        .filter(|module| reached(module).contains(*module));
    let found: Vec<String> = circular.cloned().collect();
    (!found.is_empty()).then_some(found)
}

fn uses(folder: &Path) -> Uses {
    let mut uses = Uses::new();
    for path in sources(folder) {
        let within = path.strip_prefix(folder).expect("a path below the folder");
        let module = within.iter().next().expect("a name").to_string_lossy();
        let module = module.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).expect("a source file");
        let mut used = named(&text);
        used.remove(&module);
        uses.entry(module).or_default().extend(used);
    }
    uses.remove("lib");
    uses
}

/// All source files below a folder, but those of modules that only tests have.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if is_test(&path) {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Whether the file that declares a module does so for tests only.
fn is_test(path: &Path) -> bool {
    let name = path.file_stem().expect("a name").to_string_lossy();
    let folder = path.parent().expect("a folder");
    let parents = [folder.join("mod.rs"), folder.join("lib.rs")];
    parents.iter().any(|parent| {
        let text = fs::read_to_string(parent).unwrap_or_default();
        text.contains(&format!("#[cfg(test)]\nmod {name};"))
    })
}

/// The modules that a source file names by `crate::`, outside comments and tests.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let code: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect();
    let code = code.join("\n");
    let first = |path: &str| -> String {
        let word = path.trim().chars();
        word.take_while(|c| c.is_ascii_lowercase() || *c == '_')
            .collect()
    };
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split(';').next().unwrap_or("");
                found.extend(list.split(',').map(first));
            }
            None => {
                found.insert(first(rest));
            }
        }
    }
    found.remove("");
    found
}
