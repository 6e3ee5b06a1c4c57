//! Finds the places where a mutant can be put, and puts it there.

use crate::guard;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprUnary, File, ImplItemFn, Item,
    ItemFn, ItemImpl, Pat, ReturnType, Signature, Stmt, Token, TraitItemFn, Type, UnOp,
    parse_quote,
};

/// One change to the code.
pub struct Mutant {
    number: u32,
    line: usize,
    column: usize,
    function: String,
    change: String,
}

impl Mutant {
    pub fn to_json(&self, file: &str) -> serde_json::Value {
        serde_json::json!({
            "number": self.number,
            "file": file,
            "line": self.line,
            "column": self.column,
            "function": self.function,
            "change": self.change,
        })
    }
}

/// Puts mutants into a file.
pub struct Rewriter<'a> {
    next: u32,
    skipped: &'a BTreeSet<u32>,
    mutants: Vec<Mutant>,
    /// The type of the `impl` block and the function around the present place.
    owner: String,
    function: String,
}

impl<'a> Rewriter<'a> {
    pub fn new(first: u32, skipped: &'a BTreeSet<u32>) -> Self {
        Self {
            next: first,
            skipped,
            mutants: Vec::new(),
            owner: String::new(),
            function: String::new(),
        }
    }

    pub fn rewrite(&mut self, tree: &mut File) {
        self.visit_file_mut(tree);
    }

    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The number of the first mutant of the next file.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Numbers a mutant. Returns nothing if it is to be left out.
    fn add(&mut self, at: Span, change: String) -> Option<u32> {
        let number = self.next;
        self.next += 1;
        if self.skipped.contains(&number) {
            return None;
        }
        let start = at.start();
        self.mutants.push(Mutant {
            number,
            line: start.line,
            column: start.column + 1,
            function: self.function.clone(),
            change,
        });
        Some(number)
    }

    fn enter(
        &mut self,
        signature: &mut Signature,
        body: &mut Block,
        visit: impl FnOnce(&mut Self, &mut Block),
    ) {
        if signature.ident == "fmt" {
            return;
        }
        // A function that may run at compile time cannot ask which mutant is active.
        signature.constness = None;
        let name = signature.ident.to_string();
        let function = if self.owner.is_empty() {
            name
        } else {
            format!("{}::{name}", self.owner)
        };
        let outer = std::mem::replace(&mut self.function, function);
        let (at, lines) = (signature.ident.span(), body.stmts.len());
        visit(self, body);
        self.return_at_once(at, lines, &signature.output, body);
        self.function = outer;
    }

    /// Mutants that return a constant.
    fn return_at_once(&mut self, at: Span, lines: usize, output: &ReturnType, body: &mut Block) {
        if lines == 0 {
            return;
        }
        let ReturnType::Type(_, kind) = output else {
            if lines > 1
                && let Some(number) = self.add(at, "return at once".to_owned())
            {
                guard::return_first(number, None, body);
            }
            return;
        };
        for value in constants(kind) {
            let change = format!("return {}", value.to_token_stream());
            if let Some(number) = self.add(at, change) {
                guard::return_first(number, Some(value), body);
            }
        }
    }

    /// Mutants of a comparison, an arithmetic or a logical operator.
    fn operator(&mut self, original: &ExprBinary, visited: Expr) -> Expr {
        let mut result = visited;
        for op in others(&original.op) {
            let change = format!(
                "{} instead of {}",
                op.to_token_stream(),
                original.op.to_token_stream()
            );
            if let Some(number) = self.add(original.op.span(), change) {
                let mut mutated = original.clone();
                mutated.op = op;
                result = guard::choice(number, &Expr::Binary(mutated), &result);
            }
        }
        result
    }

