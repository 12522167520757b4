#!/usr/bin/env python3
"""Measures the ratings of Jamboree's limited levels against Stockfish's, and prints them with their errors.

Every level plays the next one, and the levels of Stockfish that are near it. The ratings are those under which the
results are likeliest (a logistic fit), with Stockfish's levels at what they claim. Moves are limited by nodes, so that the
result does not depend on the computer. Matches go on where they were stopped.

  scripts/calibrate-levels.py --games 200 --out levels
  scripts/calibrate-levels.py --games 200 --out claims --elo
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

SKILLS = [0, 4, 8, 12, 16, 19]
ELOS = [800, 1200, 1600, 2000, 2400, 2800]
ANCHORS = [1350, 1500, 1700, 1900, 2100, 2300, 2500, 2700]


def pairings(levels, guess, near):
    """Each level against the next, and against the anchors that are near its guessed rating."""
    for level, higher in zip(levels, levels[1:]):
        yield (level, higher)
    for level in levels:
        anchors = sorted(ANCHORS, key=lambda anchor: abs(anchor - guess[level]))[:near]
        yield from ((level, f"sf{anchor}") for anchor in anchors if abs(anchor - guess[level]) < 600)


def nodes(rating):
    """Enough for a player of this rating to reach the depth it sees, and for Stockfish the depth at which it chooses."""
    return int(3000 * 2.0 ** (max(rating - 1320, 0) / 170))


def play(args, first, second, rating):
    """The points of the first, and the games."""
    def engine(level):
        if isinstance(level, str):
            return f"{args.stockfish},UCI_LimitStrength=true,UCI_Elo={level[2:]},Threads=1,Hash=16"
        limit = f"UCI_LimitStrength=true,UCI_Elo={level}" if args.elo else f"Skill Level={level}"
        return f"{args.jamboree},{limit},Hash=1"

    folder = args.out / f"{first}-{second}"
    command = [args.jamboree, "lab", "match", "--own", "--nodes", str(nodes(rating)), "--games", str(args.games)]
    command += ["--a", engine(first), "--b", engine(second), "--out", str(folder)]
    if args.openings:
        command += ["--openings", str(args.openings)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    points = games = 0
    for line in (folder / "games.jsonl").read_text().splitlines():
        game = json.loads(line)
        if "result" in game:
            white = {"1-0": 1.0, "0-1": 0.0}.get(game["result"], 0.5)
            points += white if game["a_is_white"] else 1.0 - white
            games += 1
    return points, games


def expected(difference):
    return 1.0 / (1.0 + 10.0 ** (-difference / 400.0))


def fit(levels, results):
    """The likeliest ratings and their standard errors, by Newton's method with the anchors fixed."""
    ratings = {level: 1700.0 for level in levels}
    k = math.log(10.0) / 400.0

    def rating(player):
        return float(player[2:]) if isinstance(player, str) else ratings[player]

    for _ in range(200):
        slope = {level: 0.0 for level in levels}
        curve = {level: 1e-9 for level in levels}
        for (first, second), (points, games) in results.items():
            mean = expected(rating(first) - rating(second))
            for player, sign in ((first, 1.0), (second, -1.0)):
                if player in slope:
                    slope[player] += sign * k * (points - games * mean)
                    curve[player] += k * k * games * mean * (1.0 - mean)
        for level in levels:
            ratings[level] += max(-100.0, min(100.0, 0.7 * slope[level] / curve[level]))
    return ratings, {level: 1.0 / math.sqrt(curve[level]) for level in levels}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the matches")
    parser.add_argument("--games", type=int, default=200, help="games of each match")
    parser.add_argument("--near", type=int, default=2, help="levels of Stockfish that each level plays")
    parser.add_argument("--elo", action="store_true", help="levels of UCI_Elo instead of Skill Level")
    parser.add_argument("--openings", type=pathlib.Path, help="openings, as of lab match")
    parser.add_argument("--jamboree", default="target/release/jamboree")
    parser.add_argument("--stockfish", default="stockfish")
    args = parser.parse_args()
    levels = ELOS if args.elo else SKILLS
    guess = {level: level if args.elo else 800 + level * 105 for level in levels}
    results = {}
    for first, second in pairings(levels, guess, args.near):
        rating = max(float(player[2:]) if isinstance(player, str) else guess[player] for player in (first, second))
        results[first, second] = points, games = play(args, first, second, rating)
        print(f"{first:>6} - {second!s:<6} {points:6.1f} of {games}", flush=True)
    ratings, errors = fit(levels, results)
    print("level  rating  95 %")
    for level in levels:
        print(f"{level:5}  {ratings[level]:6.0f}  +/- {1.96 * errors[level]:.0f}")
    if any(ratings[low] >= ratings[high] for low, high in zip(levels, levels[1:])):
        sys.exit("a higher level is not stronger")


if __name__ == "__main__":
    main()
