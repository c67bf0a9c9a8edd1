# The parts: where their classes lie, with which JVM switches they run.

part_module() {
  case "$1" in
    central) echo src ;;
    proxy | demo-load | demo-origin) echo proxy-core ;;
    agent | analyze | evidence) echo monitor/agent ;;
  esac
}

part_jar() {
  case "$1" in
    central) echo komainu-central ;;
    proxy | demo-load | demo-origin) echo komainu-proxy ;;
    agent | analyze | evidence) echo komainu-agent ;;
  esac
}

part_main() {
  case "$1" in
    central) echo dev.komainu.central.CentralApplication ;;
    proxy) echo dev.komainu.proxy.ProxyServer ;;
    agent) echo dev.komainu.agent.MonitorAgent ;;
    analyze) echo dev.komainu.agent.Analyze ;;
    evidence) echo dev.komainu.agent.evidence.Evidence ;;
    demo-load) echo dev.komainu.load.DemoLoad ;;
    demo-origin) echo dev.komainu.load.DemoOrigin ;;
  esac
}

# Fills the array JAVA_COMMAND for a part. Call need_jdk first.
part_command() {
  local part=$1 module
  module=$(part_module "$part")
  local options=()
  case "$part" in
    central | proxy | agent)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/$module/jvm.options" 2>/dev/null)
      ;;
    evidence) options=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx64m) ;;
    demo-*) options=(-Xmx48m -XX:+UseSerialGC -XX:TieredStopAtLevel=1) ;;
    analyze)
      mapfile -t options < <(grep -v -e '^#' -e '^ *$' "$ROOT/$module/analyze.jvm.options" 2>/dev/null)
      [ "$(practised)" -nt "$ROOT/$module/target/$(part_jar analyze)-0.1.0-SNAPSHOT.jar" ] && options+=("-XX:AOTCache=$(practised)")
      ;;
  esac
  JAVA_COMMAND=("$JDK/bin/java" --enable-native-access=ALL-UNNAMED "${options[@]}" ${KOMAINU_JAVA_OPTIONS:-}
    -cp "$ROOT/$module/target/$(part_jar "$part")-0.1.0-SNAPSHOT.jar:$ROOT/$module/target/lib/*" "$(part_main "$part")")
}

# What the JVM learnt of analyze while it practised; the JVM itself leaves it aside when a library or the JDK is another one.
practised() { printf '%s' "$ROOT/monitor/agent/target/analyze.aot"; }

# Lets analyze practise on a capture made up for it, so that later runs start and compile for less. Without it all works, too.
practise() {
  local capture cache
  cache=$(practised)
  capture=$(mktemp) || return 0
  rm -f "$cache"
  KOMAINU_JAVA_OPTIONS="-XX:AOTCacheOutput=$cache.new" part_command analyze
  JAVA_COMMAND[-1]=dev.komainu.agent.PracticeCapture
  "${JAVA_COMMAND[@]}" "$capture" >/dev/null 2>&1 && [ -s "$cache.new" ] && mv "$cache.new" "$cache"
  rm -f "$capture" "$cache.new" "$cache.new.config"
  return 0
}

# Runs one part in the foreground, in place of the launcher.
run_part() {
  local part=$1
  shift
  need_jdk
  build_if_needed
  part_command "$part"
  exec "${JAVA_COMMAND[@]}" "$@"
}
