#!/usr/bin/env bash
# A match with error bars, by fastchess (on the PATH, or named by FASTCHESS).
#
#   scripts/match.sh time  OPPONENT TIME-CONTROL GAMES OPENINGS [fastchess arguments for the opponent]
#   scripts/match.sh rules RULES    NODES        GAMES OPENINGS
#
# `time`:  we against another UCI engine, for example  scripts/match.sh time glaurung 3+0.03 200 8moves_v3.pgn
# `rules`: we with other rules against ourselves, at fixed nodes a move, for example
#          scripts/match.sh rules modern,-null_move 6000 400 noob_3moves.epd   (below zero: the rule helps)
set -euo pipefail
fastchess=${FASTCHESS:-fastchess}
us=${JAMBOREE:-$(dirname "$0")/../target/release/jamboree}
kind=$1 what=$2 limit=$3 games=$4 openings=$5
shift 5
# fastchess leaves a config.json where it runs.
[ -e "$us" ] && us=$(realpath "$us")
[ "$kind" = time ] && [ -e "$what" ] && what=$(realpath "$what")
openings=$(realpath "$openings")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
common=(-openings file="$openings" format="${openings##*.}" order=random -srand "${SEED:-1}" -rounds $((games / 2))
    -games 2 -repeat -concurrency "$(nproc)" -ratinginterval 0 -scoreinterval 0
    -draw movenumber=40 movecount=8 score=10 -resign movecount=4 score=800)
case $kind in
time)
    "$fastchess" -engine cmd="$us" name=jamboree -engine cmd="$what" name="$(basename "$what")" "$@" \
        -each tc="$limit" option.Hash=64 option.Threads=1 "${common[@]}"
    ;;
rules)
    "$fastchess" -engine cmd="$us" name="$what" option.Rules="$what" -engine cmd="$us" name=modern \
        -each tc=inf nodes="$limit" option.Hash=16 "${common[@]}"
    ;;
*)
    echo "the first argument is 'time' or 'rules'" >&2
    exit 2
    ;;
esac | grep -v "doesn't have option" |
    grep -E '^(Elo|LOS|Games|Ptnml)|loses on time|illegal|disconnect|stall|crash|Warning'
