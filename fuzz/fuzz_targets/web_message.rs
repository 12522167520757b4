//! Every message of a page that needs no engine is answered with one JSON object in bounded length.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Some(answer) = web::answer_at_once(text) else { return };
    assert!(answer.starts_with("{\"id\":") && answer.ends_with('}') && !answer.contains('\n'), "{answer}");
    // A move of a message takes five bytes; its answer has the board after it.
    assert!(answer.len() < 10_000 + 200 * text.len(), "{} bytes", answer.len());
});
