#!/usr/bin/env bash
# The agent at a link: live.sh [PACKETS_A_SECOND [SECONDS [RUNS [AGENT OPTION...]]]]; 0 packets a second: as fast as it goes.
#
# A veth pair between two network namespaces of its own; tcpreplay sends a preloaded capture from one end, the agent watches the
# other with a snaplen of 128 bytes. Prints what was sent, captured and dropped (the agent's own word, told in its windows and at
# its end), and the CPU of the agent's capture threads together and of the whole agent while the packets came. Needs root, tcpreplay, python3.
set -euo pipefail
RATE=${1:-300000} SECONDS_LONG=${2:-30} RUNS=${3:-3}
shift $(($# < 3 ? $# : 3))
HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
ROOT=$(cd "$HERE/../../../.." && pwd)
WORK=$(mktemp -d)
A=kma$$ B=kmb$$
AGENT=''
cleanup() {
  [ -n "$AGENT" ] && kill -9 "$AGENT" 2>/dev/null
  ip netns del $A 2>/dev/null
  ip netns del $B 2>/dev/null
  rm -rf "$WORK"
}
trap cleanup EXIT

for part in say machine build parts; do . "$ROOT/.launcher/$part.sh"; done
need_jdk
part_command agent

# Ticks (10 ms) of all threads of a process, then of the capture threads alone.
ticks() {
  local all thread
  all=$(awk '{print $14 + $15}' "/proc/$1/stat")
  thread=$(for t in /proc/"$1"/task/*; do grep -qs komainu-capture "$t/comm" && awk '{print $14 + $15}' "$t/stat"; done | awk '{sum += $1} END {print sum}')
  echo "$all ${thread:-0}"
}

python3 "$HERE/make-capture.py" "$WORK/small.pcap" 200000 >/dev/null
ip netns add $A
ip netns add $B
ip -n $A link add v0 type veth peer name v1 netns $B
for end in "$A v0" "$B v1"; do
  # shellcheck disable=SC2086
  set -- $end "$@"
  ip -n "$1" link set lo up
  ip netns exec "$1" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
  ip -n "$1" link set "$2" up
  shift 2
done

printf '%-4s %12s %12s %12s %12s %10s %12s %12s\n' run 'sent' 'captured' 'dropped' 'difference' 'packets/s' 'capture core' 'agent core'
for run in $(seq "$RUNS"); do
  ip netns exec $B "${JAVA_COMMAND[@]}" --capture-only --interface v1 --service 10.0.0.80:80 --snaplen 128 --print --data "$WORK/data" "$@" \
    >"$WORK/records" 2>"$WORK/trouble" &
  AGENT=$!
  for _ in $(seq 100); do
    grep -q '"type":"serviceWindow"' "$WORK/records" && break
    sleep 0.2
  done
  pace=(--topspeed)
  [ "$RATE" -gt 0 ] && pace=(--pps="$RATE")
  # Warm: the JVM has compiled its loop before the measurement, as after the first minute of a day.
  ip netns exec $A tcpreplay -q -K --pps=50000 --limit=400000 --loop=0 -i v0 "$WORK/small.pcap" >"$WORK/warm" 2>/dev/null
  warm=$(sed -n 's/.*Actual: \([0-9]*\) packets.*/\1/p' "$WORK/warm")
  sleep 1
  read -r all0 thread0 < <(ticks "$AGENT")
  begun=$(date +%s%N)
  ip netns exec $A tcpreplay -q -K "${pace[@]}" --duration="$SECONDS_LONG" --loop=0 -i v0 "$WORK/small.pcap" >"$WORK/replay" 2>/dev/null
  ended=$(date +%s%N)
  read -r all1 thread1 < <(ticks "$AGENT")
  sent=$(sed -n 's/.*Actual: \([0-9]*\) packets.*/\1/p' "$WORK/replay")
  rate=$(sed -n 's/.*Rated:.* \([0-9.]*\) pps.*/\1/p' "$WORK/replay")
  kill -TERM "$AGENT"
  wait "$AGENT" || true
  AGENT=''
  python3 - "$WORK/records" "$sent" "$warm" "$run" "$rate" "$(((ended - begun) / 1000000))" $((all1 - all0)) $((thread1 - thread0)) <<'P'
import json, sys
path, sent, warm, run, rate, millis, all_ticks, thread_ticks = sys.argv[1:]
captured = dropped = 0
for line in open(path):
    if '"serviceWindow"' in line:
        it = json.loads(line)
        captured += it["capturedPackets"]
        dropped += it["droppedPackets"]
total = int(sent) + int(warm)
print("%-4s %12d %12d %12d %12d %10.0f %12.3f %12.3f" % (run, total, captured, dropped, total - captured - dropped,
      float(rate), int(thread_ticks) * 10 / int(millis), int(all_ticks) * 10 / int(millis)))
P
done
