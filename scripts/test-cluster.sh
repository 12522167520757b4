#!/usr/bin/env bash
# Builds the cluster for Open MPI and for MPICH and runs 1, 2 and 4 ranks of each: trees and chess positions, compared with one
# process alone; messages that are too long; a position through UCI; what a killed job leaves in /dev/shm. Installs the packages it needs (Debian).
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null; }
if ! have mpicc.openmpi || ! have mpicc.mpich || ! have clang; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends openmpi-bin libopenmpi-dev mpich libmpich-dev clang libclang-dev >/dev/null
fi
# Open MPI refuses to run as root without these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

for mpi in openmpi mpich; do
    export MPICC=mpicc.$mpi
    # Each MPI has its own target directory: cargo does not see the difference.
    [ $mpi = openmpi ] && export CARGO_TARGET_DIR=target || export CARGO_TARGET_DIR=target/mpich
    cargo build --quiet -p jamboree -p jamboree-cluster --features jamboree/mpi,jamboree-cluster/mpi --bin jamboree --example check --example oversized
    [ $mpi = openmpi ] && start="mpirun.openmpi --oversubscribe --bind-to none" || start="mpirun.mpich"
    for ranks in 1 2 4; do
        printf '%s: ' $mpi
        timeout 300 $start -n $ranks "$CARGO_TARGET_DIR/debug/examples/check"
        timeout 60 $start -n $ranks "$CARGO_TARGET_DIR/debug/examples/oversized"
        heard=$( (printf 'setoption name Threads value 4\nisready\nposition startpos moves e2e4\ngo depth 8\n'; sleep 5; echo quit) |
            timeout 60 $start -n $ranks "$CARGO_TARGET_DIR/debug/jamboree" cluster)
        [ "$(grep -c '^bestmove' <<<"$heard")" = 1 ] || { echo "not one bestmove from $ranks ranks:"; echo "$heard"; exit 1; }
    done
    # The files of shared memory that a killed job leaves go when the next one starts.
    shared() { ls /dev/shm; }
    before=$(shared)
    sleep 20 2>/dev/null | setsid $start -n 2 "$CARGO_TARGET_DIR/debug/jamboree" cluster >/dev/null 2>&1 &
    job=$!
    for _ in {1..50}; do [ "$(shared | grep -c '^jamboree-rank')" -ge 2 ] && break || sleep 0.1; done
    kill -9 $(pgrep -s $job)
    left=$(shared)
    timeout 60 $start -n 1 "$CARGO_TARGET_DIR/debug/jamboree" cluster --check --threads 1 </dev/null >/dev/null
    after=$(shared)
    # MPICH removes the names of its files at once, and a killed job leaves nothing.
    [ "$left" != "$before" ] || [ $mpi = mpich ] || { echo "$mpi: a killed job left nothing to test"; exit 1; }
    [ "$after" = "$before" ] || { echo "$mpi: in /dev/shm is more than before:"; echo "$after"; exit 1; }
    printf '%s: files of a killed job were removed: %s\n' $mpi "$(comm -13 <(echo "$before") <(echo "$left") | tr '\n' ' ')"
done
