#!/usr/bin/env python3
"""Makes a suite of mates, and compares engines on it.

Usage: mates.py make STOCKFISH FILE [POSITIONS]        30 positions each of mate in 3, 5 and 7, as EPD with 'dm'
       mates.py shorten FILE SECONDS ENGINE...         lowers each 'dm' while an engine finds a shorter mate in so many seconds
       mates.py race FILE SECONDS ENGINE...            one thread, 64 MiB, 'go mate N movetime T' for each position

An engine name that ends in '+plain' is asked without 'mate'. (needs: pip install chess)

make: Stockfish plays at depth 6 against a side that plays four moves of ten at random. Of each game that ends with mate, the
positions 3, 5 and 7 moves before the mate count if Stockfish, with a million nodes, says mate in exactly as many moves. That
need not be the shortest mate: shorten the suite with several engines afterwards.
race: a position is solved if the last exact score is a mate in at most so many moves as the suite says. A line is whole if it
has all moves of the mate, each legal, and ends with it.
"""

import random
import sys
import time

import chess
import chess.engine

LENGTHS = (3, 5, 7)
OPTIONS = {"Threads": 1, "Hash": 64}


def open_engine(path):
    engine = chess.engine.SimpleEngine.popen_uci(path)
    engine.configure({name: value for name, value in OPTIONS.items() if name in engine.options})
    return engine


def play_to_mate(engine, dice):
    """The positions of a game that ends with mate, oldest first; none if it does not."""
    board, boards = chess.Board(), []
    weak = dice.choice([chess.WHITE, chess.BLACK])
    for ply in range(200):
        boards.append(board.copy(stack=False))
        if board.is_game_over():
            return boards if board.is_checkmate() else None
        if ply < 6 or (board.turn == weak and dice.random() < 0.4):
            board.push(dice.choice(list(board.legal_moves)))
        else:
            board.push(engine.play(board, chess.engine.Limit(depth=6)).move)
    return None


def make(stockfish, path, wanted):
    engine, dice = open_engine(stockfish), random.Random(7)
    found = {length: [] for length in LENGTHS}
    while any(len(lines) < wanted for lines in found.values()):
        boards = play_to_mate(engine, dice) or []
        for length in LENGTHS:
            if len(boards) < 2 * length or len(found[length]) >= wanted:
                continue
            board = boards[-2 * length]
            limit = chess.engine.Limit(nodes=1_000_000, mate=length)
            score = engine.analyse(board, limit, game=object())["score"].relative
            if score.mate() == length:
                number = len(found[length]) + 1
                found[length].append(f'{board.epd()} dm {length}; id "mate in {length}.{number}";\n')
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line for lines in found.values() for line in lines)
        print({length: len(lines) for length, lines in found.items()}, file=sys.stderr, flush=True)
    engine.quit()


def read_suite(path):
    """The positions and their shortest known mates."""
    problems = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            continue
        board = chess.Board()
        problems.append((board.set_epd(line.strip())["dm"], board))
    return problems


def shorten(path, seconds, names):
    engines, lines = [open_engine(name) for name in names], []
    for length, board in read_suite(path):
        shorter = True
        while shorter and length > 1:
            found = [attempt(engine, board, length - 1, seconds, False)[3] for engine in engines]
            shorter = min((mate for mate in found if mate is not None), default=None)
            length = shorter or length
        lines.append((length, board.epd()))
    for engine in engines:
        engine.quit()
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Mates in games of Stockfish 15.1; 'dm' is the shortest known. Made by scripts/mates.py make and shorten.\n")
        for number, (length, epd) in enumerate(sorted(lines), 1):
            file.write(f'{epd} dm {length}; id "mate.{number}";\n')


def is_whole(board, moves, length):
    board = board.copy()
    for move in moves:
        if move not in board.legal_moves:
            return False
        board.push(move)
    return len(moves) == 2 * length - 1 and board.is_checkmate()


def attempt(engine, board, length, seconds, plain):
    """Was the mate found, was its line whole, after how many seconds was it first told, and how many moves does it take?"""
    limit = chess.engine.Limit(time=seconds, mate=None if plain else length)
    begin, told, last = time.monotonic(), seconds, None
    with engine.analysis(board, limit, game=object()) as analysis:
        for info in analysis:
            if "score" not in info or "pv" not in info or info.get("lowerbound") or info.get("upperbound"):
                continue
            last = info
            mate = info["score"].relative.mate()
            if mate is not None and 0 < mate <= length:
                told = min(told, time.monotonic() - begin)
                if plain:
                    break
    mate = last["score"].relative.mate() if last else None
    solved = mate is not None and 0 < mate <= length
    return solved, solved and is_whole(board, last["pv"], mate), told if solved else seconds, mate if solved else None


def race(path, seconds, names):
    print(f"{'engine':40} {'mate in':>8} {'solved':>9} {'whole lines':>12} {'seconds to the mate':>20}")
    engines = {name: open_engine(name.removesuffix("+plain")) for name in names}
    results = {name: {} for name in names}
    for length, board in read_suite(path):
        for name, engine in engines.items():
            row = attempt(engine, board, length, seconds, name.endswith("+plain"))
            results[name].setdefault(length, []).append(row)
    for name, by_length in results.items():
        for length, rows in by_length.items():
            solved, whole, taken = (sum(column) for column in zip(*(row[:3] for row in rows)))
            print(f"{name[-40:]:40} {length:8} {solved:4} of {len(rows):2} {whole:12} {taken:20.2f}")
    for engine in engines.values():
        engine.quit()


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 30)
    elif len(sys.argv) >= 5 and sys.argv[1] in ("shorten", "race"):
        {"shorten": shorten, "race": race}[sys.argv[1]](sys.argv[2], float(sys.argv[3]), sys.argv[4:])
    else:
        sys.exit(__doc__)
