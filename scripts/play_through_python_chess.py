#!/usr/bin/env python3
"""Uses the engine as programs do that speak UCI through python-chess: play, ponder, stop, analyse several lines.

Usage: play_through_python_chess.py ENGINE        (needs: pip install chess)
"""

import sys
import time

import chess
import chess.engine


def play_a_game(engine: chess.engine.SimpleEngine, ponder: bool) -> int:
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 120:
        clock = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
        result = engine.play(board, clock, ponder=ponder, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, f"{result.move} in {board.fen()}"
        board.push(result.move)
    return board.ply()


def analyse_lines(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1")
    lines = engine.analyse(board, chess.engine.Limit(time=0.3), multipv=4)
    assert len(lines) == 4 and len({line["pv"][0] for line in lines}) == 4
    scores = [line["score"].relative.score(mate_score=100000) for line in lines]
    assert scores == sorted(scores, reverse=True), scores
    for line in lines:
        copy = board.copy()
        for move in line["pv"]:
            assert move in copy.legal_moves
            copy.push(move)


def stop_in_time(engine: chess.engine.SimpleEngine) -> float:
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 8:
                break
        before = time.monotonic()
        analysis.stop()
        best = analysis.wait()
    assert best.move in chess.Board().legal_moves
    return time.monotonic() - before


def main() -> None:
    with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
        engine.configure({"Hash": 16, "Move Overhead": 30})
        plies = play_a_game(engine, ponder=False), play_a_game(engine, ponder=True)
        analyse_lines(engine)
        stopped = stop_in_time(engine)
        mate = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), chess.engine.Limit(mate=1))
        assert mate["score"].relative == chess.engine.Mate(1), mate
        chess960 = chess.Board("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960=True)
        assert engine.play(chess960, chess.engine.Limit(depth=6)).move in chess960.legal_moves
    print(f"2 games of {plies[0]} and {plies[1]} plies, 4 lines, stop in {stopped * 1000:.0f} ms: all legal")


if __name__ == "__main__":
    main()
