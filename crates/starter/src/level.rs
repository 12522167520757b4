//! The levels of x86-64 that this CPU and its operating system support.

/// The levels, best first. A level needs all levels below it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn supported() -> &'static [&'static str] {
    const LEVELS: [&str; 3] = ["x86-64-v4", "x86-64-v3", "x86-64-v2"];
    let below = if !has_v2() {
        3
    } else if !has_v3() {
        2
    } else {
        usize::from(!has_v4())
    };
    &LEVELS[below..]
}

/// On other CPUs there is nothing to choose from.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn supported() -> &'static [&'static str] {
    &[]
}

/// LAHF and SAHF belong to this level as well; the standard library can't ask for them. Every CPU with SSE 4.2 has them.
#[cfg(target_arch = "x86_64")]
fn has_v2() -> bool {
    is_x86_feature_detected!("cmpxchg16b")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("sse3")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("sse4.2")
}

#[cfg(target_arch = "x86_64")]
fn has_v3() -> bool {
    is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("xsave")
}

#[cfg(target_arch = "x86_64")]
fn has_v4() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}
