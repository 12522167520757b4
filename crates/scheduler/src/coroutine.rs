//! Coroutines, as ThreadSanitizer must see them.
//!
//! ThreadSanitizer keeps a history for each thread. A coroutine that goes on on another thread would spoil the histories of both. In a
//! build for it (`--cfg tsan`, `scripts/sanitize.sh`) each coroutine has a history of its own, a *fiber*, and every switch is announced.
//! In all other builds this is corosensei's coroutine and nothing else.

#[cfg(tsan)]
pub(crate) use announced::Coroutine;
#[cfg(not(tsan))]
pub(crate) use corosensei::Coroutine;

#[cfg(tsan)]
mod announced {
    use corosensei::stack::DefaultStack;
    use corosensei::{CoroutineResult, Yielder};
    use std::ffi::{c_uint, c_void};
    use std::mem::ManuallyDrop;

    unsafe extern "C" {
        fn __tsan_get_current_fiber() -> *mut c_void;
        fn __tsan_create_fiber(flags: c_uint) -> *mut c_void;
        fn __tsan_destroy_fiber(fiber: *mut c_void);
        fn __tsan_switch_to_fiber(fiber: *mut c_void, flags: c_uint);
    }

    /// A coroutine whose switches are announced.
    pub(crate) struct Coroutine<Input, Yield, Return> {
        inner: ManuallyDrop<corosensei::Coroutine<Input, Yield, Return>>,
        fiber: *mut c_void,
    }

    impl<Input, Yield, Return> Coroutine<Input, Yield, Return> {
        /// # Safety
        /// As for corosensei's coroutine.
        pub(crate) unsafe fn with_stack_unchecked(
            stack: DefaultStack,
            run: impl FnOnce(&Yielder<Input, Yield>, Input) -> Return,
        ) -> Self {
            // SAFETY: by the contract of this function.
            let inner = unsafe { corosensei::Coroutine::with_stack_unchecked(stack, run) };
            // SAFETY: the fiber is destroyed when the coroutine is.
            Coroutine { inner: ManuallyDrop::new(inner), fiber: unsafe { __tsan_create_fiber(0) } }
        }

        pub(crate) fn resume(&mut self, input: Input) -> CoroutineResult<Yield, Return> {
            let _on_fiber = OnFiber::of(self.fiber);
            self.inner.resume(input)
        }

        pub(crate) fn into_stack(self) -> DefaultStack {
            let mut this = ManuallyDrop::new(self);
            // SAFETY: nothing uses the coroutine or its fiber after this, and `this` is not dropped.
            unsafe {
                __tsan_destroy_fiber(this.fiber);
                ManuallyDrop::take(&mut this.inner).into_stack()
            }
        }
    }

    impl<Input, Yield, Return> Drop for Coroutine<Input, Yield, Return> {
        fn drop(&mut self) {
            let on_fiber = OnFiber::of(self.fiber);
            // SAFETY: it is dropped once, here; a coroutine that is suspended unwinds on its own stack.
            unsafe { ManuallyDrop::drop(&mut self.inner) };
            drop(on_fiber);
            // SAFETY: the coroutine is gone, and this thread is not on its fiber any more.
            unsafe { __tsan_destroy_fiber(self.fiber) };
        }
    }

    /// What happens belongs to a fiber, until this is dropped.
    ///
    /// Both functions are part of their callers: a fiber notes where functions begin and end, and a function that began on one fiber
    /// must not end on another.
    struct OnFiber {
        before: *mut c_void,
    }

    impl OnFiber {
        #[inline(always)]
        fn of(fiber: *mut c_void) -> OnFiber {
            // SAFETY: the fiber exists, and no other thread is on it: a coroutine is run by one thread at a time.
            unsafe {
                let before = __tsan_get_current_fiber();
                __tsan_switch_to_fiber(fiber, 0);
                OnFiber { before }
            }
        }
    }

    impl Drop for OnFiber {
        #[inline(always)]
        fn drop(&mut self) {
            // SAFETY: this thread was on that fiber before, and nothing else can be on it.
            unsafe { __tsan_switch_to_fiber(self.before, 0) };
        }
    }
}
