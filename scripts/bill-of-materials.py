#!/usr/bin/env python3
"""What the programs of a release are made of: a software bill of materials (CycloneDX 1.5), and the licences of all of it.

Usage: bill-of-materials.py VERSION EPOCH FOLDER      (writes FOLDER/jamboree.cdx.json and FOLDER/THIRD-PARTY.txt)
"""

import json
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import datetime, timezone
from pathlib import Path

PROGRAMS = ("jamboree", "jamboree-starter")
TARGET = "x86_64-unknown-linux-gnu"
LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)


def output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def linked() -> set[tuple[str, str]]:
    """Name and version of every package that is linked into a program: no build scripts, no macros, no tests."""
    found = set()
    for program in PROGRAMS:
        tree = output("cargo", "tree", "--locked", "--package", program, "--edges", "normal,no-proc-macro", "--target",
                      TARGET, "--prefix", "none", "--format", "{p}")
        for line in tree.splitlines():
            name, version = line.split()[:2]
            found.add((name, version.lstrip("v")))
    return found


def packages() -> list[dict]:
    """What cargo knows of them, sorted by name."""
    wanted = linked()
    known = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET))
    found = [package for package in known["packages"] if (package["name"], package["version"]) in wanted]
    missing = wanted - {(package["name"], package["version"]) for package in found}
    if missing:
        sys.exit(f"bill-of-materials.py: cargo metadata does not know {sorted(missing)}")
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def licence(package: dict) -> str:
    """The SPDX expression; old packages write a slash for OR."""
    text = package["license"]
    if not text:
        sys.exit(f"bill-of-materials.py: {package['name']} names no licence; look at it before you release")
    return re.sub(r"\s*/\s*", " OR ", text)


def reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict, checksums: dict) -> dict:
    entry = {
        "type": "application" if package["name"] in PROGRAMS else "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "licenses": [{"expression": licence(package)}],
        "purl": reference(package),
    }
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["repository"]:
        entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return entry


def bill(version: str, epoch: int, found: list[dict]) -> dict:
    lock = tomllib.loads(Path("Cargo.lock").read_text())
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock["package"]}
    names = {(package["name"], package["version"]) for package in found}
    refers = {(entry["name"], entry["version"]): entry.get("dependencies", []) for entry in lock["package"]}

    def below(package: dict) -> list[str]:
        # In Cargo.lock a dependency is a name, with the version where there are several.
        wanted = [word.split() for word in refers[(package["name"], package["version"])]]
        pairs = {pair for pair in names for word in wanted if pair[0] == word[0] and pair[1] in (word[1:2] or [pair[1]])}
        return sorted(f"pkg:cargo/{name}@{number}" for name, number in pairs)

    program = next(package for package in found if package["name"] == PROGRAMS[0])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'jamboree {version} {epoch}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**component(program, checksums), "version": version},
        },
        "components": [component(package, checksums) for package in found if package is not program],
        "dependencies": [{"ref": reference(package), "dependsOn": below(package)} for package in found],
    }


def licence_texts(package: dict) -> list[str]:
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name))
    for path in sorted(folder.glob("LICENSES/*")) + sorted(folder.glob("licenses/*")):
        files.append(path)
    return [path.read_text(errors="replace").strip() for path in files if path.is_file()]


def third_party(found: list[dict]) -> str:
    """Every licence text once, with the packages it belongs to."""
    users: dict[str, list[str]] = {}
    without = []
    for package in found:
        if package["source"] is None:
            continue  # ours; its licences lie beside the programs
        name = f"{package['name']} {package['version']} ({licence(package)})"
        texts = licence_texts(package)
        if not texts:
            without.append(f"{name}, by {', '.join(package['authors']) or 'its authors'}, {package['repository']}")
        for text in texts:
            users.setdefault(text, []).append(name)
    parts = ["The programs contain these packages, and the standard library of Rust (MIT OR Apache-2.0, the Rust Project "
             "contributors)."]
    if without:
        parts.append("Packages that come without the text of their licence:\n" + "\n".join(without))
    rule = "=" * 80
    parts += [f"{rule}\n" + "\n".join(names) + f"\n{rule}\n\n{text}" for text, names in users.items()]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    version, epoch, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    found = packages()
    (folder / "jamboree.cdx.json").write_text(json.dumps(bill(version, epoch, found), indent=2) + "\n")
    (folder / "THIRD-PARTY.txt").write_text(third_party(found))
    print(f"{len(found)} packages in the bill of materials")


if __name__ == "__main__":
    main()
