//! The results of the lab: which pages there are in its folder, and where their files lie.

use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The name of the page in the folder of an experiment.
const PAGE: &str = "index.html";
/// The title of a page stands among its first bytes.
const HEAD: u64 = 4096;

/// A page of results.
#[derive(Debug, Serialize)]
pub(crate) struct Finished {
    /// The folder, below that of all results.
    name: String,
    /// The address of the page.
    page: String,
    /// What the page is about.
    title: String,
    /// When it was written last, in milliseconds since 1970.
    written: u64,
}

/// The pages of a folder: its own (the papers' page may lie there), those of its folders and of the folders in them; the newest first.
pub(crate) fn list(folder: &Path) -> Vec<Finished> {
    let mut names = vec![String::new()];
    for outer in folders(folder) {
        names.extend(folders(&folder.join(&outer)).into_iter().map(|inner| format!("{outer}/{inner}")));
        names.push(outer);
    }
    let mut pages: Vec<Finished> = names.into_iter().filter_map(|name| Finished::find(folder, name)).collect();
    pages.sort_by(|one, other| other.written.cmp(&one.written).then_with(|| one.name.cmp(&other.name)));
    pages
}

/// The names of the folders in a folder. Links are not followed.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

impl Finished {
    /// The page of a folder, if it has one.
    fn find(results: &Path, name: String) -> Option<Finished> {
        let mut file = File::open(results.join(&name).join(PAGE)).ok()?;
        let about = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let written = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis() as u64;
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head).ok()?;
        let title = title(&String::from_utf8_lossy(&head)).unwrap_or_else(|| name.clone());
        let address: Vec<String> = name.split('/').filter(|part| !part.is_empty()).map(encoded).collect();
        let page = ["/results"].into_iter().chain(address.iter().map(String::as_str)).chain([PAGE]);
        Some(Finished { page: page.collect::<Vec<_>>().join("/"), name, title, written })
    }
}

/// The title of a page.
fn title(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("<title>")?;
    let (title, _) = rest.split_once("</title>")?;
    Some(title.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
}

/// A name as it stands in an address.
fn encoded(name: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(one).collect()
}

/// A file of the results, if the path leads to nowhere else.
pub(crate) fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let found = folder.join(path).canonicalize().ok()?;
    (is_plain && found.is_file() && found.starts_with(folder.canonicalize().ok()?)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn only_files_of_the_results_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        std::fs::create_dir_all(results.join("a")).unwrap();
        std::fs::write(results.join("a/index.html"), "page").unwrap();
        std::fs::write(folder.path().join("secret"), "no").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), results.join("a/link")).unwrap();
        assert!(file(&results, "a/index.html").is_some());
        for path in ["../secret", "a/../../secret", "/etc/passwd", "a", "", "a/link", "a/none"] {
            assert_eq!(file(&results, path), None, "{path}");
        }
    }

    #[test]
    fn pages_are_listed_with_their_titles_the_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let pages = [
            ("", "The papers"),
            ("old", "A &amp; B"),
            ("papers/zugzwang 1", "x"),
            ("deep/er/still", "no"),
            ("new", ""),
        ];
        for (age, (name, title)) in pages.into_iter().enumerate() {
            let page = folder.path().join(name).join(PAGE);
            std::fs::create_dir_all(page.parent().unwrap()).unwrap();
            let text = if title.is_empty() { "no title".into() } else { format!("<title>{title}</title>") };
            std::fs::write(&page, text).unwrap();
            let time = SystemTime::now() - Duration::from_secs(1000 - 10 * age as u64);
            File::options().write(true).open(&page).unwrap().set_modified(time).unwrap();
        }
        let found = list(folder.path());
        let told: Vec<(&str, &str)> = found.iter().map(|page| (page.page.as_str(), page.title.as_str())).collect();
        assert_eq!(
            told,
            [
                ("/results/new/index.html", "new"),
                ("/results/papers/zugzwang%201/index.html", "x"),
                ("/results/old/index.html", "A & B"),
                ("/results/index.html", "The papers"),
            ]
        );
        assert!(list(&folder.path().join("none")).is_empty());
    }
}
