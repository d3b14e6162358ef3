//! Libraries of windows panic where there is an error: when a library of the system is missing, or when
//! the display is gone. Here those are errors.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs what may panic.
///
/// # Errors
/// If it did: what it said, in one line.
pub(super) fn quietly<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                hook(panic);
            }
        }));
    });
    IS_QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    IS_QUIET.set(false);
    result.map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        said.and_then(|said| said.lines().next()).unwrap_or("the window's library failed").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors_of_one_line() {
        assert_eq!(quietly(|| 3), Ok(3));
        let number = 7;
        assert_eq!(quietly(|| panic!("lost {number}\nat a place")), Err::<(), _>("lost 7".into()));
        assert_eq!(quietly(|| panic!("lost")), Err::<(), _>("lost".into()));
    }
}
