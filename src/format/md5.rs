//! What the two MD5 text files share: the first line, counts and parents.

use crate::error::{LoadError, LoadErrorKind, Place, Warning};
use crate::model::Joint;
use crate::tokens::{Token, Tokens};

/// The only version there is.
const VERSION: i64 = 10;

/// Reads "MD5Version 10".
pub(crate) fn version(tokens: &mut Tokens<'_>) -> Result<(), LoadError> {
    let place = tokens.place();
    if !tokens.token().is_some_and(|token| token.is("MD5Version")) {
        let message = "expected 'MD5Version 10' at the start of the text";
        return Err(LoadError::new(LoadErrorKind::UnknownFormat, place, "header", message));
    }
    match tokens.integer("header")? {
        VERSION => Ok(()),
        other => {
            let message = format!("MD5Version {other} is not supported; polyset reads version 10");
            Err(LoadError::new(LoadErrorKind::UnsupportedVersion, place, "header", message))
        }
    }
}

/// A count that the file declares: never negative, and never believed.
pub(crate) fn count(tokens: &mut Tokens<'_>, part: &str) -> Result<usize, LoadError> {
    let place = tokens.place();
    let value = tokens.integer(part)?;
    usize::try_from(value)
        .map_err(|_| LoadError::malformed(part, place, format!("a count cannot be {value}")))
}

/// A record's own number, which must be below the declared count.
pub(crate) fn own_number(
    tokens: &mut Tokens<'_>,
    declared: Option<usize>,
    part: &str,
) -> Result<usize, LoadError> {
    let place = tokens.place();
    let value = tokens.integer(part)?;
    let limit = declared.unwrap_or(usize::MAX);
    usize::try_from(value).ok().filter(|&number| number < limit).ok_or_else(|| {
        let message = format!("number {value} is outside the declared count {limit}");
        LoadError::malformed(part, place, message)
    })
}

/// The end of the text inside a block.
pub(crate) fn unclosed(tokens: &Tokens<'_>, part: &str) -> LoadError {
    let message = "truncated: expected '}', found the end of the file";
    LoadError::new(LoadErrorKind::Truncated, tokens.place(), part, message)
}

/// Where a token stands.
pub(crate) fn place(token: &Token<'_>) -> Place {
    Place::Line(token.line)
}

/// The joint that a parent number names: every negative number says that there is none.
pub(crate) fn parent(number: i64) -> Option<u32> {
    (number >= 0).then(|| u32::try_from(number).unwrap_or(u32::MAX))
}

/// An order in which every parent stands before its children: the file's own if that will do.
pub(crate) fn parents_first(
    joints: &[Joint],
    keyword: &Token<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<u32>, LoadError> {
    let all = 0..joints.len() as u32;
    let mut children = vec![Vec::new(); joints.len()];
    let mut order = Vec::with_capacity(joints.len());
    let mut sorted = true;
    for (i, joint) in all.clone().zip(joints) {
        let Some(parent) = joint.parent else {
            order.push(i);
            continue;
        };
        let siblings = children.get_mut(parent as usize).ok_or_else(|| {
            let (name, last) = (&joint.name, joints.len() - 1);
            let message = format!("joint {i} '{name}' has parent {parent}, the last is {last}");
            LoadError::malformed("joints", place(keyword), message)
        })?;
        siblings.push(i);
        sorted &= parent < i;
    }
    if sorted {
        return Ok(all.collect());
    }
    let mut next = 0;
    while let Some(&joint) = order.get(next) {
        order.append(&mut children[joint as usize]);
        next += 1;
    }
    if order.len() < joints.len() {
        let reached: std::collections::HashSet<u32> = order.into_iter().collect();
        let stuck = all.into_iter().find(|i| !reached.contains(i)).unwrap_or_default();
        let name = &joints[stuck as usize].name;
        let message = format!("the parents of joint {stuck} '{name}' run in a circle");
        return Err(LoadError::malformed("joints", place(keyword), message));
    }
    let message = "a parent stands behind its child; the joints are evaluated parents first";
    warnings.push(Warning::new(place(keyword), "joints", message));
    Ok(order)
}

/// Warns if a declared count differs from what is there.
pub(crate) fn compare_counts(
    warnings: &mut Vec<Warning>,
    part: &str,
    declared: Option<usize>,
    present: usize,
) {
    if let Some(declared) = declared
        && declared != present
    {
        let message = format!("{declared} declared, {present} present; those present are used");
        warnings.push(Warning::new(Place::File, part, message));
    }
}
