# 40 min: real servers, real visitors, one fault each: is the right cause named first, and how soon?
#
# The whole platform is started once in a network namespace of its own: the central service, the agent beside the servers, for some drills a
# probe at the visitors' side. Then the drills: a server of Debian's packages or our proxy with a configuration of its own, visitors from
# another namespace who come by the clock, half a minute and more until the usual is learnt, one fault, its cure, normal again. What the
# platform says is asked once a second over REST. Faults that do not touch each other happen side by side; those that need the machine for
# themselves one at a time. docs/drills.md tells each drill and what came of it.
#
#   ./komainu bench drills [--only NAMES] [--out DIR] [--alone] [--wave N] [--cures] [--undisturbed MINUTES] [--record] [--list]
#
#   --only NAMES    these, divided by commas; * and ? stand for anything: --only '*-killed,nginx-files'
#   --out DIR       where results.md and results.json go (default: target/bench/drills)
#   --alone         one fault at a time
#   --wave N        servers that stand at a time, 1 to 30 (default 6)
#   --cures         the crowd stays, and the wizard's first advice is applied, verified and undone; with useless and harmful changes
#   --undisturbed M no fault at all for M minutes, on one server of each kind: every alarm is a false one
#   --record        also keep every record the agents told and what each part said (records/; hundreds of megabytes an hour)
#   --list          what there is
#
# Needs root. A figure of time needs a quiet machine. Exit code 0: every drill right, without a false alarm, normal again.

DRILLS="$ROOT/.launcher/bench/drills"

perform() {
  local given=("$@") out="$ROOT/target/bench/drills" listing=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --only | --wave | --undisturbed) need_value "$1" $# && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --alone | --record | --cures) ;;
      --list) listing=yes ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/drills.sh"; return 0 ;;
      *) wrong_option "bench drills" "$1" ;;
    esac
    shift
  done
  if [ -n "$listing" ]; then
    have python3 || { say_error "missing: python3. Mend: $(install_command python3)"; exit 3; }
    python3 -B "$DRILLS/run.py" --out "$out" "${given[@]}"
    return
  fi
  if [ "$(id -u)" != 0 ]; then
    say_error "bench drills: needs root (it builds network namespaces and control groups, and reads packets). Mend: sudo ./komainu bench drills"
    exit 3
  fi
  need_jdk
  provide python3 ip nsenter tc libpcap || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  local thing missing=''
  for thing in apache2 nginx tomcat squid haproxy varnishd cc; do
    have "$thing" && continue
    missing+="$thing=$(install_command "$thing");"
    say "Missing: $thing; its drills are not run. Mend: $(install_command "$thing")"
  done
  local central agent proxy load
  part_command central && central=${JAVA_COMMAND[*]@Q}
  part_command agent && agent=${JAVA_COMMAND[*]@Q}
  part_command proxy && proxy=${JAVA_COMMAND[*]@Q}
  part_command demo-load && JAVA_COMMAND[-1]=dev.komainu.load.OpenLoad && load=${JAVA_COMMAND[*]@Q}
  python3 -B "$DRILLS/run.py" --measured "$(measured drills)" --missing "$missing" --central "$central" --agent "$agent" --proxy "$proxy" --load "$load" --jdk "$JDK" \
    --wan "$ROOT/.launcher/bench/wan.c" "${given[@]}" --out "$out" &
  local runner=$! rc
  trap 'kill -TERM "$runner" 2>/dev/null' INT TERM HUP
  wait "$runner"
  rc=$?
  while kill -0 "$runner" 2>/dev/null; do
    wait "$runner"
    rc=$?
  done
  trap - INT TERM HUP
  sweep "kd-$runner-"
  return $rc
}

# sweep PREFIX: whatever a runner that was killed left behind: what runs in its namespaces, them, and its control groups.
sweep() {
  local ns group
  for ns in $(ip netns list | awk -v prefix="$1" 'index($1, prefix) == 1 { print $1 }'); do
    ip netns pids "$ns" | xargs -r kill -KILL 2>/dev/null
    ip netns del "$ns"
  done
  for group in /sys/fs/cgroup/"$1"* /sys/fs/cgroup/*/"$1"*; do [ ! -d "$group" ] || rmdir "$group" 2>/dev/null; done
}
