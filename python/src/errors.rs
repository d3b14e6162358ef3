//! Errors of the library as exceptions that carry what and where.

use std::ffi::OsString;

use polyset::{LoadErrorKind, OpenError, Place};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// The exceptions as Python knows them.
mod raised {
    use super::{PyException, create_exception};

    create_exception!(polyset, Error, PyException, "Something that polyset cannot do.");
    create_exception!(polyset, OpenError, Error, "A file cannot be used.");
    create_exception!(polyset, RequestError, Error, "What was asked for does not exist.");
    create_exception!(polyset, WriteError, Error, "A file cannot be written.");
}

use raised::{Error, RequestError, WriteError};

/// An error on its way to Python.
#[derive(Debug)]
pub(crate) enum Trouble {
    Open(OpenError),
    Request(String),
    Write(String),
}

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

/// What does not exist or contradicts something else.
macro_rules! request {
    ($($error:ty),*) => { $(
        impl From<$error> for Trouble {
            fn from(error: $error) -> Self {
                Self::Request(error.to_string())
            }
        }
    )* };
}

request!(polyset::RequestError, polyset::DrawError, polyset::ImageError);

impl From<polyset::WriteError> for Trouble {
    fn from(error: polyset::WriteError) -> Self {
        Self::Write(error.to_string())
    }
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Open(error) => Python::attach(|py| open_error(py, &error)),
            Trouble::Request(message) => RequestError::new_err(message),
            Trouble::Write(message) => WriteError::new_err(message),
        }
    }
}

/// Attributes of an exception; what is not known is `None`.
#[derive(Default)]
struct Attributes<'a> {
    file: Option<OsString>,
    option: Option<&'a str>,
    kind: Option<&'a str>,
    part: Option<&'a str>,
    offset: Option<usize>,
    line: Option<u32>,
}

fn open_error(py: Python<'_>, error: &OpenError) -> PyErr {
    let mut attributes = Attributes::default();
    describe(error, &mut attributes);
    let is_request = attributes.file.is_none();
    let raised = match is_request {
        true => RequestError::new_err(error.to_string()),
        false => raised::OpenError::new_err(error.to_string()),
    };
    let value = raised.value(py);
    let Attributes { file, option, kind, part, offset, line } = attributes;
    let set = || {
        value.setattr("file", file)?;
        value.setattr("option", option)?;
        value.setattr("kind", kind)?;
        value.setattr("part", part)?;
        value.setattr("offset", offset)?;
        value.setattr("line", line)
    };
    set().err().unwrap_or(raised)
}

fn describe<'a>(error: &'a OpenError, attributes: &mut Attributes<'a>) {
    match error {
        OpenError::Read { file, .. } => {
            attributes.file = Some(file.to_os_string());
            attributes.kind = Some("unreadable");
        }
        OpenError::Load { file, source } => {
            attributes.file = Some(file.to_os_string());
            attributes.kind = Some(match source.kind() {
                LoadErrorKind::UnknownFormat => "unknown format",
                LoadErrorKind::UnsupportedVersion => "unsupported version",
                LoadErrorKind::Truncated => "truncated",
                LoadErrorKind::Mismatch => "mismatch",
                _ => "malformed",
            });
            attributes.part = Some(source.part());
            match source.place() {
                Place::Offset(offset) => attributes.offset = Some(offset),
                Place::Line(line) => attributes.line = Some(line),
                Place::File => {}
            }
        }
        OpenError::Image { file, .. } => {
            attributes.file = Some(file.to_os_string());
            attributes.kind = Some("picture");
        }
        OpenError::Option { option, source } => {
            attributes.option = Some(option);
            describe(source, attributes);
        }
        _ => {}
    }
}

/// Adds the exceptions to the module.
///
/// # Errors
/// If the interpreter refuses.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("OpenError", py.get_type::<raised::OpenError>())?;
    module.add("RequestError", py.get_type::<RequestError>())?;
    module.add("WriteError", py.get_type::<WriteError>())
}
