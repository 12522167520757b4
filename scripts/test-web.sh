#!/usr/bin/env bash
# Drives the page in a real browser: scripts/test-web.sh [PROGRAM]. Installs Chromium and Playwright by package name if they are missing.
# Endgame tables are tried if they are at hand: JAMBOREE_SYZYGY names their folder, or scripts/get-syzygy.sh has fetched them.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/release/jamboree}

missing() { ! command -v "$1" > /dev/null; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
packages=()
missing chromium && packages+=(chromium)
missing npm && packages+=(nodejs npm)
if [ ${#packages[@]} -gt 0 ]; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq "${packages[@]}" > /dev/null
fi
mkdir -p target/web
[ -d target/web/node_modules/playwright-core ] || npm install --silent --no-fund --no-audit --prefix target/web playwright-core

log=target/web/serve.log
results=$(mktemp -d)
# A Polyglot book for the usual start: e2e4 with weight 3, d2d4 with weight 1.
key='\x46\x3b\x96\x18\x16\x91\xfc\x9c'
printf "$key"'\x03\x1c\x00\x03\x00\x00\x00\x00'"$key"'\x02\xdb\x00\x01\x00\x00\x00\x00' > target/web/book.bin
options=(--book target/web/book.bin)
if [ -z "${JAMBOREE_SYZYGY:-}" ] && [ -e target/syzygy/done ]; then JAMBOREE_SYZYGY=target/syzygy; fi
[ -n "${JAMBOREE_SYZYGY:-}" ] && options+=(--syzygy "$JAMBOREE_SYZYGY")
"$program" serve --port 0 --results "$results" "${options[@]}" > "$log" &
server=$!
trap 'kill "$server" 2> /dev/null || true; rm -rf "$results"' EXIT
for _ in $(seq 100); do
    grep -q http "$log" && break
    sleep 0.1
done
TABLES=${JAMBOREE_SYZYGY:+yes} BOOK=yes NODE_PATH=$PWD/target/web/node_modules node scripts/web-drive.mjs "$(head -1 "$log")"

# The plots of a lab page, as the server shows it, and as a file.
"$program" lab speedup --first 2 --nodes 3000 --processors 1,2,4 --out "$results/plots" > /dev/null
NODE_PATH=$PWD/target/web/node_modules node scripts/check-plots.mjs "$results/plots" "$(head -1 "$log")results/plots/index.html"
NODE_PATH=$PWD/target/web/node_modules node scripts/check-plots.mjs "$results/plots"

kill -INT "$server"
wait "$server"
