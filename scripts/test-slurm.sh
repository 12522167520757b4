#!/usr/bin/env bash
# Runs the examples of docs/cluster.md's Slurm section on a real Slurm, with two nodes on this machine: network namespaces with a
# host name, a /tmp and a /dev/shm of their own (scripts/cluster-netns.sh), each with its slurmd. After the check, a game is played
# through the front, `scancel` ends its job in the middle of a search, and the game goes on; a batch job is ended by `scancel` and
# submitted again.
# Installs the packages it needs (Debian); needs root. Uses no part of a Slurm that the machine may have, and leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null; }
packages="slurm-wlm munge openmpi-bin libopenmpi-dev clang libclang-dev iproute2"
if ! have slurmd || ! have munged || ! have mpicc.openmpi || ! have clang || ! have ip; then
    apt-get update -qq
    # The packages start daemons where there is a systemd, which we do not need.
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi
MPICC=mpicc.openmpi cargo build --quiet -p jamboree --features jamboree/mpi --bin jamboree

work=$(mktemp -d "$PWD/target/slurm-XXXXXX")
chmod 755 "$work"
nodes=2
front=""
die() {
    echo "test-slurm: $*" >&2
    tail -n 20 "$work"/*.log "$work"/*.out 2>/dev/null >&2 || true
    exit 1
}
cleanup() {
    [ -z "$front" ] || kill "$front" 2>/dev/null || true
    local file
    for file in "$work"/*.pid "$work"/munge/pid; do
        [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
    done
    scripts/cluster-netns.sh down
    # The daemons write while they end.
    for _ in {1..20}; do rm -rf "$work" 2>/dev/null && break || sleep 0.2; done
}
trap cleanup EXIT

# --- Slurm ---
mkdir "$work/munge" "$work/state"
head -c 128 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
chown -R munge: "$work/munge"
runuser -u munge -- munged --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"
scripts/cluster-netns.sh up $nodes
ip addr add 10.77.0.254/24 dev jambr
cat >"$work/slurm.conf" <<CONF
ClusterName=jamboree
SlurmctldHost=$(hostname)(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName=jam[0-$((nodes - 1))] NodeAddr=10.77.0.[1-$nodes] CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld >"$work/slurmctld.out" 2>&1 </dev/null
for ((i = 0; i < nodes; i++)); do
    mkdir "$work/spool-jam$i"
    nsenter --net=/run/netns/jam$i unshare --uts --mount sh -c \
        "hostname jam$i; mount -t tmpfs tmpfs /tmp; mount -t tmpfs tmpfs /dev/shm; exec slurmd -N jam$i" \
        >"$work/slurmd-jam$i.out" 2>&1 </dev/null
done
for _ in {1..50}; do [ "$(sinfo -h -t idle -o %D)" = $nodes ] && break || sleep 0.2; done
[ "$(sinfo -h -t idle -o %D)" = $nodes ] || die "the nodes are not ready: $(sinfo)"

# --- the examples, with this program and fewer nodes ---
mkdir "$work/bin"
ln -s "$PWD/target/debug/jamboree" "$work/bin/jamboree"
export PATH=$work/bin:$PATH
# example N: the indented block number N of the Slurm section.
example() {
    awk -v wanted="$1" '
        /^## / { inside = $2 == "Slurm" }
        inside && /^    / { if (!block) number++; block = 1; if (number == wanted) print substr($0, 5); next }
        { if ($0 != "") block = 0 }' docs/cluster.md |
        sed "s/--nodes=16/--nodes=$nodes/; s/--cpus-per-task=64/--cpus-per-task=$(nproc)/; s/--threads 1024/--threads $nodes/
             s/value 1024/value $nodes/; s/262144/64/; s/movetime 600000/movetime 6000/; s/sleep 605/sleep 8/"
}

step() { printf '%s\n' "-- $1"; }

step "the check"
check=$(example 1)
[[ $check == srun*--check* ]] || die "no example with --check: $check"
timeout 60 $check </dev/null || die "the check has found something"

step "a game through the front; scancel in the middle of a search"
example 2 >"$work/front.sh"
grep -q -- --job "$work/front.sh" || die "no example of a front"
coproc FRONT { exec bash "$work/front.sh" 2>"$work/front.out"; }
front=$FRONT_PID
exec {to}>&"${FRONT[1]}" {from}<&"${FRONT[0]}"
moves=""
heard=""
say() { echo "$1" >&$to; }
# until_line WORD: reads lines until one begins with the word; all lines are in `heard`.
until_line() {
    local line
    heard=""
    while IFS= read -r -t 60 line <&$from; do
        heard+=$line$'\n'
        [[ $line == "$1"* ]] && return
    done
    die "no '$1' from the front; it said: $heard"
}
best() {
    until_line bestmove
    local mv
    mv=$(grep -oP '^bestmove \K\S+' <<<"$heard")
    [[ $mv =~ ^[a-h][1-8][a-h][1-8][qrbn]?$ ]] || die "not a move: $mv"
    moves+=" $mv"
}
play() { say "position startpos${moves:+ moves$moves}"; say "go movetime 500"; best; }
jobs_now() { squeue -h -t running -o %i; }
# Waits until one job runs, other than the one named.
other_job() {
    local job
    for _ in {1..150}; do
        job=$(jobs_now)
        [[ -n $job && $job != "$1" ]] && { echo "$job"; return; }
        sleep 0.2
    done
    die "no other job than '$1' runs: $(squeue)"
}
say uci; until_line uciok
say "setoption name Threads value $nodes"; say isready; until_line readyok
for _ in {1..4}; do play; done
first=$(other_job "")
[[ $heard == *"nodes"* ]] || die "no search of the job: $heard"
say "position startpos moves$moves"
say "go movetime 3000"
sleep 1
scancel "$first"
best
echo "job $first was cancelled: $(grep -m1 'string cluster' <<<"$heard" || echo 'no word of it')"
second=$(other_job "$first")
# The new job may be there before the answer, or only some moves later.
for _ in {1..40}; do
    grep -q 'info string cluster: the job is back' <<<"$heard" && break
    play
done
grep 'info string cluster: the job is back' <<<"$heard" || die "the job did not come back; the front said: $heard"
for _ in {1..4}; do play; done
[ "$(jobs_now)" = "$second" ] || die "another job runs: $(squeue)"
echo "job $second goes on with the game:$moves"
say quit
wait "$front" || true
front=""
refused=$(printf 'position startpos moves%s\ngo depth 1\nquit\n' "$moves" | jamboree | grep -v '^info depth' || true)
[[ $refused == "bestmove "* || $refused == *$'\n'"bestmove "* ]] && ! grep -qi 'illegal\|error' <<<"$refused" || die "the moves are not a game: $refused"
for _ in {1..50}; do [ -z "$(squeue -h)" ] && break || sleep 0.2; done
[ -z "$(squeue -h)" ] || die "after 'quit' a job is left: $(squeue)"

step "a batch job, ended by scancel and submitted again"
example 3 >"$work/batch.sh"
grep -q '^#SBATCH' "$work/batch.sh" || die "no example of a batch job"
submit() { sbatch --parsable --chdir="$work" --output="$work/batch-$1.out" "$work/batch.sh"; }
batch=$(submit 1)
for _ in {1..100}; do grep -q '^info depth' "$work/batch-1.out" 2>/dev/null && break || sleep 0.2; done
scancel "$batch"
for _ in {1..50}; do [ -z "$(squeue -h)" ] && break || sleep 0.2; done
grep -q '^info depth' "$work/batch-1.out" || die "the first batch job did not search"
[[ $(scontrol show job "$batch") == *JobState=CANCELLED* ]] || die "the first batch job ended before it was cancelled"
echo "job $batch was cancelled"
submit 2 >/dev/null
for _ in {1..150}; do grep -q '^bestmove' "$work/batch-2.out" 2>/dev/null && break || sleep 0.2; done
grep '^bestmove' "$work/batch-2.out" || die "the second batch job gave no move"
