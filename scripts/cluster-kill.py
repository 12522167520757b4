#!/usr/bin/env python3
"""Plays games through the front of a cluster while processes of its job are killed or stopped at random moments.

Every `go` must get exactly one answer, a legal move in time, and at the end the job must run again. Prints a table of the
moments and a summary; the exit status is 1 if anything was wrong. Needs Linux (/proc).

    scripts/cluster-kill.py --job 'mpirun -n 4 target/release/jamboree cluster' --moments 50 --tc 2+0.05
    scripts/cluster-kill.py --job target/release/jamboree --what any --moments 20
"""

import argparse
import os
import queue
import random
import shlex
import signal
import statistics
import subprocess
import sys
import threading
import time

MOST_PLIES = 120
PATIENCE = 60.0


def processes() -> dict[int, tuple[int, str]]:
    """The parent and the command line of every living process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                state, parent = file.read().rsplit(")", 1)[1].split()[:2]
            with open(f"/proc/{name}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except (OSError, IndexError, ValueError):
            continue
        if state != "Z":
            found[int(name)] = (int(parent), command)
    return found


def victims(front: int, what: str) -> list[int]:
    """The processes of the front's job: its ranks, or all of them."""
    everyone = processes()
    below, added = {front}, True
    while added:
        more = {pid for pid, (parent, _) in everyone.items() if parent in below} - below
        below, added = below | more, bool(more)
    job = sorted(below - {front})
    if what == "any":
        return job
    def is_rank(command: str) -> bool:
        program = os.path.basename(command.split(" ")[0])
        return "cluster" in command and not program.startswith(("mpirun", "mpiexec", "orte", "prte", "sh"))
    return [pid for pid in job if is_rank(everyone[pid][1])]


class Program:
    """A process that speaks UCI."""

    def __init__(self, command: list[str], log=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=log or subprocess.DEVNULL, bufsize=1, errors="replace")
        self.lines, self.log = queue.Queue(), log
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        for line in self.process.stdout:
            if self.log:
                self.log.write(f"{time.monotonic():.3f} << {line}")
            self.lines.put((time.monotonic(), line.rstrip("\n")))

    def say(self, line: str) -> None:
        if self.log:
            self.log.write(f"{time.monotonic():.3f} >> {line}\n")
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, beginning: str) -> tuple[float, list[str]]:
        """All lines up to the first that begins with `beginning`, and the time it came."""
        heard, end = [], time.monotonic() + PATIENCE
        while True:
            try:
                moment, line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise SystemExit(f"no '{beginning}' within {PATIENCE:.0f} s; the last lines: {heard[-5:]}")
            heard.append(line)
            if line.startswith(beginning):
                return moment, heard

    def waiting(self) -> list[str]:
        heard = []
        while not self.lines.empty():
            heard.append(self.lines.get()[1])
        return heard


class Torment(threading.Thread):
    """Kills or stops a process of the job at random moments. The next moment comes after the job is back."""

    def __init__(self, front: int, arguments):
        super().__init__(daemon=True)
        self.front, self.arguments = front, arguments
        self.moments: list[dict] = []
        self.back = threading.Event()

    def run(self) -> None:
        chance = random.Random(self.arguments.seed)
        while len(self.moments) < self.arguments.moments:
            time.sleep(chance.uniform(0.05, self.arguments.pause))
            # Before we look: a process that is found may be ending already, and its successor starting.
            self.back.clear()
            found = victims(self.front, self.arguments.what)
            if not found:
                continue
            pid, how = chance.choice(found), chance.choice((signal.SIGKILL, signal.SIGSTOP))
            moment = {"at": time.monotonic(), "pid": pid, "how": how.name, "of": len(found), "back": None}
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                continue
            self.moments.append(moment)
            if self.back.wait(PATIENCE):
                moment["back"] = self.back_at - moment["at"]

    def job_is_back(self, moment: float) -> None:
        self.back_at = moment
        self.back.set()


class Games:
    """Games of the front against itself; a referee engine lists the legal moves."""

    def __init__(self, front: Program, referee: Program, tc: tuple[float, float], torment: Torment):
        self.front, self.referee, self.tc, self.torment = front, referee, tc, torment
        self.answers: list[tuple[float, float]] = []
        self.games = 0
        self.wrong: list[str] = []

    def legal(self, moves: list[str]) -> set[str]:
        self.referee.say("position startpos moves " + " ".join(moves))
        self.referee.say("go perft 1")
        return {line.split(":")[0] for line in self.referee.until("Nodes searched")[1] if line.endswith(": 1")}

    def look(self, lines: list[str], moment: float, is_answer: bool) -> None:
        for line in lines:
            if line.startswith("info string cluster: the job is back"):
                self.torment.job_is_back(moment)
            if line.startswith("bestmove") and not is_answer:
                self.wrong.append(f"a second answer: {line}")

    def play(self, enough) -> None:
        moves, clocks = [], [self.tc[0]] * 2
        self.games += 1
        self.front.say("ucinewgame")
        while len(moves) < MOST_PLIES and not enough():
            legal, side = self.legal(moves), len(moves) % 2
            if not legal:
                return
            self.look(self.front.waiting(), time.monotonic(), False)
            self.front.say("position startpos moves " + " ".join(moves))
            times = [round(clock * 1000) for clock in clocks]
            increment = round(self.tc[1] * 1000)
            asked = time.monotonic()
            self.front.say(f"go wtime {times[0]} btime {times[1]} winc {increment} binc {increment}")
            moment, lines = self.front.until("bestmove")
            self.look(lines, moment, True)
            best = lines[-1].split(" ")[1]
            taken = moment - asked
            self.answers.append((taken, clocks[side]))
            if best not in legal:
                self.wrong.append(f"illegal: {best} after {' '.join(moves)}")
                return
            if taken > clocks[side]:
                self.wrong.append(f"lost on time: {taken:.3f} s of {clocks[side]:.3f} s")
                return
            clocks[side] += self.tc[1] - taken
            moves.append(best)


