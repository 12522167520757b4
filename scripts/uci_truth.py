#!/usr/bin/env python3
"""Checks with a real UCI client (python-chess) that the engine tells the truth about its searches.

Usage: uci_truth.py ENGINE        (needs: pip install chess)

Each function is one promise. The first that is broken ends the program with exit code 1.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import chess
import chess.engine
import chess.polyglot

POSITIONS = [
    chess.STARTING_FEN,
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]
# The queen on g5 is attacked: a move that leaves it there was not searched.
QUEEN_ATTACKED = chess.Board("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1")
MATED = chess.Board("7k/5KQ1/8/8/8/8/8/8 b - - 0 1")
STALEMATE = chess.Board("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1")

Engine = chess.engine.SimpleEngine


def is_exact(info: chess.engine.InfoDict) -> bool:
    return not info.get("lowerbound") and not info.get("upperbound")


def the_last_line_of_a_stopped_search_is_whole(engine: Engine) -> None:
    for index in range(16):
        board = chess.Board(POSITIONS[index % len(POSITIONS)])
        with engine.analysis(board, chess.engine.Limit(time=0.1 + 0.011 * index)) as analysis:
            infos = [info for info in analysis if "pv" in info]
            answer = analysis.wait()
        last = infos[-1]
        assert last["pv"][0] == answer.move, f"the last line is of {last['pv'][0]}, the answer is {answer.move}"
        before = [info for info in infos[:-1] if is_exact(info)]
        usual = min(4, len(before[-1]["pv"])) if before else 1
        assert not is_exact(last) or last["score"].is_mate() or len(last["pv"]) >= usual, (before[-1], last)
        # A score that is called exact is one: it belongs to a line that leads there.
        copy = board.copy()
        for move in last["pv"]:
            assert move in copy.legal_moves
            copy.push(move)


def a_finished_game_has_a_score_and_no_move(engine: Engine) -> None:
    mated = engine.analyse(MATED, chess.engine.Limit(depth=5))
    assert mated["depth"] == 0 and mated["score"].relative == chess.engine.Mate(0), mated
    stalemate = engine.analyse(STALEMATE, chess.engine.Limit(depth=5))
    assert stalemate["depth"] == 0 and stalemate["score"].relative == chess.engine.Cp(0), stalemate
    assert engine.play(MATED, chess.engine.Limit(depth=5)).move is None


def the_shortest_searches_are_searches(engine: Engine) -> None:
    clock = chess.engine.Limit(white_clock=0.001, black_clock=0.001)
    for limit in (chess.engine.Limit(nodes=1), chess.engine.Limit(time=0.001), clock):
        result = engine.play(QUEEN_ATTACKED, limit, game=object(), info=chess.engine.INFO_ALL)
        assert result.move.from_square == chess.G5, f"{limit}: {result.move}"
        assert result.info["depth"] >= 1 and result.info["pv"][0] == result.move, result.info


def an_option_during_a_search_waits_for_its_end(path: str) -> None:
    lines = speak(path, ["go infinite", None, "setoption name MultiPV value 2", "isready", None, "stop", "isready"])
    best = next(index for index, line in enumerate(lines) if line.startswith("bestmove"))
    ready = [index for index, line in enumerate(lines) if line == "readyok"]
    assert ready[0] < best, "setoption ended the search"
    assert sum(line.startswith("bestmove") for line in lines) == 1, lines


def a_refused_position_is_told_and_not_searched(path: str) -> None:
    lines = speak(path, ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go depth 5", None, "position startpos", "go depth 5"])
    said = [line for line in lines if line.startswith(("info string", "bestmove"))]
    assert said[0].startswith("info string error: the position is refused"), said
    assert said[1].startswith("info string error: there is no position"), said
    assert said[2] == "bestmove (none)" and said[3].startswith("bestmove ") and said[3] != said[2], said


def the_end_of_the_input_lets_a_limited_search_finish(path: str) -> None:
    done = subprocess.run([path], input="go depth 12\n", capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and any(line.startswith("info depth 12 ") for line in lines), lines
    assert lines[-1].startswith("bestmove "), lines
    done = subprocess.run([path], input="go infinite\n", capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1].startswith("bestmove "), done.stdout


def perft_and_bench_can_be_stopped(path: str) -> None:
    for command in ("go perft 12", "bench"):
        started = time.monotonic()
        lines = speak(path, [command, None, "stop", "go depth 1"])
        assert any(line.startswith("bestmove ") for line in lines) and time.monotonic() - started < 30, lines


def what_is_loaded_is_told(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = pathlib.Path(folder, "book.bin")
        board = chess.Board()
        move = chess.Move.from_uci("a2a4")
        word = move.to_square | move.from_square << 6
        book.write_bytes(struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), word, 1, 0))
        lines = speak(path, [f"setoption name BookFile value {book}", "setoption name OwnBook value true", "go depth 5"])
        assert any(line.startswith("info string read an opening book of 1 entries") for line in lines), lines
        assert "bestmove a2a4" in lines, lines
    lines = speak(path, ["setoption name EvalFile value /dev/zero", "setoption name BookFile value /dev/zero", "isready"])
    assert sum(line.startswith("info string error: option") for line in lines) == 2, lines


def the_first_search_does_not_pay_for_set_up(engine: Engine) -> None:
    engine.configure({"Hash": 256})
    engine.ping()
    started = time.monotonic()
    engine.play(chess.Board(), chess.engine.Limit(nodes=1000))
    assert time.monotonic() - started < 0.2, "the first search took as long as a table takes"
    engine.configure({"Hash": 16})


def the_move_under_way_is_told_after_some_seconds(engine: Engine) -> None:
    with engine.analysis(chess.Board(POSITIONS[1])) as analysis:
        for info in analysis:
            if "currmove" in info:
                assert info["currmove"] in chess.Board(POSITIONS[1]).legal_moves and info["currmovenumber"] >= 1
                return
            assert info.get("time", 0) < 30, "no currmove after 30 seconds"


def people_get_a_board_an_evaluation_and_help(path: str) -> None:
    text = "\n".join(speak(path, ["d", "eval", "help", "isready"]))
    for expected in ("| r | n | b | q | k | b | n | r | 8", "Fen: " + chess.STARTING_FEN, "Checkers:", "pawns for White", "go perft"):
        assert expected in text, expected


def speak(path: str, commands: list[str | None]) -> list[str]:
    """Sends lines to a new process, pausing at each None; what it printed until its input ended."""
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for command in commands:
            if command is None:
                process.stdin.flush()
                time.sleep(0.3)
            else:
                process.stdin.write(command + "\n")
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, process.returncode
    return output.splitlines()


def main() -> None:
    path = sys.argv[1]
    checks = [value for name, value in globals().items() if callable(value) and name.split("_")[0] in WORDS]
    with Engine.popen_uci(path) as engine:
        engine.configure({"Hash": 16})
        for check in checks:
            argument = engine if "engine" in check.__annotations__ else path
            check(argument)
            print(f"ok: {check.__name__.replace('_', ' ')}", flush=True)


WORDS = {"the", "a", "an", "perft", "what", "people"}

if __name__ == "__main__":
    main()
