//! What this build is: version, commit, instruction set.

use std::sync::LazyLock;

/// The version, and the commit where the build knew it.
pub(crate) const VERSION: &str = env!("JAMBOREE_VERSION");

/// What `--version` says.
pub(crate) static LONG: LazyLock<String> = LazyLock::new(|| {
    let [version, commit, cpu] = [env!("CARGO_PKG_VERSION"), env!("JAMBOREE_COMMIT"), env!("JAMBOREE_CPU")];
    let (system, network) = (std::env::consts::OS, network_path());
    format!("{version}\ncommit: {commit}\nbuilt for: {cpu}, {system}\nnetwork computed with: {network}")
});

/// The instructions that compute the network on this CPU.
#[cfg(target_arch = "x86_64")]
pub(crate) fn network_path() -> &'static str {
    if is_x86_feature_detected!("avx512bw") {
        "AVX-512"
    } else if is_x86_feature_detected!("avx2") {
        "AVX2"
    } else {
        "plain code"
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn network_path() -> &'static str {
    "plain code"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_says_from_what_and_for_what_it_was_built() {
        let lines: Vec<&str> = LONG.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with("commit: ") && lines[2].starts_with("built for: "), "{lines:?}");
        assert!(VERSION.starts_with(lines[0]));
    }
}
