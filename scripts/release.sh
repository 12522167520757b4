#!/usr/bin/env bash
# Makes the archive of a release for x86-64 Linux, its bill of materials and checksums: scripts/release.sh [FOLDER]
# (target/dist if none is named). docs/releases.md says what is in it. scripts/test-release.sh tests it.
#
# Variables: JAMBOREE_TRIAL=1 allows changes that are not committed; JAMBOREE_GLIBC=host links with the C library of this system
# instead of that of Debian 11. To work on this script: JAMBOREE_PROFILE=fast builds faster, JAMBOREE_LEVELS="x86-64-v3" makes
# fewer builds.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "release.sh: $1" >&2; exit 1; }

out=$(realpath -m "${1:-target/dist}")
profile=${JAMBOREE_PROFILE:-release}
triple=x86_64-unknown-linux-gnu
read -ra levels <<< "${JAMBOREE_LEVELS:-x86-64-v2 x86-64-v3 x86-64-v4}"
builds=$PWD/target/dist-build
cargo_home=${CARGO_HOME:-$HOME/.cargo}
[ "$(uname -sm)" = "Linux x86_64" ] || fail "archives are made on x86-64 Linux"
if [ -n "$(git status --porcelain)" ] && [ -z "${JAMBOREE_TRIAL:-}" ]; then
    fail "there are changes that are not committed: commit them, or set JAMBOREE_TRIAL=1"
fi
number=$(cargo metadata --no-deps --locked --format-version 1 |
    python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "jamboree"))')
version=$number${JAMBOREE_TRIAL:+-trial}
epoch=$(git log -1 --format=%ct)

link=()
if [ "${JAMBOREE_GLIBC:-debian-11}" = debian-11 ]; then
    scripts/old-glibc.sh "$builds/glibc"
    library=$builds/glibc/usr/lib/x86_64-linux-gnu
    link=(-C "link-arg=--sysroot=$builds/glibc" -C "link-arg=-B$library/" -C "link-arg=-L$builds/glibc/lib/x86_64-linux-gnu")
fi
# No path of this computer goes into the programs. Inside an archive they need no symbols either.
# Where several prefixes fit, the last one counts.
remap=("--remap-path-prefix=$HOME=/home" "--remap-path-prefix=$PWD=/jamboree"
    "--remap-path-prefix=$cargo_home/registry/src=/registry")
export CFLAGS="-ffile-prefix-map=$HOME=/home -ffile-prefix-map=$PWD=/jamboree -ffile-prefix-map=$cargo_home=/cargo"
settings=(--config "profile.$profile.strip=\"symbols\"" --config "profile.$profile.debug=false")

# build PACKAGE CPU: prints the path of the program. The flags hold for the program only, not for what runs during the
# build: that is why the target is named although it is this system.
build() {
    local flags=(-C "target-cpu=$2" "${remap[@]}" "${link[@]}")
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}") \
        cargo build --quiet --locked --profile "$profile" --package "$1" --target $triple --target-dir "$builds/$2" "${settings[@]}"
    echo "$builds/$2/$triple/$profile/$1"
}

# check PROGRAM: no path of this computer, and the oldest C library that will do.
check() {
    local place
    strings -a "$1" > "$builds/strings"
    for place in "$PWD" "$HOME/" "$cargo_home"; do
        if grep -F -m3 -e "$place" "$builds/strings"; then fail "$(basename "$1") contains the path $place"; fi
    done
    echo "$(basename "$1"): needs $(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)"
}

name=jamboree-$version-x86_64-linux
folder=$builds/$name
rm -rf "$folder"
mkdir -p "$folder/docs" "$out"
program=$(build jamboree-starter x86-64)
install -m 755 "$program" "$folder/jamboree"
check "$folder/jamboree"
for level in "${levels[@]}"; do
    program=$(build jamboree "$level")
    install -m 755 "$program" "$folder/jamboree-$level"
    check "$folder/jamboree-$level"
done
# Any build that this computer can run will do: the text is the same.
"$folder/jamboree" manual --out "$folder"
gzip -9n "$folder"/man/*.1
scripts/bill-of-materials.py "$version" "$epoch" "$folder"
install -m 644 LICENSE-APACHE LICENSE-GPL LICENSE-MIT README.md "$folder"
install -m 644 docs/releases.md docs/uci.md docs/analysis.md docs/web.md "$folder/docs"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -C "$builds" -c "$name" | gzip -9n > "$out/.$name.tmp"
mv "$out/.$name.tmp" "$out/$name.tar.gz"
cp "$folder/jamboree.cdx.json" "$out/$name.cdx.json"
(cd "$out" && sha256sum "$name.tar.gz" "$name.cdx.json" > "$name.sha256")
ls -l "$out/$name".*
