#!/usr/bin/env bash
# A large capture file, side by side: file.sh [RUNS [CONNECTIONS [FILE]]]; 3 runs, 131906 connections, /tmp/komainu-bench.pcap.
#
# Makes the capture when it is not there (make-capture.py --reused; 2.7 GB), reads it once into the page cache, then runs in turn:
# analyze for people and with --json, tcpdump (reads and writes only), tcptrace with statistics, tshark's table of connections.
# A line a tool: median CPU seconds (user + system, whole process, start of the JVM included), the least and the most, packets
# for each CPU second, resident memory, connections counted. What is not installed is left out. TSHARK=no leaves tshark out.
set -euo pipefail
RUNS=${1:-3} CONNECTIONS=${2:-131906} FILE=${3:-/tmp/komainu-bench.pcap}
HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
ROOT=$(cd "$HERE/../../../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
for part in say machine build parts; do . "$ROOT/.launcher/$part.sh"; done
need_jdk
[ -s "$(practised analyze)" ] || practise
part_command analyze

[ -s "$FILE" ] || python3 "$HERE/make-capture.py" "$FILE" --reused "$CONNECTIONS" >&2
PACKETS=$(python3 - "$FILE" <<'P'
import mmap, struct, sys
with open(sys.argv[1], "rb") as f:
    m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    at, count, size = 24, 0, len(m)
    while at < size:
        at += 16 + struct.unpack_from("<I", m, at + 8)[0]
        count += 1
print(count)
P
)
cat "$FILE" >/dev/null
printf '%s: %s packets, %s bytes; load %s\n' "$FILE" "$PACKETS" "$(stat -c %s "$FILE")" "$(cut -d' ' -f1 /proc/loadavg)"
printf '%-22s %8s %16s %14s %8s %14s\n' tool 'CPU s' 'least to most' 'packets/CPU s' 'RSS MB' connections

# measure NAME COUNT-COMMAND TOOL...; the count command reads the tool's output.
measure() {
  local name=$1 count=$2 run
  shift 2
  command -v "$1" >/dev/null || { printf '%-22s not installed\n' "$name"; return; }
  : >"$WORK/times"
  for run in $(seq "$RUNS"); do
    /usr/bin/time -a -o "$WORK/times" -f '%U %S %M' "$@" >"$WORK/out" 2>"$WORK/err" || { printf '%-22s failed: %s\n' "$name" "$(tail -1 "$WORK/err")"; return; }
  done
  awk '{print $1 + $2, $3 / 1024}' "$WORK/times" | sort -n | awk -v name="$name" -v packets="$PACKETS" -v found="$(eval "$count" <"$WORK/out")" '
    {cpu[NR] = $1; if ($2 > most) most = $2}
    END {middle = cpu[int((NR + 1) / 2)]
      printf "%-22s %8.2f %16s %14.0f %8.0f %14s\n", name, middle, sprintf("%.2f to %.2f", cpu[1], cpu[NR]), packets / middle, most, found}'
}

measure 'analyze' "head -1 | sed 's/ .*//; s/,//g'" "${JAVA_COMMAND[@]}" "$FILE"
measure 'analyze --json' 'wc -l' "${JAVA_COMMAND[@]}" --json "$FILE"
measure 'tcpdump -w (writes)' 'echo -' tcpdump -nr "$FILE" -w /dev/null
measure 'tcptrace -l -n -r -W' "grep -c '^TCP connection [0-9]'" tcptrace -l -n -r -W "$FILE"
[ "${TSHARK:-yes}" = no ] || measure 'tshark -z conv,tcp' "grep -c '<->'" tshark -nr "$FILE" -q -z conv,tcp
