//! The page: one file without anything from elsewhere, which holds what it shows.

use serde::Serialize;

use super::{Counts, Pictures, Row};
use crate::thumbs::filled;

pub(super) const NAME: &str = "index.html";
/// The page without what it shows.
const PAGE: &str = include_str!("page.html");
/// What every such page begins with: only such a file is replaced.
pub(super) const MARK: &str = "<!doctype html>\n<!-- polyset report -->\n";

#[derive(Serialize)]
struct Data<'a> {
    counts: Counts,
    scenes: Vec<Scene<'a>>,
}

#[derive(Serialize)]
struct Scene<'a> {
    #[serde(flatten)]
    row: &'a Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<&'a str>,
}

pub(super) fn page(
    title: &str,
    counts: Counts,
    rows: &[Row],
    pictures: &[Pictures],
) -> std::io::Result<String> {
    let mut scenes = Vec::new();
    for (row, Pictures { expected, actual }) in rows.iter().zip(pictures) {
        let (expected, actual) = (expected.as_deref(), actual.as_deref());
        scenes.push(Scene { row, expected, actual });
    }
    filled(PAGE, title, &Data { counts, scenes })
}
