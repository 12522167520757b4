#!/usr/bin/env bash
# Runs the fuzz targets in turn: scripts/fuzz.sh [SECONDS for each, 60] [TARGET...]
#
# For each it prints the inputs of this run, inputs a second, and how many edges of the program the corpus reaches. fuzz/totals.tsv adds up
# the inputs and seconds of all runs. What a target finds is kept in fuzz/artifacts, with the command that replays it. The corpus grows
# in fuzz/corpus, which git does not keep; fuzz/seeds is where it begins.
#
# SANITIZER=address builds with AddressSanitizer, at about half the speed.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
sanitizer=${SANITIZER:-none}
cargo fuzz --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-fuzz

# Options of the compiler that say how an input went are not for stable versions.
export RUSTC_BOOTSTRAP=1
features=()
if [ "$sanitizer" = address ]; then features=(--features address); fi
build=(--sanitizer "$sanitizer" --target-dir "target/fuzz-$sanitizer" "${features[@]}")
cargo fuzz build "${build[@]}"

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then mapfile -t targets < <(cargo fuzz list); fi

totals=fuzz/totals.tsv
[ -e "$totals" ] || printf 'target\tinputs\tseconds\n' >"$totals"
failed=0
for target in "${targets[@]}"; do
    corpus=fuzz/corpus/$target artifacts=fuzz/artifacts/$target
    mkdir -p "$corpus" "$artifacts"
    dictionary=()
    if [ -e "fuzz/dictionaries/$target" ]; then dictionary=("-dict=fuzz/dictionaries/$target"); fi
    log=$artifacts/last-run.log
    status=0
    "target/fuzz-$sanitizer/x86_64-unknown-linux-gnu/release/$target" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$artifacts/" "${dictionary[@]}" "$corpus" "fuzz/seeds/$target" >"$log" 2>&1 || status=$?
    inputs=$(grep -aoP '^stat::number_of_executed_units: \K\d+' "$log" || echo 0)
    a_second=$(grep -aoP '^stat::average_exec_per_sec: *\K\d+' "$log" || echo 0)
    edges=$(grep -aoP ' cov: \K\d+' "$log" | tail -1 || echo 0)
    files=$(find "$corpus" -type f | wc -l)
    printf '%-26s %12s inputs %9s a second %7s edges %7s files\n' "$target" "$inputs" "$a_second" "$edges" "$files"
    awk -v target="$target" -v inputs="$inputs" -v seconds="$seconds" 'BEGIN { FS = OFS = "\t" }
        $1 == target { $2 += inputs; $3 += seconds; found = 1 } { print } END { if (!found) print target, inputs, seconds }' \
        "$totals" >"$totals.new"
    mv "$totals.new" "$totals"
    if [ "$status" -ne 0 ]; then
        failed=1
        grep -am2 -A2 'panicked at\|ERROR: ' "$log" || tail -3 "$log"
        for found in "$artifacts"/{crash,oom,timeout,leak}-*; do
            [ -e "$found" ] && echo "  RUSTC_BOOTSTRAP=1 cargo fuzz run ${build[*]} $target $found"
        done
    fi
done
awk -F'\t' 'NR > 1 { inputs += $2; seconds += $3 } END { printf "%d inputs in %d seconds in all runs (fuzz/totals.tsv)\n", inputs, seconds }' "$totals"
exit "$failed"