def time_control(text: str) -> tuple[float, float]:
    base, _, increment = text.partition("+")
    return float(base), float(increment or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", required=True, help="the command line of the job")
    parser.add_argument("--front", default="target/release/jamboree", help="the program with the front [%(default)s]")
    parser.add_argument("--moments", type=int, default=50, help="how often something is killed or stopped [%(default)s]")
    parser.add_argument("--tc", type=time_control, default=(2.0, 0.05), help="seconds+increment of a game [2+0.05]")
    parser.add_argument("--what", choices=("rank", "any"), default="rank",
                        help="kill ranks (processes of 'jamboree cluster'), or any process of the job [%(default)s]")
    parser.add_argument("--pause", type=float, default=3.0, help="longest time between two moments, in s [%(default)s]")
    parser.add_argument("--overhead", type=int, default=20, help="Move Overhead in ms [%(default)s]")
    parser.add_argument("--option", action="append", default=[], help="a UCI option to set, as NAME=VALUE")
    parser.add_argument("--seed", type=int, default=None, help="seed of the random choices")
    parser.add_argument("--log", type=argparse.FileType("w"), help="a file for all lines in both directions")
    arguments = parser.parse_args()
    front = Program([arguments.front, "cluster", "--overhead", str(arguments.overhead), "--job", arguments.job],
                    arguments.log)
    referee = Program([arguments.front])
    front.say("uci")
    front.until("uciok")
    for option in arguments.option:
        front.say("setoption name {} value {}".format(*option.split("=", 1)))
    front.say("isready")
    front.until("readyok")
    if not victims(front.process.pid, arguments.what):
        time.sleep(5)
        if not victims(front.process.pid, arguments.what):
            raise SystemExit(f"the job '{shlex.split(arguments.job)[0]}' has no process to kill; try --what any")

    torment = Torment(front.process.pid, arguments)
    games = Games(front, referee, arguments.tc, torment)
    torment.start()
    while torment.is_alive():
        games.play(lambda: not torment.is_alive())
    # At the end the job must run and answer.
    quiet = []
    for _ in range(20):
        games.play(iter([False] * 4 + [True]).__next__)
        quiet = victims(front.process.pid, arguments.what)
        if quiet:
            break
        time.sleep(0.5)
    everyone = victims(front.process.pid, "any")
    front.say("quit")
    front.process.wait(PATIENCE)
    time.sleep(0.1)
    left = sorted(set(everyone) & set(processes()))
    report(torment, games, quiet, left)


def report(torment: Torment, games: Games, alive: list[int], left: list[int]) -> None:
    print(f"{'moment':>6}  {'signal':<8}  {'processes':>9}  {'job back after':>14}")
    for number, moment in enumerate(torment.moments, 1):
        back = f"{moment['back']:.2f} s" if moment["back"] is not None else "never"
        print(f"{number:>6}  {moment['how']:<8}  {moment['of']:>9}  {back:>14}")
    backs = [moment["back"] for moment in torment.moments if moment["back"] is not None]
    never = len(torment.moments) - len(backs)
    worst = max(games.answers, key=lambda answer: answer[0] / max(answer[1], 1e-3))
    slowest = max(games.answers)
    kills = sum(moment["how"] == "SIGKILL" for moment in torment.moments)
    wrong = list(games.wrong)
    if never:
        wrong.append(f"{never} times the job did not come back")
    if not alive:
        wrong.append("no job at the end")
    if left:
        wrong.append(f"left behind after quit: {left}")
    rows = [
        ("kills and stops", f"{kills} and {len(torment.moments) - kills}"),
        ("games, moves", f"{games.games}, {len(games.answers)}"),
        ("slowest answer", f"{slowest[0]:.3f} s with {slowest[1]:.3f} s on the clock"),
        ("largest part of a clock", f"{worst[0]:.3f} s of {worst[1]:.3f} s ({100 * worst[0] / worst[1]:.0f} %)"),
        ("job back after (median, longest)",
         f"{statistics.median(backs):.2f} s, {max(backs):.2f} s" if backs else "never"),
        ("wrong", "nothing" if not wrong else "; ".join(wrong)),
    ]
    print()
    for name, value in rows:
        print(f"{name:<34}{value}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
