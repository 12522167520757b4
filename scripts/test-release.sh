#!/usr/bin/env bash
# Tests an archive made by scripts/release.sh: scripts/test-release.sh ARCHIVE. Needs root (for the chroot). In a bare Debian 11
# made with debootstrap, without Rust, and under qemu as older and newer CPUs, every build must visit the same nodes.
# Installs debootstrap and qemu-user if they are missing.
set -euo pipefail
archive=$(realpath "${1:?usage: scripts/test-release.sh ARCHIVE.tar.gz}")
cd "$(dirname "$0")/.."

fail() { echo "test-release.sh: $1" >&2; exit 1; }
pass() { echo "ok: $1"; }

[ "$(id -u)" = 0 ] || fail "a chroot needs root"
if ! command -v debootstrap > /dev/null || ! command -v qemu-x86_64 > /dev/null; then
    apt-get update -qq
    apt-get install -y -qq debootstrap qemu-user > /dev/null
fi
depth=${JAMBOREE_DEPTH:-6}
place=target/release-test
system=$PWD/$place/debian-11
mkdir -p "$place"
name=$(basename "$archive" .tar.gz)

(cd "$(dirname "$archive")" && sha256sum --quiet --check "$name.sha256") && pass "checksums"
if [ ! -e "$system/etc/debian_version" ]; then
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u | grep -v security | head -1)
    rm -rf "$system.new"
    debootstrap --variant=minbase bullseye "$system.new" "$site" > "$place/debootstrap.log"
    mv "$system.new" "$system"
fi
rm -rf "$system"/opt/jamboree-*
tar -xzf "$archive" -C "$system/opt"
folder=$system/opt/$name
for file in jamboree LICENSE-GPL LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt jamboree.cdx.json man/jamboree.1.gz \
    completions/jamboree.bash completions/_jamboree completions/jamboree.fish README.md docs/releases.md; do
    [ -s "$folder/$file" ] || fail "$file is missing"
done
pass "files"

# The node count of the benchmark that a command prints.
nodes() { "$@" 2> "$place/errors" | tail -1 | cut -d' ' -f1; }
inside() { chroot "$system" "$@"; }

! inside sh -c 'command -v rustc || command -v cargo || command -v cc' > /dev/null || fail "the chroot has a compiler"
wanted=$(nodes inside "/opt/$name/jamboree" bench --depth "$depth")
[ "$wanted" -gt 1000 ] || fail "bench in the chroot: $(cat "$place/errors")"
pass "bare $(inside cat /etc/debian_version | sed 's/^/Debian /') without /proc: $wanted nodes"
trap 'umount "$system/proc" 2> /dev/null || true' EXIT
mount -t proc proc "$system/proc"
inside ln -sf "/opt/$name/jamboree" /usr/local/bin/jamboree
[ "$(nodes inside jamboree bench --depth "$depth")" = "$wanted" ] || fail "other nodes through a link in PATH"
printf 'uci\nposition startpos\ngo depth 5\nquit\n' | inside jamboree | grep -q '^bestmove [a-h]' || fail "no UCI answer"
status=0
inside timeout -s TERM 1 jamboree < <(printf 'go infinite\n'; sleep 3) > /dev/null || status=$?
[ "$status" = 124 ] || fail "SIGTERM did not end it: $status"
umount "$system/proc"
pass "with /proc: a link in PATH, UCI, SIGTERM"
inside "/opt/$name/jamboree" --version | sed 's/^/    /'

# Every build that this CPU can run, on this CPU.
for level in x86-64-v2 x86-64-v3 x86-64-v4; do
    program=$folder/jamboree-$level
    if [ "$level" = x86-64-v4 ] && ! grep -q avx512vl /proc/cpuinfo; then
        echo "not tested: $level (this CPU lacks AVX-512)"
        continue
    fi
    [ "$(nodes "$program" bench --depth "$depth")" = "$wanted" ] || fail "$level: other nodes"
    "$program" --version | grep -q "built for: $level," || fail "$level: --version says something else"
    pass "$level on this CPU: $wanted nodes"
done

# As other CPUs. qemu runs one program: what the starter starts is then run by qemu, too.
newest=$(for model in GraniteRapids SapphireRapids EPYC-Genoa Icelake-Server EPYC-Milan; do
    qemu-x86_64 -cpu help | grep -ow "$model" || true; done | head -1)
for model in Nehalem Haswell "$newest" max; do
    as=(qemu-x86_64 -cpu "$model")
    level=$("${as[@]}" "$folder/jamboree" --version 2> "$place/errors" | sed -n 's/^built for: \([^,]*\),.*/\1/p')
    [ -n "$level" ] || fail "$model: the starter finds no build: $(tail -1 "$place/errors")"
    [ "$(nodes "${as[@]}" "$folder/jamboree-$level" bench --depth "$depth")" = "$wanted" ] || fail "$model: other nodes"
    pass "qemu as $model: the starter picks $level, $wanted nodes"
done

# Where nothing fits there is one line, not a crash.
refused() {
    local lines
    if "$@" > "$place/errors" 2>&1; then fail "not refused: $*"; fi
    lines=$(grep -v '^qemu-x86_64: warning' "$place/errors")
    [ "$(wc -l <<< "$lines")" = 1 ] && [[ $lines == jamboree:\ *CPU* ]] || fail "$*: $lines"
    echo "    $lines"
}
refused qemu-x86_64 -cpu Conroe "$folder/jamboree" bench
refused qemu-x86_64 -cpu Conroe "$folder/jamboree-x86-64-v2" bench
refused qemu-x86_64 -cpu Nehalem "$folder/jamboree-x86-64-v3" bench
refused qemu-x86_64 -cpu Haswell "$folder/jamboree-x86-64-v4" bench
pass "CPUs that are too old are told"
