//! Does a run of the papers agree with the committed results? `data/claims.toml` has the claims and says how they are written.

use super::sheet::PaperPair;
use crate::experiment::LabError;
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;

/// The claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    claim: Vec<Claim>,
}

/// What we hold to be so.
#[derive(Clone, Debug, Deserialize)]
struct Claim {
    id: String,
    says: String,
    #[serde(flatten)]
    rule: Rule,
}

/// The name of a pair: id and quantity.
type Name = [String; 2];

/// When a claim holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "rule", rename_all = "lowercase")]
enum Rule {
    /// Each of our numbers is larger than the one before.
    Rising { pairs: Vec<Name> },
    /// Our numbers differ from the committed ones by no more than a share.
    Committed { pairs: Vec<Name>, tolerance: f64 },
    /// Our numbers differ from the published ones by no more than a share.
    Published { pairs: Vec<Name>, tolerance: f64 },
    /// All numbers but those of some ids differ from the committed ones by no more than a share.
    Same { except: Vec<String>, tolerance: f64 },
}

/// A claim, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedClaim {
    /// Its name.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Does it hold? None: the run has not what it is about.
    pub holds: Option<bool>,
    /// The numbers behind it.
    pub because: String,
}

static CLAIMS: LazyLock<Claims> =
    LazyLock::new(|| toml::from_str(include_str!("../../../data/claims.toml")).expect("built in, read by the tests"));

/// The largest file of pairs, in bytes.
const LARGEST: u64 = 1 << 26;

fn read(path: &Path) -> Result<String, LabError> {
    let bytes = jamboree_io::read_file(path, LARGEST).map_err(LabError::Read)?;
    String::from_utf8(bytes).map_err(|_| no_pairs(path, "it is no text"))
}

fn no_pairs(path: &Path, why: &str) -> LabError {
    LabError::Settings(format!("'{}' has no pairs of the papers: {why}", path.display()))
}

/// The pairs of a folder.
fn pairs(folder: &Path) -> Result<Vec<PaperPair>, LabError> {
    let path = folder.join("papers.json");
    serde_json::from_str(&read(&path)?).map_err(|error| no_pairs(&path, &error.to_string()))
}

/// Checks a run's folder claim by claim against the results of the same size below `committed`.
///
/// # Errors
/// If one of the folders has no pairs of the papers.
pub fn check(folder: &Path, committed: &Path) -> Result<Vec<CheckedClaim>, LabError> {
    let size = read(&folder.join("size.txt"))?;
    let committed = pairs(&committed.join(format!("papers-{}", size.trim())))?;
    let ours = pairs(folder)?;
    Ok(CLAIMS.claim.iter().map(|claim| judge(claim, &ours, &committed)).collect())
}

fn find<'a>(pairs: &'a [PaperPair], [id, quantity]: &Name) -> Option<&'a PaperPair> {
    pairs.iter().find(|pair| pair.id == *id && pair.quantity == *quantity)
}

/// Do two numbers differ by no more than a share of the second?
fn is_near(ours: f64, theirs: f64, tolerance: f64) -> bool {
    (ours - theirs).abs() <= tolerance * theirs.abs() + 1e-9
}

fn judge(claim: &Claim, ours: &[PaperPair], committed: &[PaperPair]) -> CheckedClaim {
    let all = |names: &[Name]| names.iter().map(|name| find(ours, name)).collect::<Option<Vec<_>>>();
    let beside = |names: &[Name], is_right: &dyn Fn(&PaperPair, Option<&PaperPair>) -> bool| {
        let found = all(names)?;
        let mut holds = true;
        let mut words = Vec::new();
        for (pair, name) in found.into_iter().zip(names) {
            let theirs = find(committed, name);
            let is_right = is_right(pair, theirs);
            holds &= is_right;
            let expected = theirs.map_or("nothing".to_owned(), |theirs| format!("{:.4}", theirs.ours));
            words.push(format!("{:.4} (committed {expected}, published {})", pair.ours, pair.published));
        }
        Some((holds, words.join(", ")))
    };
    let found = match &claim.rule {
        Rule::Rising { pairs } => all(pairs).map(|found| {
            let numbers: Vec<f64> = found.iter().map(|pair| pair.ours).collect();
            let words: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
            (numbers.is_sorted_by(|a, b| a < b), words.join(" < "))
        }),
        Rule::Committed { pairs, tolerance } => {
            beside(pairs, &|pair, theirs| theirs.is_some_and(|theirs| is_near(pair.ours, theirs.ours, *tolerance)))
        }
        Rule::Published { pairs, tolerance } => beside(pairs, &|pair, _| pair.is_within(*tolerance).unwrap_or(false)),
        Rule::Same { except, tolerance } => Some(same(ours, committed, except, *tolerance)),
    };
    let (holds, because) = match found {
        Some((holds, because)) => (Some(holds), because),
        None => (None, "not measured".to_owned()),
    };
    CheckedClaim { id: claim.id.clone(), says: claim.says.clone(), holds, because }
}

