//! A look at a script before it runs: whether it is Python, and whether what it imports of ours
//! is there.

use tree_sitter::{Node, Parser};

use crate::kernel::{
    error::{CallError, ErrorCode},
    registry::Mounts,
    text,
};

/// What `footplate` offers beside its modules.
const OWN_NAMES: [&str; 12] = [
    "Blocked",
    "BudgetSpent",
    "Denied",
    "Error",
    "Failed",
    "Interrupted",
    "InvalidInput",
    "NoApprover",
    "UnknownTool",
    "batch",
    "capabilities",
    "search",
];

/// Refuses a script that is no Python, or that imports a footplate module which is not mounted.
/// An import that the script itself guards by `try` is left to it.
pub fn check(code: &str, mounts: &Mounts) -> Result<(), CallError> {
    if let Some(at) = code.find('\0') {
        let line = 1 + code[..at].matches('\n').count();
        return Err(invalid(format!("line {line}: a NUL character, which Python does not take.")));
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .expect("the grammar and the parser are built for each other");
    let Some(tree) = parser.parse(code, None) else {
        return Ok(());
    };
    if let Some(fault) = first_fault(tree.root_node()) {
        return Err(syntax_error(code, fault));
    }
    walk(tree.root_node(), &mut |node| match node.kind() {
        "import_statement" => import(node, code, mounts),
        "import_from_statement" => import_from(node, code, mounts),
        _ => Ok(()),
    })
}

fn invalid(message: String) -> CallError {
    CallError::new(ErrorCode::InvalidInput, message)
}

/// Visits every node, parents first; not by recursion, since a script may be nested at will.
fn walk<'t>(
    root: Node<'t>,
    visit: &mut impl FnMut(Node<'t>) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let mut cursor = root.walk();
    loop {
        visit(cursor.node())?;
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
        }
    }
}

/// The innermost first node that the grammar could not place.
fn first_fault(root: Node<'_>) -> Option<Node<'_>> {
    let mut node = root;
    if !node.has_error() {
        return None;
    }
    loop {
        let mut cursor = node.walk();
        let inner = node.children(&mut cursor).find(|child| child.has_error());
        match inner {
            Some(inner) => node = inner,
            None => return Some(node),
        }
    }
}

fn syntax_error(code: &str, fault: Node<'_>) -> CallError {
    let at = fault.start_position();
    let source = code.split('\n').nth(at.row).unwrap_or_default();
    let source = text::clean(source.trim_end().as_bytes());
    let source: String = source.chars().take(200).collect();
    let what = if fault.is_missing() {
        format!("{:?} is missing", fault.kind())
    } else {
        "this is not Python".to_owned()
    };
    invalid(format!("Syntax error in line {}: {what}:\n    {source}\nNothing was run.", at.row + 1))
        .with("line", at.row + 1)
}

fn import(node: Node<'_>, code: &str, mounts: &Mounts) -> Result<(), CallError> {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let path = dotted(name, code);
        if let [package, module, rest @ ..] = &path[..]
            && *package == "footplate"
        {
            require(node, module, rest.first().copied(), mounts)?;
        }
    }
    Ok(())
}

fn import_from(node: Node<'_>, code: &str, mounts: &Mounts) -> Result<(), CallError> {
    let Some(from) = node.child_by_field_name("module_name") else {
        return Ok(());
    };
    let path = match from.kind() {
        "dotted_name" => dotted(from, code),
        _ => return Ok(()),
    };
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let name = dotted(name, code);
        match (&path[..], &name[..]) {
            (["footplate"], [module]) if !OWN_NAMES.contains(module) => {
                require(node, module, None, mounts)?;
            }
            (["footplate", module], [function]) => require(node, module, Some(function), mounts)?,
            _ => {}
        }
    }
    match path[..] {
        // `from footplate.x import *` has no names.
        ["footplate", module] => require(node, module, None, mounts),
        _ => Ok(()),
    }
}

/// The parts of `a.b` or of `a.b as c`.
fn dotted<'a>(node: Node<'_>, code: &'a str) -> Vec<&'a str> {
    let node = node.child_by_field_name("name").unwrap_or(node);
    let text = node.utf8_text(code.as_bytes()).unwrap_or_default();
    text.split('.').map(str::trim).collect()
}

fn require(
    node: Node<'_>,
    module: &str,
    function: Option<&str>,
    mounts: &Mounts,
) -> Result<(), CallError> {
    if is_guarded(node) || module.starts_with('_') {
        return Ok(());
    }
    let line = node.start_position().row + 1;
    let modules: Vec<_> = mounts.modules.iter().map(|known| known.name).collect();
    if !modules.contains(&module) {
        let there = if modules.is_empty() {
            "No module is mounted.".to_owned()
        } else {
            format!("There is: {}.", modules.join(", "))
        };
        let message = format!(
            "Line {line}: footplate has no module {} here. {there} Nothing was run.",
            text::quoted(module)
        );
        return Err(unknown(message, modules));
    }
    let functions: Vec<_> = mounts
        .capabilities
        .iter()
        .filter_map(|capability| capability.name().split_once('.'))
        .filter(|(of, _)| *of == module)
        .map(|(_, function)| function)
        .collect();
    match function {
        // A keyword has an underscore behind it in Python.
        Some(name) if !functions.contains(&name.trim_end_matches('_')) => {
            let there = functions.join(", ");
            let message = format!(
                "Line {line}: footplate.{module} has no function {}. There is: {there}. \
                 Nothing was run.",
                text::quoted(name)
            );
            Err(unknown(message, functions))
        }
        Some(_) | None => Ok(()),
    }
}

fn unknown(message: String, available: Vec<&str>) -> CallError {
    CallError::new(ErrorCode::UnknownTool, message).with("available", available)
}

fn is_guarded(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |node| node.parent())
        .any(|parent| parent.kind() == "try_statement")
}

#[cfg(test)]
mod tests;
