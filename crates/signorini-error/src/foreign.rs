//! Readers of other libraries, whose asserts about files are errors to us.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Number of [`without_panic`] that this thread is in.
    static GUARDS: Cell<usize> = const { Cell::new(0) };
}

/// The result of a reader. Its panic prints nothing and is an error with the text of the panic.
///
/// # Errors
/// When the reader panics.
pub fn without_panic<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if GUARDS.get() == 0 {
                usual(panic);
            }
        }));
    });
    GUARDS.set(GUARDS.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDS.set(GUARDS.get() - 1);
    outcome.map_err(|panic| text_of(&*panic))
}

/// The first line of what a panic says.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a word");
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_panic;

    #[test]
    fn a_panic_is_an_error_and_the_next_reader_reads() {
        assert_eq!(without_panic(|| 7), Ok(7));
        let outer = without_panic(|| {
            let inner: Result<(), _> = without_panic(|| panic!("index {}\nmore", 3));
            assert_eq!(inner, Err("index 3".to_owned()));
            panic!("outer");
        });
        assert_eq!(outer, Err::<(), _>("outer".to_owned()));
    }
}
