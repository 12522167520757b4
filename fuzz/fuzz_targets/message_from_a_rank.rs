//! Bytes from another rank are refused, or they are a message within its limits that is written as it was read. Neither takes much
//! more memory than the bytes.

#![no_main]

use cluster::Message;
use jamboree_fuzz::{CountingAllocator, most_allocated};
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// What may be taken in advance for a list, whatever length a message claims for it.
const ADVANCE: usize = 2 << 20;

fuzz_target!(|bytes: &[u8]| {
    let (message, most) = most_allocated(|| Message::from_bytes(bytes));
    assert!(most <= ADVANCE + 64 * bytes.len(), "{most} bytes for a message of {}", bytes.len());
    let Some(message) = message else { return };
    assert_eq!(Message::from_bytes(&message.to_bytes()).as_ref(), Some(&message));
    for (from, to) in [(0, 1), (1, 0), (1, 2)] {
        message.may_travel(from, to);
    }
    match message {
        Message::Work { task, .. } => {
            if let Some(task) = task.check() {
                assert!(task.window.alpha < task.window.beta && task.depth > 0);
            }
        }
        Message::Return { result: Some(result), .. } => {
            if let Some(result) = result.check() {
                assert!(result.span <= result.nodes);
            }
        }
        _ => {}
    }
});
