//! Every line of an EPD file is a record or an error of that line; a record that is written in the plainest form is read again.

#![no_main]

use lab::epd::{self, EpdRecord};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lines = text.lines().count();
    for found in epd::read(text) {
        match found {
            Ok(record) => assert_eq!(epd::read(&written(&record)), [Ok(record)]),
            Err(error) => assert!((1..=lines).contains(&error.line) && !error.message.contains('\n'), "{error}"),
        }
    }
});

fn written(record: &EpdRecord) -> String {
    let operation = |(opcode, operands): &(String, Vec<String>)| {
        let operands: String = operands.iter().map(|operand| format!(" {}", quoted(operand))).collect();
        format!(" {opcode}{operands};")
    };
    format!("{}{}", record.fen, record.operations.iter().map(operation).collect::<String>())
}

/// An operand that has quotation marks inside stands without them around it.
fn quoted(operand: &str) -> String {
    if operand.contains('"') { operand.to_string() } else { format!("\"{operand}\"") }
}
