#!/usr/bin/env bash
# Unpacks the C library of Debian 11 (glibc 2.31) into a folder, to link programs that run on systems of 2020 and later:
# scripts/old-glibc.sh FOLDER. Needs apt-get; nothing is installed.
set -euo pipefail
folder=${1:?usage: scripts/old-glibc.sh FOLDER}
[ -e "$folder/done" ] && exit
command -v apt-get dpkg-deb > /dev/null || { echo "old-glibc.sh: needs apt-get, which this system lacks" >&2; exit 1; }

site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u | grep -v security | head -1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{state,cache}/partial "$work/packages"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site bullseye main" > "$work/sources.list"
options=(-qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State="$work/state"
    -o Dir::Cache="$work/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
(cd "$work/packages" && apt-get "${options[@]}" download libc6 libc6-dev libcrypt1 libgcc-s1 linux-libc-dev)
rm -rf "$folder"
mkdir -p "$folder"
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
# The linker follows links inside the folder only if they are relative.
find "$folder" -type l -lname '/*' | while read -r link; do
    ln -srf "$folder$(readlink "$link")" "$link"
done
touch "$folder/done"
