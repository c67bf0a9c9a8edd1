# 8 min: CPU of the central service per batch of an agent, and its memory, of two builds in one run.
#
# Each central service runs with a data directory of its own, on loopback, and a fleet of its own reports to it: all at the same time, so
# that other load of this machine affects all of them. CPU time is that of all threads of the service as the kernel counts it: reading, storing and
# judging. KOMAINU_BENCH_OLD, the directory of another checkout that is built, runs twice (old, again): their difference is the noise.
# KOMAINU_BASELINE, a command, adds another build, or the same one with other options of the JVM.
#
#   ./komainu bench ingest [--agents N] [--servers N] [--rounds N] [--seconds N] [--warm-up N] [--tls] [--out DIR]
#
#   --agents N    agents of each fleet (default 8)
#   --servers N   servers of each agent (default 6)
#   --rounds N    measured parts; the table has medians (default 5)
#   --seconds N   seconds of each part (default 60)
#   --warm-up N   seconds before the first part (default 90)
#   --tls          instead: this build in clear text (old, again) and with TLS, where each agent has a certificate (tls)
#   --out DIR     where results.md goes (default: target/bench/ingest)

perform() {
  local tls='' given=() out="$ROOT/target/bench/ingest" agents=8 servers=6
  while [ $# -gt 0 ]; do
    case "$1" in
      --agents) need_value "$1" $# && agents=$2 && shift ;;
      --servers) need_value "$1" $# && servers=$2 && shift ;;
      --rounds | --seconds | --warm-up) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --tls) tls=yes ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/ingest.sh"; return 0 ;;
      *) wrong_option "bench ingest" "$1" ;;
    esac
    shift
  done
  need_jdk
  provide python3 || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  local builds=()
  if [ -n "${KOMAINU_BENCH_OLD:-}" ]; then
    local old
    old=$(old_command "$KOMAINU_BENCH_OLD" central) || exit 2
    builds=(--build "old=$old" --build "again=$old")
  fi
  part_command central
  if [ -n "$tls" ]; then
    builds=(--build "old=${JAVA_COMMAND[*]@Q}" --build "again=${JAVA_COMMAND[*]@Q}" --build "tls=${JAVA_COMMAND[*]@Q}")
  else
    builds+=(--build "new=${JAVA_COMMAND[*]@Q}")
  fi
  [ -z "${KOMAINU_BASELINE:-}" ] || builds+=(--build "baseline=$KOMAINU_BASELINE")
  local fleet=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx200m
    -cp "$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*"
    dev.komainu.bench.fleet.FleetAgents --agents "$agents" --servers "$servers")
  python3 -B "$ROOT/.launcher/bench/ingest.py" --fleet "${fleet[*]@Q}" --komainu "$ROOT/komainu" --out "$out" "${builds[@]}" "${given[@]}"
}
