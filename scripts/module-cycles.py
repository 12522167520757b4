#!/usr/bin/env python3
"""Prints all modules of a crate that import each other, directly or by way of others; the exit code is 1 if there are any.

Usage: module-cycles.py [--edges]        (--edges prints all imports instead)

A module is a file. It imports another one if its code names an item that is defined there, in a `use` or in a path
(`crate::`, `super::`, `self::`, or the name of a child), whatever re-exports lie between. Comments, strings and everything
under `#[cfg(test)]` do not count.

Parent and child: a parent that declares or re-exports a child does not import it. It does if its code uses an item of the
child, re-exported or not. Then the child must not name items that are defined in the parent's file.
"""

import pathlib
import re
import sys

Path = tuple[str, ...]

CRATES = pathlib.Path(__file__).resolve().parent.parent / "crates"

LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]*?|[^'\\\n])'""",
    re.DOTALL,
)
TEST_ONLY = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]")
DECLARED = re.compile(r"\bmod\s+(\w+)\s*;")
INLINE = re.compile(r"\bmod\s+\w+\s*\{")
USE = re.compile(r"(?P<public>\bpub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
NAMED_PATH = re.compile(r"(?<![\w:.$])(\w+(?:::\w+)+)")
WORD = re.compile(r"(?<![\w.$])(\w+)")


def blanked(text: str, start: int, end: int) -> str:
    """The text with spaces for what lies between start and end, so that lines and offsets stay."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def end_of_item(text: str, start: int) -> int:
    """Where the item that begins at start ends: behind its semicolon or its closing brace."""
    depth = 0
    for offset in range(start, len(text)):
        character = text[offset]
        depth += (character in "{([") - (character in "})]")
        if depth == 0 and character in ";}":
            return offset + 1
    return len(text)


def code_of(file: pathlib.Path) -> str:
    text = LITERALS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), file.read_text())
    while test := TEST_ONLY.search(text):
        text = blanked(text, test.start(), end_of_item(text, test.end()))
    return text


def leaves(tree: str) -> list[tuple[Path, str]]:
    """The paths of a use tree, each with the name it gets here."""
    tree = tree.strip()
    opening = tree.find("{")
    if opening < 0:
        path, _, renamed = (part.strip() for part in tree.partition(" as "))
        parts = tuple(part.strip() for part in path.split("::"))
        parts = parts[:-1] if parts[-1] == "self" and len(parts) > 1 else parts
        return [(parts, renamed or parts[-1])]
    prefix = tuple(part.strip() for part in tree[:opening].split("::") if part.strip())
    branches, depth, branch = [], 0, ""
    for character in tree[opening + 1 : tree.rfind("}")]:
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            branches.append(branch)
            branch = ""
        else:
            branch += character
    found = []
    for branch in (*branches, branch):
        for path, name in leaves(branch) if branch.strip() else []:
            path = () if path == ("self",) else path
            found.append((prefix + path, name if path else prefix[-1]))
    return found


class Module:
    def __init__(self, file: pathlib.Path, path: Path):
        self.file = file
        self.path = path
        code = code_of(file)
        self.children = set(DECLARED.findall(code))
        self.inline = [(found.start(), end_of_item(code, found.start())) for found in INLINE.finditer(code)]
        self.uses: list[tuple[Path, str, bool]] = []
        for use in USE.finditer(code):
            for path, name in leaves(use["tree"]):
                self.uses.append((self.from_here(path, use.start()), name, use["public"] is not None))
        self.body = USE.sub(lambda found: " " * len(found[0]), code)
        self.paths = [self.from_here(tuple(found[1].split("::")), found.start()) for found in NAMED_PATH.finditer(self.body)]
        self.words = set(WORD.findall(self.body))

    def from_here(self, path: Path, offset: int) -> Path:
        """The path from the root of the crate, `crate` first; a path that begins otherwise is left as it is."""
        around = sum(start <= offset < end for start, end in self.inline)
        here = list(self.path)
        if path[0] not in ("self", "super"):
            return ("crate", *here, *path) if path[0] in self.children else path
        rest = list(path)
        while rest and rest[0] in ("self", "super"):
            if rest.pop(0) == "super":
                if around:
                    around -= 1
                else:
                    here.pop()
        return ("crate", *here, *rest)


class Crate:
    def __init__(self, root: pathlib.Path):
        self.modules: dict[Path, Module] = {}
        self.read(root, root.parent, ())

    def read(self, file: pathlib.Path, folder: pathlib.Path, path: Path) -> None:
        module = self.modules[path] = Module(file, path)
        for child in sorted(module.children):
            for place in (folder / f"{child}.rs", folder / child / "mod.rs"):
                if place.exists():
                    self.read(place, folder / child, (*path, child))

    def definer(self, path: Path, seen: frozenset[Path] = frozenset()) -> Path | None:
        """The module in which the item that a path names is defined; nothing for another crate's."""
        if path[0] != "crate" or path in seen:
            return None
        at: Path = ()
        for index, name in enumerate(path[1:], start=1):
            if (*at, name) in self.modules:
                at = (*at, name)
                continue
            module, globs = self.modules[at], []
            for source, known_as, _ in module.uses:
                if known_as == name:
                    return self.definer((*source, *path[index + 1 :]), seen | {path})
                if known_as == "*":
                    globs.append(source[:-1])
            if re.search(rf"\b(?:struct|enum|trait|fn|type|const|static|union|mod|macro_rules!)\s+(?:mut\s+)?{name}\b", module.body):
                return at
            for source in globs:
                found = self.definer((*source, *path[index:]), seen | {path})
                if found is not None:
                    return found
            return at
        return at

    def imports(self, module: Module) -> dict[Path, set[str]]:
        """The modules that a module imports, each with the names it uses of it."""
        named = set(module.paths)
        for path, name, public in module.uses:
            if not public or name in module.words:
                named.add(path[:-1] if name == "*" else path)
        found: dict[Path, set[str]] = {}
        for path in named:
            definer = self.definer(path)
            if definer not in (None, module.path):
                found.setdefault(definer, set()).add(path[-1])
        return found


def groups(imports: dict[Path, dict[Path, set[str]]]) -> list[set[Path]]:
    """The sets of modules that reach each other."""
    reached: dict[Path, set[Path]] = {}
    for start in imports:
        found, open_ends = set(), [start]
        while open_ends:
            new = set(imports[open_ends.pop()]) - found
            found |= new
            open_ends += new
        reached[start] = found
    together = {frozenset(end for end in reached[start] if start in reached[end]) for start in imports}
    return [set(group) for group in together if group]


def main() -> int:
    is_clean = True
    for root in sorted([*CRATES.glob("*/src/lib.rs"), *CRATES.glob("*/src/main.rs")]):
        crate = Crate(root)
        imports = {path: crate.imports(module) for path, module in crate.modules.items()}
        shown = [set(imports)] if "--edges" in sys.argv[1:] else groups(imports)
        for group in shown:
            for user in sorted(group):
                for used in sorted(group & set(imports[user])):
                    files = [crate.modules[path].file.relative_to(CRATES) for path in (user, used)]
                    print(f"{files[0]} uses {', '.join(sorted(imports[user][used]))} of {files[1]}")
            print()
        is_clean &= not shown
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
