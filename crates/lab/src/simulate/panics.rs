//! Panics of a search: caught where they unwind, told where they end the program.

use super::claims::Failure;
use std::any::Any;

/// The name of the claim that a panic breaks.
pub(super) const CLAIM: &str = "nothing panics";

/// Runs `act`; a panic is a failure. Where panics do not unwind, [`tell`] has to be used as well.
pub(super) fn caught(act: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
    ended.unwrap_or_else(|panic| Err(Failure::new(CLAIM, message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

/// Where a panic would end the program at once, one of another thread than the first is told, with the name of the thread,
/// which then waits until the program ends.
#[cfg(not(panic = "unwind"))]
pub(super) fn tell(told: impl Fn(Option<String>, String) + Send + Sync + 'static) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some("main") {
            return usual(panic);
        }
        let place = panic.location().map_or_else(String::new, |place| format!(" at {place}"));
        let name = std::thread::current().name().map(str::to_owned);
        told(name, format!("{}{place}", message(panic.payload())));
        loop {
            std::thread::park();
        }
    }));
}

/// Panics unwind: they are caught where they are.
#[cfg(panic = "unwind")]
pub(super) fn tell(_told: impl Fn(Option<String>, String) + Send + Sync + 'static) {}
