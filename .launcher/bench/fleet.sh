# 12 min: what a fleet costs the central service: CPU by thread, memory, bytes of the console, acknowledgements, age of the judgement.
#
# For each size a central service is started with a data directory of its own, on loopback. Agents are played by the real reporter, each with a
# token of its own. They first report the seconds that the rings hold, so that memory is what it would be after a quarter of an hour. Then the
# costs of some seconds are measured; after these the event stream of one tab, and the live objects after a collection.
#
#   ./komainu bench fleet [--services LIST] [--servers N] [--heap LIST] [--seconds N] [--past N] [--restart] [--tls] [--profile] [--out DIR]
#   ./komainu bench fleet --incidents [--services N] [--count N] [--minutes N] [--at-a-time N] [--recordings DIR] [--servers N] [--heap SIZE] [--past N] [--out DIR]
#   ./komainu bench fleet --record [--recordings DIR]
#   ./komainu bench fleet --cut DIR,… [--recordings DIR]
#
#   --services LIST  sizes, divided by commas (default 50,200,500)
#   --servers N      servers of each agent (default 10)
#   --heap LIST      heap of each size, such as 384m, divided by commas; `default`: what src/jvm.options says (default: default for all)
#   --seconds N      measured seconds (default 30)
#   --past N         seconds that the agents report before the measurement (default 900)
#   --restart        afterwards the service is killed and started again: seconds until all services are judged, alerts twice or missed
#   --tls            the agents enrol, and report by TLS with certificates of their own
#   --profile        also write a recording of the JVM (recording-SIZE.jfr) and the classes of live objects (classes-SIZE.txt)
#   --out DIR        where results.md and results.json go (default: target/bench/fleet)
#
# With --incidents, recorded drills (real servers, real faults) are reported again by played agents: each once to a central service of its own, then all
# to one central service with the quiet services of a fleet. The right cause must be named at most 5 s later there, and no quiet service named at all.
# The results are results-incidents.md and .json. Exit code 0: all of this holds.
#
#   --services N       services in all, incidents included (default 500)
#   --count N          incidents (default 20). With fewer recordings, a recording is several incidents on hosts of their own
#   --minutes N        how long the quiet services are observed; the incidents begin one after the other in this time (default 60)
#   --at-a-time N      incidents played alone at the same time, each to a central service of its own, 1 to 20 (default 4)
#   --recordings DIR   the recorded incidents: NAME.zst and NAME.json (default: target/bench/incidents)
#   --record           plays nothing: runs 27 drills of bench drills (25 min, needs root), and cuts their recordings to one service each
#   --cut DIR,…        plays nothing: cuts what `bench drills --out DIR` recorded before
#
# KOMAINU_BENCH_OLD, the directory of another checkout that is built, is measured instead of this one.

perform() {
  local given=() out="$ROOT/target/bench/fleet" servers=10 recordings="$ROOT/target/bench/incidents" incidents=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --services | --heap | --seconds | --past) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --servers) need_value "$1" $# && servers=$2 && shift ;;
      --restart | --profile | --tls) given+=("$1") ;;
      --incidents) incidents=yes ;;
      --record) incidents=yes && given+=("$1") ;;
      --cut) need_value "$1" $# && incidents=yes && given+=("$1" "$2") && shift ;;
      --count | --minutes | --at-a-time) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --recordings) need_value "$1" $# && recordings=$2 && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/fleet.sh"; return 0 ;;
      *) wrong_option "bench fleet" "$1" ;;
    esac
    shift
  done
  need_number --servers "$servers" 1 64
  # Options of the other form are refused by name.
  local each
  for each in "${given[@]}"; do
    case "$incidents:$each" in
      yes:--seconds | yes:--restart | yes:--profile | yes:--tls | :--count | :--minutes | :--at-a-time) wrong_option "bench fleet" "$each" ;;
    esac
  done
  need_jdk
  provide python3 || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  ulimit -n 20000 2>/dev/null || ulimit -n "$(ulimit -Hn)"
  local central
  if [ -n "${KOMAINU_BENCH_OLD:-}" ]; then
    central=$(old_command "$KOMAINU_BENCH_OLD" central) || exit 2
  else
    part_command central
    central=${JAVA_COMMAND[*]@Q}
  fi
  local bench=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx5g
    -cp "$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*")
  local fleet=("${bench[@]}" dev.komainu.bench.fleet.FleetAgents)
  if [ -z "$incidents" ]; then
    python3 -B "$ROOT/.launcher/bench/crunch/fleet.py" --central "$central" --fleet "${fleet[*]@Q}" --servers "$servers" --komainu "$ROOT/komainu" \
      --jcmd "$JDK/bin/jcmd" --marker "$(measured fleet)" --out "$out" "${given[@]}"
    return
  fi
  local players=("${bench[@]}" dev.komainu.bench.fleet.IncidentAgents)
  part_command replay
  python3 -B "$ROOT/.launcher/bench/crunch/fleet_incidents.py" --central "$central" --fleet "${fleet[*]@Q}" --players "${players[*]@Q}" \
    --replay "${JAVA_COMMAND[*]@Q}" --komainu "$ROOT/komainu" --servers "$servers" --jcmd "$JDK/bin/jcmd" --marker "$(measured fleet-incidents)" \
    --recordings "$recordings" --out "$out" "${given[@]}"
}
