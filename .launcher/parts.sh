# The parts: where their classes lie, with which JVM switches they run.

part_module() {
  case "$1" in
    central | diagnose | audit | backup | move | replay | thresholds) echo src ;;
    proxy | organizer) echo "proxy-core/$1" ;;
    load | load-origin | demo-load | demo-origin) echo proxy-core/load ;;
    agent | analyze | evidence) echo monitor/agent ;;
  esac
}

part_jar() {
  case "$1" in
    central | diagnose | audit | backup | move | replay | thresholds) echo komainu-central ;;
    proxy | organizer) echo "komainu-$1" ;;
    load | load-origin | demo-load | demo-origin) echo komainu-load ;;
    agent | analyze | evidence) echo komainu-agent ;;
  esac
}

part_main() {
  case "$1" in
    central) echo dev.komainu.central.CentralApplication ;;
    diagnose) echo dev.komainu.central.terminal.Diagnose ;;
    audit) echo dev.komainu.central.audit.command.AuditCommand ;;
    backup) echo dev.komainu.central.backup.command.BackupCommand ;;
    move) echo dev.komainu.central.backup.move.MoveCommand ;;
    replay) echo dev.komainu.central.replay.ReplayCommand ;;
    thresholds) echo dev.komainu.central.sweep.ThresholdSweep ;;
    proxy) echo dev.komainu.proxy.ProxyServer ;;
    organizer) echo dev.komainu.organizer.OrganizerServer ;;
    agent) echo dev.komainu.agent.MonitorAgent ;;
    analyze) echo dev.komainu.agent.Analyze ;;
    evidence) echo dev.komainu.agent.evidence.EvidenceCommand ;;
    load) echo dev.komainu.load.Load ;;
    load-origin) echo dev.komainu.load.ThinkingOrigin ;;
    demo-load) echo dev.komainu.load.DemoLoad ;;
    demo-origin) echo dev.komainu.load.DemoOrigin ;;
  esac
}

# part_command PART [ARGUMENTS]: fills the array JAVA_COMMAND for a part; its arguments are only read. Call need_jdk first.
part_command() {
  local part=$1 module
  shift
  module=$(part_module "$part")
  local options=()
  case "$part" in
    central | agent)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/$module/jvm.options" 2>/dev/null)
      # Settings come from no file of the directory it happens to be started in.
      [ "$part" = agent ] || options+=(-Dspring.config.location=classpath:/)
      ;;
    proxy)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/proxy-core/jvm.options" 2>/dev/null)
      use_practice proxy && proxy_heap "$@"
      ;;
    evidence | diagnose | audit) options=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx64m) ;;
    replay | backup | move) options=(-XX:+UseSerialGC -Xmx512m) ;;
    thresholds) options=(-XX:+UseParallelGC -Xmx4g) ;;
    organizer)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/proxy-core/organizer.jvm.options" 2>/dev/null)
      use_practice organizer
      ;;
    # A load must be limited by the server's memory, not by its own.
    load | load-origin) options=(-Xmx512m -XX:+UseSerialGC) ;;
    demo-*) options=(-Xmx48m -XX:+UseSerialGC -XX:TieredStopAtLevel=1) ;;
    analyze)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/$module/analyze.jvm.options" 2>/dev/null)
      use_practice analyze
      ;;
  esac
  JAVA_COMMAND=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED "${options[@]}" ${KOMAINU_JAVA_OPTIONS:-}
    -cp "$ROOT/$module/target/$(part_jar "$part")-0.1.0-SNAPSHOT.jar:$ROOT/$module/target/lib/*" "$(part_main "$part")")
}

# old_command DIRECTORY PART: the command of a part as another checkout, built before, runs it, quoted for the shell.
old_command() {
  [ -x "$1/komainu" ] || { say_error "KOMAINU_BENCH_OLD: $1 (expected: the directory of another checkout, built with ./komainu build)"; exit 2; }
  bash -c 'ROOT=$1 JDK=$2
    . "$ROOT/.launcher/say.sh" && . "$ROOT/.launcher/machine.sh" && . "$ROOT/.launcher/parts.sh" || exit 1
    part_command "$3" && printf "%q " "${JAVA_COMMAND[@]}"' old "$(cd "$1" && pwd)" "$JDK" "$2"
}

