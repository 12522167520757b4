//! Tests of the study as a whole.

use super::index::{Verdict, lines};
use super::*;
use crate::experiment::tests::Scratch;
use crate::report::Origin;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything, with searches that take a moment.
fn tiny(paper: Option<&str>) -> PapersSettings {
    let extent = Extent { size: Size::Quick, nodes: Some(1000), first: Some(2), repeats: Some(1) };
    PapersSettings { extent, paper: paper.map(str::to_owned), jobs: 2 }
}

/// Runs a study, and says how many searches were made.
fn run(settings: &PapersSettings, scratch: &Scratch) -> usize {
    let folder = Folder::open(scratch.path(), "v").unwrap();
    let made = AtomicUsize::new(0);
    let count = |progress: Progress<'_>| {
        made.fetch_add(usize::from(progress.last.is_some()), Ordering::Relaxed);
    };
    study(settings, &folder, Origin::here("v"), &count).unwrap();
    made.into_inner()
}

fn pairs(scratch: &Scratch) -> Vec<PaperPair> {
    let text = std::fs::read_to_string(scratch.path().join("papers.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_published_id_has_a_row_or_a_reason() {
    let scratch = Scratch::new("all");
    run(&tiny(None), &scratch);
    // Position 17 of the game is not among the first two.
    let missing: Vec<String> = lines(&pairs(&scratch), PAPERS)
        .into_iter()
        .filter(|line| line.verdict == Verdict::Missing && line.id != "dts-position-17-nodes")
        .map(|line| line.id)
        .collect();
    assert!(missing.is_empty(), "neither measured nor explained: {missing:?}");
}

#[test]
fn a_paper_is_added_to_those_in_the_folder_and_no_search_is_made_twice() {
    let scratch = Scratch::new("added");
    let first = run(&tiny(Some("cray-blitz")), &scratch);
    let alone = pairs(&scratch);
    assert!(first > 0 && alone.iter().all(|pair| pair.id.starts_with("cray-blitz")));
    assert!(run(&tiny(Some("socrates")), &scratch) > 0);
    let both = pairs(&scratch);
    assert!(both.iter().any(|pair| pair.id.starts_with("socrates")));
    assert_eq!(both.iter().filter(|pair| pair.id.starts_with("cray-blitz")).cloned().collect::<Vec<_>>(), alone);
    assert_eq!(run(&tiny(Some("cray-blitz")), &scratch), 0, "everything was there");
    assert_eq!(pairs(&scratch), both);
}

#[test]
fn a_paper_in_the_folder_keeps_the_extent_with_which_it_was_run() {
    let scratch = Scratch::new("extents");
    run(&tiny(Some("cray-blitz")), &scratch);
    let alone = pairs(&scratch);
    let mut larger = tiny(Some("socrates"));
    larger.extent.nodes = Some(2000);
    run(&larger, &scratch);
    let both = pairs(&scratch);
    assert!(both.iter().any(|pair| pair.id.starts_with("socrates")));
    assert_eq!(both.iter().filter(|pair| pair.id.starts_with("cray-blitz")).cloned().collect::<Vec<_>>(), alone);
    let page = std::fs::read_to_string(scratch.path().join("index.html")).unwrap();
    for words in ["visits 1000 nodes", "visits 2000 nodes"] {
        assert!(page.contains(words), "the page does not say '{words}'");
    }
}

#[test]
fn nothing_is_left_when_all_is_done() {
    let scratch = Scratch::new("outlook");
    let settings = tiny(Some("dts"));
    let left = |scratch: &Scratch| {
        let folder = Folder::open(scratch.path(), "v").unwrap();
        outlook(&settings, &folder).unwrap()
    };
    let before = left(&scratch);
    // Two positions by three algorithms on four machines, two serial searches and one that chooses the depth.
    assert_eq!(before.searches, 2 * (3 * 4 + 2 + 1));
    assert!(before.nodes > 0.0 && before.seconds() > 0.0);
    run(&settings, &scratch);
    assert_eq!(left(&scratch).searches, 0);
}

#[test]
fn an_unknown_paper_is_refused() {
    let scratch = Scratch::new("unknown");
    let folder = Folder::open(scratch.path(), "v").unwrap();
    let Err(error) = study(&tiny(Some("dtss")), &folder, Origin::here("v"), &|_| {}) else { panic!("no such paper") };
    assert!(error.to_string().contains("no paper 'dtss'"), "{error}");
}

#[test]
fn the_documentation_has_the_headlines_of_the_committed_results() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let table = read("results/papers-quick/headlines.md");
    assert!(
        read("papers.md").contains(&table),
        "docs/papers.md has not the table of results/papers-quick/headlines.md"
    );
}

#[test]
fn the_findings_count_as_the_committed_results_do() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let sentence = read("results/papers-quick/summary.txt");
    assert!(read("findings.md").contains(&format!("> {sentence}")), "docs/findings.md does not say: {sentence}");
}
