#!/usr/bin/env bash
# Plants faults in a cluster, one at a time, and checks that `jamboree cluster --check` names each, and nothing else. Hosts are network
# namespaces (scripts/cluster-netns.sh). Installs the packages it needs (Debian); needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null; }
if ! have mpicc.openmpi || ! have mpirun.mpich || ! have clang || ! have ip; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends openmpi-bin libopenmpi-dev mpich clang libclang-dev iproute2 >/dev/null
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Three builds: the one to be checked, the same from another commit, and one without MPI.
work=$PWD/target/cluster-check
mkdir -p "$work"
cleanup() { scripts/cluster-netns.sh down; }
trap cleanup EXIT
build() {
    local name=$1
    shift
    env MPICC=mpicc.openmpi "$@" cargo build --quiet -p jamboree --bin jamboree ${FEATURES:---features jamboree/mpi}
    cp target/debug/jamboree "$work/$name"
}
build sound
build other JAMBOREE_COMMIT=another
FEATURES=--no-default-features build alone

failed=0
# expect WHAT EXIT-CODE PATTERN COMMAND...: runs the command; its output must have a line like the pattern, and no other line
# about a fault.
expect() {
    local what=$1 code=$2 pattern=$3 output got=0
    shift 3
    output=$(timeout 120 "$@" 2>&1 </dev/null) || got=$?
    if [ "$got" = "$code" ] && grep -Eq -- "$pattern" <<<"$output" && ! grep '^wrong:' <<<"$output" | grep -Evq -- "$pattern"; then
        printf 'found: %s\n    %s\n' "$what" "$(grep -Em1 -- "$pattern" <<<"$output")"
    else
        printf 'NOT FOUND: %s (exit code %s, expected %s and /%s/)\n%s\n' "$what" "$got" "$code" "$pattern" "$output"
        failed=1
    fi
}
check="cluster --check"

run=(mpirun.openmpi --quiet --oversubscribe --bind-to none)
expect "nothing, on one host" 0 '^nothing is wrong$' "${run[@]}" -n 2 "$work/sound" $check
expect "another commit on one rank" 1 '^wrong: rank 1 \(.*\): program .*\(another\), others have ' \
    "${run[@]}" -n 1 "$work/sound" $check : -n 1 "$work/other" $check
expect "two ranks on one core" 1 '^wrong: ranks 0-1 \(.*\): 2 threads on 1 core \(0\)' \
    "${run[@]}" -n 2 taskset -c 0 "$work/sound" $check
cores=$(nproc)
expect "fewer cores than threads" 1 "^wrong: rank 0 \(.*\): $((cores + 1)) threads on $cores core" \
    "${run[@]}" -n 1 "$work/sound" $check --threads $((cores + 1))
expect "a rank whose memory is limited" 1 '^wrong: rank 1 \(.*\): the table and the program need 4160 MiB, [0-9]+ MiB can be had' \
    "${run[@]}" -n 1 "$work/sound" $check --hash 8192 : -n 1 bash -c "ulimit -v 3000000; exec $work/sound $check --hash 8192"
expect "a table larger than the host" 1 '^wrong: ranks? .*: the table and the program need' \
    "${run[@]}" -n 2 "$work/sound" $check --hash 16777216
mkdir -p "$work/files"
head -c 99 /dev/zero >"$work/files/net"
expect "a network file that one rank does not have" 1 "^wrong: rank 1 \(.*\): .*$work/files/net.*: put the same file under the same path" \
    "${run[@]}" -n 1 "$work/sound" $check --eval-file "$work/files/net" : \
    -n 1 unshare --mount sh -c "mount -t tmpfs tmpfs $work/files && exec $work/sound $check --eval-file $work/files/net"
expect "a build without MPI under mpirun" 1 '2 processes, but this build has no MPI' "${run[@]}" -n 2 "$work/alone" cluster
expect "a build for another MPI than the launcher's" 1 '2 processes, but the MPI of this build \(Open MPI.*\) sees 1' \
    mpirun.mpich -n 2 "$work/sound" cluster

scripts/cluster-netns.sh up 3
run=(scripts/cluster-netns.sh run)
expect "nothing, on three hosts" 0 '^nothing is wrong$' "${run[@]}" 3 "$work/sound" $check --threads 2
scripts/cluster-netns.sh slow 2 300
expect "a slow link to one host" 1 '^wrong: host jam2 and all others: slow: ' "${run[@]}" 3 "$work/sound" $check --threads 2
exit $failed