    fn arm(&mut self, arm: &mut Arm, removable: bool) {
        let at = arm.pat.span();
        if arm.guard.as_ref().is_some_and(|(_, guard)| has_let(guard)) {
            return;
        }
        if let Some((_, guard)) = &mut arm.guard
            && let Some(number) = self.add(at, "guard is true".to_owned())
        {
            let active = guard::active(number);
            **guard = parse_quote!((#active || (#guard)));
        }
        if removable && let Some(number) = self.add(at, "arm left out".to_owned()) {
            let active = guard::active(number);
            let guard: Expr = match &arm.guard {
                Some((_, guard)) => parse_quote!((!#active && (#guard))),
                None => parse_quote!(!#active),
            };
            arm.guard = Some((<Token![if]>::default(), Box::new(guard)));
        }
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_item_mut(&mut self, item: &mut Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(module) => &module.attrs,
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            // Evaluated at compile time.
            Item::Const(_) | Item::Static(_) | Item::Macro(_) => return,
            _ => &[],
        };
        if !attributes.iter().any(is_test) {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_item_impl_mut(&mut self, block: &mut ItemImpl) {
        let mut owner = block.self_ty.to_token_stream().to_string();
        owner.retain(|c| c != ' ');
        let outer = std::mem::replace(&mut self.owner, owner);
        visit_mut::visit_item_impl_mut(self, block);
        self.owner = outer;
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        let visit = |this: &mut Self, body: &mut Block| this.visit_block_mut(body);
        self.enter(&mut function.sig, &mut function.block, visit);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        let visit = |this: &mut Self, body: &mut Block| this.visit_block_mut(body);
        self.enter(&mut function.sig, &mut function.block, visit);
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
        if let Some(body) = &mut function.default {
            let visit = |this: &mut Self, body: &mut Block| this.visit_block_mut(body);
            self.enter(&mut function.sig, body, visit);
        }
    }

    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}

    fn visit_trait_item_const_mut(&mut self, _: &mut syn::TraitItemConst) {}

    fn visit_type_mut(&mut self, _: &mut Type) {}

    fn visit_pat_mut(&mut self, _: &mut Pat) {}

    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}

    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        let removable = matches!(statement, Stmt::Expr(expr, Some(_)) if is_effect(expr));
        let (at, words) = (statement.span(), first_line(statement));
        visit_mut::visit_stmt_mut(self, statement);
        if removable && let Some(number) = self.add(at, format!("left out: {words}")) {
            *statement = guard::unless(number, statement);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let original = expr.clone();
        visit_mut::visit_expr_mut(self, expr);
        match original {
            Expr::Binary(binary) if !has_let(&Expr::Binary(binary.clone())) => {
                *expr = self.operator(&binary, expr.clone());
            }
            Expr::Unary(ExprUnary {
                op: UnOp::Not(not),
                expr: inner,
                ..
            }) => {
                if let Some(number) = self.add(not.span(), "no !".to_owned()) {
                    *expr = guard::choice(number, &inner, expr);
                }
            }
            _ => {}
        }
    }

    fn visit_expr_match_mut(&mut self, expr: &mut ExprMatch) {
        visit_mut::visit_expr_match_mut(self, expr);
        let Some(last) = expr.arms.len().checked_sub(1) else {
            return;
        };
        let rest = matches!(expr.arms[last].pat, Pat::Wild(_)) && expr.arms[last].guard.is_none();
        for (i, arm) in expr.arms.iter_mut().enumerate() {
            self.arm(arm, rest && i != last);
        }
    }
}

/// Whether a condition binds names, which only works at the top of a condition.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Paren(paren) => has_let(&paren.expr),
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_test(attribute: &Attribute) -> bool {
    let tokens = attribute.meta.to_token_stream().to_string();
    tokens == "test" || tokens == "cfg (test)"
}

/// Whether a statement is there for its effect.
fn is_effect(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
        Expr::Try(inner) => is_effect(&inner.expr),
        _ => false,
    }
}

fn first_line(statement: &Stmt) -> String {
    let text: String = statement.to_token_stream().to_string();
    text.chars().take(60).collect()
}

/// What a function of this type may return instead of its result.
fn constants(kind: &Type) -> Vec<Expr> {
    let mut text = kind.to_token_stream().to_string();
    text.retain(|c| c != ' ');
    match text.as_str() {
        "bool" => vec![parse_quote!(true), parse_quote!(false)],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => {
            vec![parse_quote!(0), parse_quote!(1)]
        }
        "Result<bool,ProtocolError>" => vec![parse_quote!(Ok(true)), parse_quote!(Ok(false))],
        _ if text.starts_with("Result<(),") => vec![parse_quote!(Ok(()))],
        _ if text.starts_with("Option<") => vec![parse_quote!(None)],
        _ if text.starts_with("Vec<") => vec![parse_quote!(Vec::new())],
        _ => Vec::new(),
    }
}

/// The operators to try instead of one.
fn others(op: &BinOp) -> Vec<BinOp> {
    match op {
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(>)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(<)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        BinOp::And(_) => vec![parse_quote!(||)],
        BinOp::Or(_) => vec![parse_quote!(&&)],
        BinOp::Add(_) => vec![parse_quote!(-)],
        BinOp::Sub(_) => vec![parse_quote!(+)],
        BinOp::Mul(_) => vec![parse_quote!(/)],
        BinOp::Div(_) | BinOp::Rem(_) => vec![parse_quote!(*)],
        BinOp::AddAssign(_) => vec![parse_quote!(-=)],
        BinOp::SubAssign(_) => vec![parse_quote!(+=)],
        BinOp::BitAnd(_) => vec![parse_quote!(|)],
        BinOp::BitOr(_) => vec![parse_quote!(&)],
        BinOp::BitOrAssign(_) => vec![parse_quote!(&=)],
        BinOp::BitAndAssign(_) => vec![parse_quote!(|=)],
        BinOp::Shl(_) => vec![parse_quote!(>>)],
        BinOp::Shr(_) => vec![parse_quote!(<<)],
        _ => Vec::new(),
    }
}