# proxy_heap [ARGUMENTS]: adds a heap that suits the cap to the caller's options: 24 MB and 5/16 of it, of which the cache's entries
# may take 2/5 (MemoryCache), 8 KB for each client connection that connections.max allows (HTTP/2 over TLS takes that; HTTP/1 takes 1.5 KB), and 4 KB
# for each request that may wait for an origin beyond the usual number. When the cap cannot be read, jvm.options decides. For large heaps
# another collector avoids the long pauses of the smallest one.
proxy_heap() {
  local cap=${KOMAINU_CACHE_MEMORY:-} open=${KOMAINU_UPSTREAM_MAX_OPEN:-} clients=${KOMAINU_CONNECTIONS_MAX:-} file='' unit heap
  [ $# -gt 0 ] || [ -n "$cap" ] || return 0
  local given=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --memory) given=${2:-} ;;
      --memory=*) given=${1#*=} ;;
      --config) file=${2:-} ;;
      --config=*) file=${1#*=} ;;
    esac
    shift
  done
  cap=${given:-$cap}
  if [ -z "$cap" ]; then
    cap=64MB
    [ -z "$file" ] || cap=$(awk '/^[^ #]/ {inside = /^cache:/} inside && $1 == "memory:" {print $2; exit}' "$file" 2>/dev/null)
  fi
  if [ -z "$open" ] && [ -n "$file" ]; then
    open=$(awk '/^[^ #]/ {inside = /^upstream:/} inside && $1 == "max-open:" {print $2; exit}' "$file" 2>/dev/null)
  fi
  [[ $open =~ ^[0-9]{1,6}$ ]] || open=0
  if [ -z "$clients" ] && [ -n "$file" ]; then
    clients=$(awk '/^[^ #]/ {inside = /^connections:/} inside && $1 == "max:" {print $2; exit}' "$file" 2>/dev/null)
  fi
  [[ $clients =~ ^[0-9]{1,7}$ ]] || clients=10000
  [[ $cap =~ ^([0-9]{1,7})(KB|MB|GB|TB)$ ]] || return 0
  case ${BASH_REMATCH[2]} in
    KB) unit=0 ;;
    MB) unit=1 ;;
    GB) unit=1024 ;;
    TB) unit=1048576 ;;
  esac
  heap=$((24 + BASH_REMATCH[1] * unit * 5 / 16 + clients / 128 + (open > 4096 ? (open - 4096) / 256 : 0)))
  options+=("-Xmx${heap}m")
  [ "$heap" -le 4096 ] || options+=(-XX:-UseSerialGC -XX:+UseG1GC)
}

# The AOT cache of a part from its practice run; the JVM ignores it when a library or the JDK has changed.
practised() { printf '%s/%s/target/%s.aot' "$ROOT" "$(part_module "$1")" "$1"; }

# Adds the switch for the AOT cache to the caller's options, when the cache is newer than the part itself.
use_practice() {
  if [ "$(practised "$1")" -nt "$ROOT/$(part_module "$1")/target/$(part_jar "$1")-0.1.0-SNAPSHOT.jar" ]; then
    options+=("-XX:AOTCache=$(practised "$1")")
  fi
  return 0
}

# Runs analyze, the proxy and the organizer with artificial work, so that later runs start faster and compile less. Everything also works without it.
practise() {
  local capture
  capture=$(mktemp) || return 0
  practise_part analyze dev.komainu.agent.PracticeCapture "$capture"
  rm -f "$capture"
  practise_part proxy dev.komainu.proxy.PracticeServing 6
  practise_part organizer dev.komainu.organizer.PracticeOrganizing 6
}

# practise_part PART MAIN-CLASS ARGUMENT
practise_part() {
  local cache
  cache=$(practised "$1")
  rm -f "$cache"
  KOMAINU_JAVA_OPTIONS="-XX:AOTCacheOutput=$cache.new" part_command "$1"
  JAVA_COMMAND[-1]=$2
  "${JAVA_COMMAND[@]}" "$3" >/dev/null 2>&1 && [ -s "$cache.new" ] && mv "$cache.new" "$cache"
  rm -f "$cache.new" "$cache.new.config"
  return 0
}

# as_user: puts setpriv before JAVA_COMMAND, so that the part runs as the user KOMAINU_RUN_AS with the capabilities of KOMAINU_CAPABILITIES and
# no others. They are ambient: they belong to this process, not to a java that everybody may start.
as_user() {
  local user=$KOMAINU_RUN_AS capabilities=+${KOMAINU_CAPABILITIES:-net_raw}
  capabilities=${capabilities//,/,+}
  if [ "$(id -u)" != 0 ] || ! id "$user" >/dev/null 2>&1; then
    say_error "KOMAINU_RUN_AS: $user (expected: an existing user, and a start as root)"
    exit 2
  fi
  JAVA_COMMAND=(setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups --inh-caps "-all,$capabilities"
    --ambient-caps "-all,$capabilities" --bounding-set "-all,$capabilities" --no-new-privs "${JAVA_COMMAND[@]}")
}

# Runs one part in the foreground, in place of the launcher.
run_part() {
  local part=$1
  shift
  need_jdk
  build_if_needed
  part_command "$part" "$@"
  if [ "$part" = agent ] && [ -n "${KOMAINU_RUN_AS:-}" ]; then as_user; fi
  exec "${JAVA_COMMAND[@]}" "$@"
}
