#!/usr/bin/env python3
"""Checks with Perfetto's own message classes that a trace says what the accounts say.

Usage: check-trace.py JAMBOREE        (needs: pip install perfetto)

Runs the benchmark twice on the same virtual machine, with --trace and with --json, and compares the time of each kind and the share
of time without work. Also checks the file itself: slices nest, every track is described, every arrow has two ends. The first
difference ends the program with exit code 1.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

SEARCH = ["bench", "--suite", "kaufman", "--depth", "7", "--machine", "virtual", "--processors", "8"]
KINDS = [
    *("working", "looking", "back_off", "answering", "sharing"),
    *("waiting", "table", "serving", "network", "dismissal"),
]
IDLE = ["looking", "back_off", "waiting", "network", "dismissal"]


def read(path: pathlib.Path) -> tuple[collections.Counter, collections.Counter]:
    """The time of each kind, and how many marks of each name there are."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    times, marks = collections.Counter(), collections.Counter()
    described, opened, begun, ended = set(), {}, [], []
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id, "a packet without a sequence"
        if packet.HasField("track_descriptor"):
            described.add(packet.track_descriptor.uuid)
            continue
        event = packet.track_event
        track = event.track_uuid
        assert track in described, f"track {track} is not described"
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert track not in opened, f"slices overlap on track {track}"
            opened[track] = (event.name, packet.timestamp)
        elif event.type == TrackEvent.TYPE_SLICE_END:
            name, start = opened.pop(track)
            assert start <= packet.timestamp, f"a slice of track {track} ends before it begins"
            times[name] += packet.timestamp - start
        else:
            marks[event.name] += 1
        begun.extend(event.flow_ids)
        ended.extend(event.terminating_flow_ids)
    assert not opened, "a slice has no end"
    assert sorted(begun) == sorted(ended) and len(set(begun)) == len(begun), "an arrow has not two ends"
    return times, marks


def check(jamboree: str, profile: str, folder: pathlib.Path) -> None:
    """One virtual machine."""
    path = folder / f"{profile}.pftrace"
    command = [jamboree, *SEARCH, "--profile", profile]
    subprocess.run([*command, "--trace", path], check=True, stdout=subprocess.DEVNULL)
    plain = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True).stdout)
    accounts = collections.Counter()
    for position in plain["positions"]:
        numbers = position["accounts"]
        accounts.update({name: numbers[name] for name in [*KINDS, "steals", "cutoffs"]})
    times, marks = read(path)
    for kind in KINDS:
        assert times[kind] == accounts[kind], f"{profile}: {kind} is {times[kind]}, not {accounts[kind]}"
    assert (marks["helps"], marks["cut"]) == (accounts["steals"], accounts["cutoffs"]), f"{profile}: {marks}"
    share = sum(times[kind] for kind in IDLE) / sum(times[kind] for kind in KINDS)
    print(f"{profile:10} {100 * share:5.1f} % without work, {marks['helps']} steals, {marks['cut']} cuts: as in the accounts")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        for profile in ["ideal", "startech", "cray-c90", "socrates", "zugzwang"]:
            try:
                check(sys.argv[1], profile, pathlib.Path(folder))
            except AssertionError as error:
                sys.exit(f"check-trace: {error}")


main()
