//! What counts as a difference, from the options of `polyset compare`.

use super::file::{SceneFileError, Setting};
use crate::compare::{Allowance, Tolerance};

/// The tolerance that some rows say.
pub(super) fn tolerance(rows: &[Setting]) -> Result<Tolerance, SceneFileError> {
    let row = |name| rows.iter().find(|setting| setting.row.name == name);
    let text = |setting: &Setting| {
        setting.values.first().map(|value| value.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let metric = row("metric").map(|setting| (setting, text(setting)));
    let metric = metric.map(|(setting, text)| {
        text.parse()
            .map_err(|error: crate::error::RequestError| setting.place.error(error.to_string()))
    });
    let threshold = row("threshold").and_then(|setting| text(setting).parse().ok());
    let tolerance = Tolerance::new(metric.transpose()?, threshold).map_err(|error| {
        let said = row("threshold").or_else(|| row("metric"));
        said.map_or_else(
            || unreachable!("nothing that was not said is wrong"),
            |setting| setting.place.error(error.to_string()),
        )
    })?;
    let allowance: Option<Allowance> =
        row("max-differing").and_then(|setting| text(setting).parse().ok());
    let tolerance = tolerance.max_differing(allowance.unwrap_or_default());
    let regions = row("ignore-region").into_iter().flat_map(|setting| &setting.values);
    let regions = regions.filter_map(|value| value.to_str()?.parse().ok());
    Ok(tolerance.ignoring(regions.collect()))
}
