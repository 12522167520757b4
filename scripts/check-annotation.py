#!/usr/bin/env python3
"""Checks with python-chess that annotating a file of games loses nothing that was in it, killed in the middle or not.

Usage: check-annotation.py JAMBOREE [GAMES]        (needs: pip install chess)

Makes GAMES random games (100) with random comments, nested variations and glyphs, annotates them at a small depth, kills
the program once in the middle, gives the same command again, and compares every tag, move, comment, glyph and variation.
The first that is lost ends the script with exit code 1.
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time

import chess
import chess.pgn

WORDS = "a sound plan wins: 50 % of it; (perhaps) [%clk 0:01:02] [%csl Gd4,Re5] Zürich 1953 e4! {x $5 -- 1-0 * \\ \"q\"".split(" ")
DEPTH = "5"


def random_comment(dice):
    return " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, 25)))


def annotate_node(node, dice):
    """A node with random comments and glyphs."""
    if dice.random() < 0.3:
        node.comment = random_comment(dice)
    if dice.random() < 0.3:
        node.nags = set(dice.sample(range(1, 140), dice.randint(1, 3)))


def add_line(node, length, nesting, dice):
    """Random moves below a node, with variations beside some of them."""
    for _ in range(length):
        moves = list(node.board().legal_moves)
        if not moves:
            return
        dice.shuffle(moves)
        main, others = moves[0], moves[1 : dice.randint(1, 3)]
        parent = node
        node = parent.add_variation(main)
        annotate_node(node, dice)
        if nesting > 0 and dice.random() < 0.15:
            for other in others:
                side = parent.add_variation(other)
                if dice.random() < 0.3:
                    side.starting_comment = random_comment(dice)
                annotate_node(side, dice)
                add_line(side, dice.randint(0, 5), nesting - 1, dice)


def random_game(number, dice):
    game = chess.pgn.Game()
    game.headers.update({"White": f"Müller {number}", "Black": "O'Neil; [x] {y}", "Round": str(number)})
    game.headers["Result"] = dice.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if dice.random() < 0.5:
        game.comment = random_comment(dice)
    if dice.random() < 0.2:
        board = chess.Board.from_chess960_pos(dice.randrange(960))
        game.setup(board)
    add_line(game, dice.randint(0, 40), 3, dice)
    return game


def read_games(path):
    with open(path, encoding="utf-8") as file:
        games = []
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors, game.errors
            games.append(game)
        return games


def words(comment):
    return (comment or "").split()


def lost(before, after):
    """What a node had and has no more, as a text; None if nothing is lost."""
    kept = words(after.comment)
    rest = iter(kept)
    if not all(word in rest for word in words(before.comment)):
        return f"comment {before.comment!r} became {after.comment!r}"
    if words(before.starting_comment) != words(after.starting_comment):
        return f"comment before {before.starting_comment!r} became {after.starting_comment!r}"
    if not before.nags <= after.nags:
        return f"glyphs {before.nags} became {after.nags}"
    return None


def compare(before, after, where):
    """Everything below a node of the input must be below the same node of the output."""
    problem = lost(before, after)
    assert problem is None, f"{where}: {problem}"
    if before.variations:
        assert after.variations[0].move == before.variations[0].move, f"{where}: another main line"
    for variation in before.variations:
        same = [other for other in after.variations if other.move == variation.move]
        assert same, f"{where}: the variation {variation.move} is lost"
        # Our better line may begin with the move of a variation that was there.
        errors = []
        for candidate in same:
            try:
                compare(variation, candidate, f"{where} {variation.move}")
                break
            except AssertionError as error:
                errors.append(error)
        else:
            raise errors[-1]


def annotate_with_a_kill(program, games, out):
    """Annotates a file; the program is killed once when some games are done. Returns how many those were."""
    command = [program, "analyze", "--pgn", str(games), "--depth", DEPTH, "--hash", "16", "--out", str(out)]
    part = pathlib.Path(f"{out}.part")
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while process.poll() is None:
        if part.exists() and part.read_bytes().count(b"\n% jamboree ") >= 20:
            process.kill()
            break
        time.sleep(0.01)
    process.wait()
    assert process.returncode != 0, "it ended before it was killed: use more games"
    assert not out.exists(), "a file that is not whole is in its place"
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    assert "were done before" in done.stderr, done.stderr
    assert not part.exists(), "the part is still there"
    return int(done.stderr.split(" of ")[0])


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder, "games.pgn"), pathlib.Path(folder, "annotated.pgn")
        path.write_text("".join(f"{random_game(number, dice)}\n\n" for number in range(1, count + 1)), encoding="utf-8")
        original = path.read_bytes()
        games = read_games(path)
        refused = subprocess.run([program, "analyze", "--pgn", path, "--depth", "1", "--out", path], capture_output=True)
        assert refused.returncode != 0 and path.read_bytes() == original, "the input was written over"
        done_before = annotate_with_a_kill(program, path, out)
        annotated = read_games(out)
        assert len(annotated) == len(games) == count, (len(annotated), len(games))
        kept = {"comments": 0, "variations": 0, "glyphs": 0}
        for before, after in zip(games, annotated):
            name = f"game {before.headers['Round']}"
            for tag, value in before.headers.items():
                assert after.headers.get(tag) == value, f"{name}: tag {tag} {value!r} is {after.headers.get(tag)!r}"
            compare(before, after, name)
            stack = [before]
            while stack:
                node = stack.pop()
                kept["comments"] += bool(node.comment) + bool(node.starting_comment)
                kept["glyphs"] += len(node.nags)
                kept["variations"] += max(0, len(node.variations) - 1)
                stack.extend(node.variations)
        evaluated = sum(node.eval() is not None for game in annotated for node in game.mainline())
        assert evaluated > 0, "no move has an evaluation"
    print(
        f"{count} games, {done_before} of them done before the kill: kept {kept['comments']} comments, "
        f"{kept['variations']} variations, {kept['glyphs']} glyphs; {evaluated} moves have an evaluation"
    )


if __name__ == "__main__":
    main()
