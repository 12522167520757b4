#!/usr/bin/env bash
# Where the cycles go, in the classes of StarTech's figure 9. Needs: perf (Debian: linux-perf), a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
data=$(mktemp)
perf record --quiet --event cpu-clock --output "$data" ./target/release/jamboree bench "$@" | tail -1
perf report --input "$data" --no-children --stdio 2>/dev/null | awk '
    !/^ *[0-9.]+%/ { next }
    { share = $1 + 0; name = $0 }
    name ~ /evaluation|endgame_scale/         { class["static evaluation"] += share; next }
    name ~ /Rules.*next|picker|movegen/       { class["making and ordering moves"] += share; next }
    name ~ /see::/                            { class["static exchange evaluation"] += share; next }
    name ~ /look_up|Strand.*store|permille/   { class["transposition table"] += share; next }
    name ~ /corrected|histories|learn/        { class["histories and corrections"] += share; next }
    name ~ /play|Path/                        { class["moving the pieces on the board"] += share; next }
    name ~ /ended|is_legal|checks/            { class["repetition, draws, legality, checks"] += share; next }
    name ~ /search::|Rules|rules|Strand/      { class["control flow of the search, pruning rules"] += share; next }
    { class["kernel and everything else"] += share }
    END { for (name in class) printf "%5.1f %%  %s\n", class[name], name }' | sort -rn
rm -f "$data"
