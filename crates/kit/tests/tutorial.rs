//! The code of docs/your-own-game.md is the example `breakthrough`, which is compiled, tested and run.

const PAGE: &str = include_str!("../../../docs/your-own-game.md");
const EXAMPLE: &str = include_str!("../examples/breakthrough.rs");

/// The Rust code of a page, block by block, without empty lines.
fn rust_lines(page: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        match line {
            "```rust" => is_code = true,
            "```" => is_code = false,
            _ if is_code => lines.push(line),
            _ => {}
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[test]
fn the_page_and_the_example_have_the_same_code() {
    let example: Vec<&str> = EXAMPLE.lines().filter(|line| !line.is_empty()).collect();
    let page = rust_lines(PAGE);
    for (number, (page, example)) in page.iter().zip(&example).enumerate() {
        assert_eq!(page, example, "line {number} of the code, without empty lines");
    }
    assert_eq!(page.len(), example.len());
}

#[test]
fn the_page_names_the_version_of_rust_that_the_crates_need() {
    let manifest = include_str!("../../../Cargo.toml");
    let needed = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a version");
    assert!(PAGE.contains(&format!("Rust {} or newer", needed.trim_matches('"'))));
}