/// Are all numbers those that were committed?
fn same(ours: &[PaperPair], committed: &[PaperPair], except: &[String], tolerance: f64) -> (bool, String) {
    let mine = ours.iter().filter(|pair| !except.contains(&pair.id));
    let mut other = Vec::new();
    let mut compared = 0;
    for pair in mine {
        let name = [pair.id.clone(), pair.quantity.clone()];
        compared += 1;
        match find(committed, &name) {
            Some(theirs) if is_near(pair.ours, theirs.ours, tolerance) => {}
            Some(theirs) => {
                other.push(format!("{}, {}: {} instead of {}", pair.id, pair.quantity, pair.ours, theirs.ours))
            }
            None => other.push(format!("{}, {}: not committed", pair.id, pair.quantity)),
        }
    }
    let first = other.first().map_or_else(String::new, |first| format!("; the first is {first}"));
    (other.is_empty(), format!("{} of {compared} numbers differ{first}", other.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::Scratch;
    use crate::published::published;

    fn pair(id: &str, quantity: &str, ours: f64, ratio: f64) -> PaperPair {
        PaperPair {
            id: id.into(),
            quantity: quantity.into(),
            published: String::new(),
            ours,
            low: None,
            high: None,
            ratio: Some(ratio),
            why: String::new(),
        }
    }

    fn claim(rule: Rule) -> Claim {
        Claim { id: "c".into(), says: "s".into(), rule }
    }

    fn name(id: &str) -> Name {
        [id.into(), "q".into()]
    }

    #[test]
    fn claims_are_about_what_was_published() {
        for claim in &CLAIMS.claim {
            let names = match &claim.rule {
                Rule::Rising { pairs } | Rule::Committed { pairs, .. } | Rule::Published { pairs, .. } => pairs.clone(),
                Rule::Same { except, .. } => except.iter().map(|id| [id.clone(), String::new()]).collect(),
            };
            for [id, _] in names {
                assert!(published().table(&id).is_some() || published().value(&id).is_some(), "{}: {id}", claim.id);
            }
        }
    }

    #[test]
    fn each_rule_holds_or_does_not() {
        let ours = [pair("a", "q", 1.0, 0.9), pair("b", "q", 2.0, 1.2)];
        let committed = [pair("a", "q", 1.05, 0.9), pair("b", "q", 2.0, 1.2)];
        let holds = |rule| judge(&claim(rule), &ours, &committed).holds;
        assert_eq!(holds(Rule::Rising { pairs: vec![name("a"), name("b")] }), Some(true));
        assert_eq!(holds(Rule::Rising { pairs: vec![name("b"), name("a")] }), Some(false));
        assert_eq!(holds(Rule::Rising { pairs: vec![name("a"), name("x")] }), None);
        assert_eq!(holds(Rule::Committed { pairs: vec![name("a")], tolerance: 0.05 }), Some(true));
        assert_eq!(holds(Rule::Committed { pairs: vec![name("a")], tolerance: 0.01 }), Some(false));
        assert_eq!(holds(Rule::Published { pairs: vec![name("a"), name("b")], tolerance: 0.2001 }), Some(true));
        assert_eq!(holds(Rule::Published { pairs: vec![name("a"), name("b")], tolerance: 0.15 }), Some(false));
        assert_eq!(holds(Rule::Same { except: Vec::new(), tolerance: 0.01 }), Some(false));
        assert_eq!(holds(Rule::Same { except: vec!["a".into()], tolerance: 0.01 }), Some(true));
    }

    #[test]
    fn a_planted_deviation_is_found() {
        let scratch = Scratch::new("check");
        let (run, results) = (scratch.path().join("run"), scratch.path().join("results"));
        let write = |folder: &Path, pairs: &[PaperPair]| {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("size.txt"), "quick\n").unwrap();
            std::fs::write(folder.join("papers.json"), crate::report::json(pairs)).unwrap();
        };
        let pairs = [pair("dts-3", "16 processors", 11.0, 0.99), pair("dts-6", "mean, 16 CPU", 11.0, 0.99)];
        write(&results.join("papers-quick"), &pairs);
        write(&run, &pairs);
        let failed = |run: &Path| {
            let claims = check(run, &results).unwrap();
            claims.iter().filter(|claim| claim.holds == Some(false)).count()
        };
        assert_eq!(failed(&run), 0);
        write(&run, &[pair("dts-3", "16 processors", 7.0, 0.63), pairs[1].clone()]);
        assert!(failed(&run) > 0);
        std::fs::write(run.join("papers.json"), "[]").unwrap();
        assert!(check(&run, &scratch.path().join("nowhere")).is_err());
    }
}
