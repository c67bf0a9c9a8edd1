# 12 min: what a fleet costs the central service: CPU by thread, memory, bytes of the console, acknowledgements, age of the judgement.
#
# For each size a central service is started with a data directory of its own, on loopback. Agents are played by the real reporter, each with a
# token of its own. They first report the seconds that the rings hold, so that memory is what it would be after a quarter of an hour. Then the
# costs of some seconds are measured; after these the event stream of one tab, and the live objects after a collection.
#
#   ./komainu bench fleet [--services LIST] [--servers N] [--heap LIST] [--seconds N] [--past N] [--restart] [--profile] [--out DIR]
#
#   --services LIST  sizes, divided by commas (default 50,200,500)
#   --servers N      servers of each agent (default 10)
#   --heap LIST      heap of each size, such as 384m, divided by commas; `default`: what src/jvm.options says (default: default for all)
#   --seconds N      measured seconds (default 30)
#   --past N         seconds that the agents report before the measurement (default 900)
#   --restart        afterwards the service is killed and started again: seconds until all services are judged, alerts twice or missed
#   --profile        also write a recording of the JVM (recording-SIZE.jfr) and the classes of live objects (classes-SIZE.txt)
#   --out DIR        where results.md and results.json go (default: target/bench/fleet)
#
# KOMAINU_BENCH_OLD, the directory of another checkout that is built, is measured instead of this one.

perform() {
  local given=() out="$ROOT/target/bench/fleet" servers=10
  while [ $# -gt 0 ]; do
    case "$1" in
      --services | --heap | --seconds | --past) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --servers) need_value "$1" $# && servers=$2 && shift ;;
      --restart | --profile) given+=("$1") ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/fleet.sh"; return 0 ;;
      *) wrong_option "bench fleet" "$1" ;;
    esac
    shift
  done
  need_number --servers "$servers" 1 64
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
  local fleet=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx1g
    -cp "$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*"
    dev.komainu.bench.fleet.FleetAgents)
  python3 -B "$ROOT/.launcher/bench/crunch/fleet.py" --central "$central" --fleet "${fleet[*]@Q}" --servers "$servers" \
    --jcmd "$JDK/bin/jcmd" --marker "$(measured fleet)" --out "$out" "${given[@]}"
}
