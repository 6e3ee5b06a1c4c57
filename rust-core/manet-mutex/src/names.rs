//! Things by the names that users type.

/// The name of `thing` in a list of all.
pub fn name_of<T: PartialEq>(all: &[(T, &'static str)], thing: &T) -> &'static str {
    let found = all.iter().find(|(other, _)| other == thing);
    found.map_or("", |(_, name)| name)
}

/// What is called `text` in a list of all.
///
/// # Errors
/// If nothing is; `what` says what is looked for.
pub fn by_name<T: Copy>(all: &[(T, &str)], what: &str, text: &str) -> Result<T, String> {
    let found = all.iter().find(|(_, name)| *name == text);
    found.map(|&(thing, _)| thing).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&(_, name)| name).collect();
        format!("unknown {what} `{text}`: use one of {}", names.join(", "))
    })
}
