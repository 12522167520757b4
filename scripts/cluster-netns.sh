#!/usr/bin/env bash
# Hosts made of network namespaces on one machine, joined by a bridge: ranks reach each other only over TCP, as on a real
# network. Needs root, iproute2 and Open MPI.
#
#   scripts/cluster-netns.sh up N              makes N hosts (10.77.0.1 ...), jam0 to jam(N-1)
#   scripts/cluster-netns.sh run N COMMAND...  runs COMMAND on N ranks, one a host, over TCP
#   scripts/cluster-netns.sh delay US          delays every packet by US microseconds (tc netem)
#   scripts/cluster-netns.sh slow I KBIT       limits what host I sends to KBIT kbit/s (tc tbf)
#   scripts/cluster-netns.sh down              removes the hosts
#
# `run` makes the hosts if they do not exist. Example, one engine over two hosts:
#   scripts/cluster-netns.sh run 2 target/release/jamboree cluster
set -euo pipefail

bridge=jambr
net=10.77.0

die() { echo "cluster-netns: $*" >&2; exit 1; }
hosts() { ip netns list | grep -oE '^jam[0-9]+' | sort -V || true; }

up() {
    local count=$1
    [ "$(id -u)" = 0 ] || die "network namespaces need root: run it with sudo"
    ip link show "$bridge" >/dev/null 2>&1 || { ip link add "$bridge" type bridge; ip link set "$bridge" up; }
    for ((i = 0; i < count; i++)); do
        ip netns list | grep -qw "jam$i" && continue
        ip netns add "jam$i"
        ip link add "jamv$i" type veth peer name eth0 netns "jam$i"
        ip link set "jamv$i" master "$bridge" up
        ip -n "jam$i" addr add "$net.$((i + 1))/24" dev eth0
        ip -n "jam$i" link set eth0 up
        ip -n "jam$i" link set lo up
    done
}

# Ends all processes on the hosts: with SIGTERM, after a second with SIGKILL.
stop() {
    local signal host pids
    for signal in TERM KILL; do
        for _ in {1..10}; do
            pids=$(for host in $(hosts); do ip netns pids "$host"; done)
            [ -n "$pids" ] || return 0
            kill "-$signal" $pids 2>/dev/null || true
            sleep 0.1
        done
    done
}

down() {
    stop
    local host
    for host in $(hosts); do
        # A namespace exists as long as its last process; without this its link would stay too.
        ip link del "jamv${host#jam}" 2>/dev/null || true
        ip netns del "$host"
    done
    ip link del "$bridge" 2>/dev/null || true
}

run() {
    local count=$1
    shift
    [ "$(hosts | wc -l)" -ge "$count" ] || up "$count"
    local list="" i
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # Open MPI starts its daemons by `agent HOST COMMAND`: here a host is a namespace.
    cat >"$work/agent" <<'AGENT'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
last=${1##*.}
shift
host=jam$((last - 1))
# A host has a name of its own.
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
AGENT
    chmod +x "$work/agent"
    for ((i = 1; i <= count; i++)); do list+="$net.$i slots=1"$'\n'; done
    printf '%s' "$list" >"$work/hosts"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    ip netns exec jam0 unshare --uts sh -c 'hostname jam0; exec "$@"' - "${MPIRUN:-mpirun.openmpi}" -n "$count" --hostfile "$work/hosts" --bind-to none \
        --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include "$net.0/24" \
        --mca oob_tcp_if_include "$net.0/24" "$@"
}

case "${1:-}" in
    up) up "${2:?how many hosts?}" ;;
    down) down ;;
    delay)
        for host in $(hosts); do ip netns exec "$host" tc qdisc replace dev eth0 root netem delay "${2:?how many microseconds?}us"; done
        ;;
    slow)
        ip netns exec "jam${2:?which host?}" tc qdisc replace dev eth0 root tbf rate "${3:?how many kbit/s?}kbit" burst 1600 latency 1s
        ;;
    run) [ $# -ge 3 ] || die "say how many ranks, and what to run"; shift; run "$@" ;;
    *) sed -n '2,13p' "$0" | cut -c3-; exit 1 ;;
esac
