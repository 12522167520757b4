#!/usr/bin/env python3
"""Plants defects in a copy of the source, one at a time, and says which of them are found: a test of the tests.

Usage: mutations.py [--only NAME] [--list]

Each defect is a text that is replaced in one file. A text that is not there exactly once is an error: then the list below
has to follow the code. The copy is built, and the command that should find the defect is run: `lab simulate` with a seed,
or a test of a crate. A defect is found if the command fails or does not end in time. Before the first defect every command
is run on the copy as it is, and has to succeed.

The copy and its build are in target/mutations, or in the folder that JAMBOREE_MUTATIONS names. CARGO_BUILD_JOBS is obeyed.
The exit code is 1 if a defect is not found.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path(os.environ.get("JAMBOREE_MUTATIONS", ROOT / "target" / "mutations"))
COPY, TARGET = FOLDER / "source", FOLDER / "target"

SIMULATE = "simulate --seed 1 --searches 4000 --jobs 1 --patience 60s"

# Name, file, what is replaced, by what, and the command that finds it.
DEFECTS = [
    (
        "a processor that sleeps does not look again (lost wake-up)",
        "crates/scheduler/src/sleep.rs",
        "        if !stays_awake() {\n            wait(&cell.signal);\n        }",
        "        let _ = stays_awake();\n        wait(&cell.signal);",
        "test jamboree-scheduler sleep",
    ),
    (
        "the last helper does not carry the owner on",
        "crates/scheduler/src/protocol.rs",
        "if inner.helpers.is_empty() { inner.parked.take() } else { None }",
        "if inner.helpers.len() == 1 { inner.parked.take() } else { None }",
        SIMULATE,
    ),
    (
        "a cut forgets the helpers",
        "crates/scheduler/src/protocol.rs",
        "        for helper in &inner.helpers {\n            helper.lower(self.ply + 1);\n        }\n    }\n\n    fn forget",
        "    }\n\n    fn forget",
        SIMULATE,
    ),
    (
        "a helper is not registered at its split point",
        "crates/scheduler/src/protocol.rs",
        "        inner.helpers.push(Arc::clone(helper));\n",
        "        let _ = helper;\n",
        SIMULATE,
    ),
    (
        "a closed split point stays in its owner's list (leak)",
        "crates/scheduler/src/protocol.rs",
        "        lock(&inner.owner.shared).retain(|split| !std::ptr::eq(&raw const **split, self));",
        "        let _ = inner;",
        SIMULATE,
    ),
    (
        "an entry of the table is not checked for its key (torn entry)",
        "crates/table/src/entry.rs",
        "if self.check.load(Ordering::Relaxed) ^ data != key { None }",
        "if (self.check.load(Ordering::Relaxed) ^ data) >> 56 != key >> 56 { None }",
        "test jamboree-table torn",
    ),
    (
        "alpha is not raised at a split point",
        "crates/search/src/split_point/report.rs",
        "            self.window.alpha = score;\n",
        "",
        SIMULATE,
    ),
    (
        "the next move is lost when half of them is given away",
        "crates/search/src/split_point.rs",
        "left.enumerate().map(|(place, left)|",
        "left.skip(1).enumerate().map(|(place, left)|",
        "test jamboree-search split_point",
    ),
    (
        "the shortest message is refused (off by one)",
        "crates/cluster/src/wire.rs",
        "(shortest..MAX_PLY).contains(&self.moves.len())",
        "(shortest + 1..MAX_PLY).contains(&self.moves.len())",
        "test jamboree-cluster wire",
    ),
    (
        "the last interval of an idle processor is not booked",
        "crates/scheduler/src/virtual_machine/world.rs",
        "| Activity::Holding(since) => processor.idles(time.saturating_sub(since)),",
        "| Activity::Holding(since) => processor.idles(since - since),",
        SIMULATE,
    ),
    (
        "a late result counts after a cut",
        "crates/search/src/split_point/report.rs",
        "        if witness.over {\n",
        "        if witness.over && recalled {\n",
        "test jamboree-search split_point",
    ),
    (
        "a request that is deferred is lost",
        "crates/scheduler/src/virtual_machine/world.rs",
        "        self.processors.borrow_mut()[processor].asked_by.push((request.processor, request.delays + 1));\n        self.pending.set(true);",
        "        let _ = (processor, request);",
        SIMULATE,
    ),
]

# How long a command may take, in seconds.
LONGEST = 400


def copy_source() -> None:
    """The files that git knows, as they are now. Files that have not changed keep their time, so that builds are short."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    for name in names:
        source, copy = ROOT / name, COPY / name
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)


def cargo(*arguments: str, longest: int | None = None) -> bool:
    """Does it succeed, in time?"""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    process = subprocess.Popen(
        ["cargo", *arguments], cwd=COPY, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        # The test runs in a process of its own, in the same group.
        os.killpg(process.pid, 9)
        process.communicate()
        return False
    if longest is None and process.returncode != 0:
        sys.exit(f"cargo {' '.join(arguments)} fails:\n{errors.decode()[-3000:]}")
    return process.returncode == 0


def build(command: str) -> None:
    words = command.split()
    if words[0] == "test":
        cargo("test", "--quiet", "--lib", "-p", words[1], "--no-run")
    else:
        cargo("build", "--quiet", "--profile", "fast", "-p", "jamboree")


def holds(command: str) -> tuple[bool, str]:
    """Does the command succeed? And what it says of a failure, in a line."""
    words = command.split()
    if words[0] == "test":
        return cargo("test", "--quiet", "--lib", "-p", *words[1:], longest=LONGEST), f"cargo test -p {words[1]} {words[2]}"
    program = TARGET / "fast" / "jamboree"
    try:
        done = subprocess.run(f"{program} lab {command}", shell=True, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return False, "it did not end"
    first = next((line for line in done.stdout.splitlines() if line.startswith("FAILS")), done.stderr.strip())
    return done.returncode == 0, first[:150]


def main() -> None:
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    defects = [defect for defect in DEFECTS if only in defect[0]]
    if "--list" in sys.argv:
        print("\n".join(defect[0] for defect in defects))
        return
    copy_source()
    for command in sorted({defect[4] for defect in defects}):
        build(command)
        succeeds, said = holds(command)
        if not succeeds:
            sys.exit(f"nothing is planted yet, and this fails: {command}: {said}")
    missed = 0
    for name, file, old, new, command in defects:
        path = COPY / file
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"{name}: the text is {text.count(old)} times in {file}, not once: change the list in {sys.argv[0]}")
        path.write_text(text.replace(old, new))
        try:
            build(command)
            since = time.monotonic()
            succeeds, said = holds(command)
            seconds = time.monotonic() - since
        finally:
            path.write_text(text)
        missed += succeeds
        print(f"{'NOT FOUND' if succeeds else 'found    '}  {name}  ({said}, {seconds:.0f} s)", flush=True)
    print(f"{len(defects) - missed} of {len(defects)} defects found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
