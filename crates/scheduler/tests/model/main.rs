//! The protocols of the scheduler, model-checked: every interleaving of a few threads, up to a number of preemptions.
//!
//! `RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom cargo test --release -p jamboree-scheduler --test model`
//!
//! | file | what |
//! |---|---|
//! | `split_points.rs` | join, leave, park, carry on, cut, recall |
//! | `requests.rs` | request, answer, defer; and from a request to a shared frame, a helper and the owner carried on |
//! | `sleeping.rs` | sleep and wake |

#![cfg(loom)]

mod requests;
mod sleeping;
mod split_points;

use loom::model::Builder;

/// Checks all interleavings, or those with at most that many preemptions.
fn check(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(model);
}
