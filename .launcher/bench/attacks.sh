# 8 min: attacks on a running platform: does it stay up, and does it lose data?
#
# `./komainu up` is started with a data directory of its own, on loopback. Agents of a fleet report to it, event streams are open, and an
# administrator who is logged in requests a page each second. Then each attack of docs/security.md is carried out. After each: the same
# processes, the administrator's slowest page, and the memory that is in use after a collection.
#
#   ./komainu bench attacks [--only NAMES] [--rounds N] [--warm-up SECONDS] [--agents N] [--servers N] [--out DIR] [--list]
#
#   --only NAMES  these attacks, divided by commas
#   --rounds N    all attacks N times (default 1)
#   --warm-up S   seconds in which the fleet reports before the first attack (default 60); from 1000 on the memory in use
#                 before and after all rounds is compared
#   --agents N    agents of the fleet (default 20)
#   --servers N   servers of each agent (default 10)
#   --out DIR     where results.md and results.json go (default: target/bench/attacks)
#   --list        the attacks
#
# KOMAINU_BENCH_OLD, the directory of another checkout that is built, is attacked instead of this one.
#
# Exit code 0: every attack was withstood, the agents lost no record, and all names are known after a restart.

perform() {
  local given=() out="$ROOT/target/bench/attacks" agents=20 servers=10 ports=17600
  while [ $# -gt 0 ]; do
    case "$1" in
      --only | --rounds | --warm-up) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --agents) need_value "$1" $# && agents=$2 && shift ;;
      --servers) need_value "$1" $# && servers=$2 && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --list) python3 -B "$ROOT/.launcher/bench/attacks/run.py" --list && return 0 ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/attacks.sh"; return 0 ;;
      *) wrong_option "bench attacks" "$1" ;;
    esac
    shift
  done
  need_jdk
  provide python3 || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  ulimit -n 20000 2>/dev/null || ulimit -n "$(ulimit -Hn)"
  local work
  work=$(mktemp -d "${TMPDIR:-/tmp}/komainu-attacks-XXXXXX") || exit 1
  KOMAINU_MORE_PARTS=any setsid "${KOMAINU_BENCH_OLD:-$ROOT}/komainu" up --demo --data "$work/data" --ports "$ports" >"$work/up.log" 2>&1 &
  local up=$!
  # shellcheck disable=SC2064
  trap "kill -TERM $up 2>/dev/null; wait $up 2>/dev/null; rm -rf '$work'" EXIT
  local i
  for ((i = 0; i < 360; i++)); do
    grep -qs 'Komainu is up' "$work/up.log" && break
    kill -0 "$up" 2>/dev/null || { tail -n 20 "$work/up.log" >&2; say_error "bench attacks: ./komainu up ended"; exit 1; }
    sleep 0.5
  done
  local fleet=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -Xmx400m
    -cp "$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*"
    dev.komainu.bench.fleet.FleetAgents --agents "$agents" --servers "$servers" --directory "$work/spools")
  python3 -B "$ROOT/.launcher/bench/attacks/run.py" --data "$work/data" --jcmd "$JDK/bin/jcmd" --out "$out" \
    --fleet "${fleet[*]@Q}" --up-log "$work/up.log" "${given[@]}"
}
