//! What this build is: version, commit, instruction set; and whether it can run on this CPU.

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
fn network_path() -> &'static str {
    if is_x86_feature_detected!("avx512bw") {
        "AVX-512"
    } else if is_x86_feature_detected!("avx2") {
        "AVX2"
    } else {
        "plain code"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn network_path() -> &'static str {
    "plain code"
}

/// Why this build can't run on this CPU, if it can't: one line that says what to do.
pub(crate) fn misfit() -> Option<String> {
    let lacking = lacking();
    (!lacking.is_empty()).then(|| {
        let build = env!("JAMBOREE_CPU");
        format!(
            "this build is for {build}, and this CPU lacks {}; start the 'jamboree' of a release, which picks a build \
             that fits, or build from source on this computer",
            lacking.join(", ")
        )
    })
}

/// The instructions that this build uses and this CPU lacks. The standard library's macro says yes to everything the build
/// was compiled for, so the CPU itself is asked.
#[cfg(target_arch = "x86_64")]
fn lacking() -> Vec<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let most = |first: u32| __cpuid(first).eax;
    let basic = __cpuid(1);
    let (extended, more) = if most(0) >= 7 { (__cpuid_count(7, 0).ebx, __cpuid_count(7, 0).ecx) } else { (0, 0) };
    let amd = if most(0x8000_0000) > 0x8000_0000 { __cpuid(0x8000_0001).ecx } else { 0 };
    let wanted = [
        ("SSE4.2", cfg!(target_feature = "sse4.2"), basic.ecx, 20),
        ("POPCNT", cfg!(target_feature = "popcnt"), basic.ecx, 23),
        ("AVX", cfg!(target_feature = "avx"), basic.ecx, 28),
        ("FMA", cfg!(target_feature = "fma"), basic.ecx, 12),
        ("MOVBE", cfg!(target_feature = "movbe"), basic.ecx, 22),
        ("BMI1", cfg!(target_feature = "bmi1"), extended, 3),
        ("AVX2", cfg!(target_feature = "avx2"), extended, 5),
        ("BMI2", cfg!(target_feature = "bmi2"), extended, 8),
        ("LZCNT", cfg!(target_feature = "lzcnt"), amd, 5),
        ("AVX512F", cfg!(target_feature = "avx512f"), extended, 16),
        ("AVX512DQ", cfg!(target_feature = "avx512dq"), extended, 17),
        ("AVX512CD", cfg!(target_feature = "avx512cd"), extended, 28),
        ("AVX512BW", cfg!(target_feature = "avx512bw"), extended, 30),
        ("AVX512VL", cfg!(target_feature = "avx512vl"), extended, 31),
        ("AVX512VBMI", cfg!(target_feature = "avx512vbmi"), more, 1),
        ("AVX512VBMI2", cfg!(target_feature = "avx512vbmi2"), more, 6),
        ("AVX512VNNI", cfg!(target_feature = "avx512vnni"), more, 11),
        ("AVX512BITALG", cfg!(target_feature = "avx512bitalg"), more, 12),
        ("AVX512VPOPCNTDQ", cfg!(target_feature = "avx512vpopcntdq"), more, 14),
    ];
    wanted.into_iter().filter(|(_, used, word, bit)| *used && word >> bit & 1 == 0).map(|(name, ..)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn lacking() -> Vec<&'static str> {
    Vec::new()
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

    #[test]
    fn a_build_that_runs_fits_its_cpu() {
        assert_eq!(misfit(), None);
    }
}
