//! The code that switches a mutant on.

use syn::{Block, Expr, Stmt, parse_quote};

/// True while the mutant of this number is active.
pub fn active(number: u32) -> Expr {
    parse_quote!(crate::mutants::active(#number))
}

/// `mutated` if the mutant is active, else `original`.
pub fn choice(number: u32, mutated: &Expr, original: &Expr) -> Expr {
    let active = active(number);
    parse_quote!((if #active { #mutated } else { #original }))
}

/// The statement, left out if the mutant is active.
pub fn unless(number: u32, statement: &Stmt) -> Stmt {
    let active = active(number);
    parse_quote!(if !#active { #statement })
}

/// Makes a function return `value` at once if the mutant is active.
pub fn return_first(number: u32, value: Option<Expr>, body: &mut Block) {
    let active = active(number);
    body.stmts
        .insert(0, parse_quote!(if #active { return #value; }));
}
