#!/usr/bin/env bash
# Runs the program under ThreadSanitizer and under AddressSanitizer: scripts/sanitize.sh [--short] [thread|address]
#
# Under each: the benchmark on threads under every algorithm; UCI searches that begin, ponder and are stopped under every algorithm,
# with options set in between; simulated searches on virtual processors, and on threads and on the ranks of a cluster whose messages
# are lost; and, without --short, the tests of the crates with threads or memory of their own. The first report ends it with exit
# code 66 or 67.
#
# ThreadSanitizer must see everything, so the standard library is built for it as well (the component rust-src of rustup), and
# coroutines announce their switches (crates/scheduler/src/coroutine.rs). One kind of leak is passed over
# (scripts/leaks.supp), nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

is_short=
if [ "${1:-}" = --short ]; then
    is_short=1
    shift
fi
kinds=("$@")
if [ ${#kinds[@]} -eq 0 ]; then kinds=(thread address); fi
if [ "$is_short" ]; then
    depth=8 cycles=3 searches=300 tree=tree:random:4:7:1
else
    depth=9 cycles=20 searches=5000 tree=tree:random:5:8:1
fi

# For options of the compiler that are not for stable versions.
export RUSTC_BOOTSTRAP=1
target=$(rustc -vV | sed -n 's/^host: //p')
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
export ASAN_OPTIONS="halt_on_error=1 exitcode=67"
export LSAN_OPTIONS="suppressions=scripts/leaks.supp print_suppressions=0"

step() { printf '\n== %s, %s s: %s\n' "$kind" "$SECONDS" "$1"; }

# Searches that begin and end, under every algorithm; every one must be answered.
uci_cycles() {
    local times=$1 expected=0 answers said
    said=$(
        for algorithm in "${algorithms[@]}"; do
            printf '%s\n' "setoption name Algorithm value $algorithm" "setoption name Threads value 8" isready
            for ((time = 0; time < times; time++)); do
                printf '%s\n' "setoption name MultiPV value $((1 + time % 3))" "position startpos moves e2e4" "go infinite"
                sleep "0.0$((1 + time * 7 % 9))"
                printf '%s\n' stop isready "go ponder wtime 1000 btime 1000 winc 10 binc 10"
                sleep 0.03
                printf '%s\n' ponderhit "go infinite" "setoption name Hash value $((1 + time % 4))" stop ucinewgame "go nodes 3000"
                sleep 0.05
            done
        done | "$program"
    )
    expected=$((4 * times * ${#algorithms[@]}))
    answers=$(grep -c '^bestmove [a-h]' <<<"$said")
    echo "$answers answers to $expected searches"
    [ "$answers" -eq "$expected" ]
}

for kind in "${kinds[@]}"; do
    export CARGO_TARGET_DIR="target/sanitize-$kind"
    how=(--target "$target" --profile fast)
    case $kind in
    thread)
        rustup component add rust-src
        export RUSTFLAGS="-Zsanitizer=thread --cfg tsan -C target-cpu=native"
        how+=(-Zbuild-std=std,panic_abort)
        ;;
    address)
        export RUSTFLAGS="-Zsanitizer=address -C target-cpu=native"
        how+=(-p jamboree-scheduler --features jamboree-scheduler/sanitizer)
        ;;
    *)
        echo "thread or address, not $kind"
        exit 2
        ;;
    esac
    step "build"
    cargo build --quiet "${how[@]}" -p jamboree
    program=$CARGO_TARGET_DIR/$target/fast/jamboree
    read -ra algorithms < <("$program" <<<"uci" | sed -n 's/^option name Algorithm .*default [^ ]* var //p' | sed 's/ var / /g')

    for algorithm in "${algorithms[@]}"; do
        step "bench on 8 threads, $algorithm"
        "$program" bench --machine threads --processors 8 --algorithm "$algorithm" --depth "$depth" | tail -1
    done

    step "UCI"
    uci_cycles "$cycles"

    step "simulated searches"
    "$program" lab simulate --seed 5 --searches "$searches" --jobs 2 | tail -1
    for algorithm in "${algorithms[@]}"; do
        [ "$algorithm" = serial ] && continue
        for machine in "threads processors=8" "ranks processors=2 faults=ranks=3" "ranks processors=2 faults=ranks=3,jitter=300,lost=50"; do
            step "$algorithm, $machine"
            "$program" lab simulate --replay "game=$tree depth=8 algorithm=$algorithm machine=$machine" | tail -1
        done
    done

    [ "$is_short" ] && continue
    for crate in scheduler table search cluster engine; do
        step "tests of $crate"
        cargo test --quiet "${how[@]}" -p "jamboree-$crate" --lib --tests
    done
done
