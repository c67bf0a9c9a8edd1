# 40 min: real servers, real visitors, one fault each: is the right cause named first, and after how long?
#
# The complete platform is started once in a network namespace of its own: the central service, the agent on the servers' host, and for some
# drills a probe at the visitors' side. Each drill then has a server of Debian's packages or our proxy with a configuration of its own, and
# visitors from another namespace who arrive at fixed times. It waits for half a minute or more until the usual values are learnt, causes one
# fault, cures it, and waits for the normal state. The state of the platform is read once a second over REST. Faults that do not affect each
# other run at the same time; faults that need the machine for themselves run one at a time. docs/drills.md describes each drill and its result.
#
#   ./komainu bench drills [--only NAMES] [--out DIR] [--alone] [--wave N] [--cures [--walk]] [--undisturbed MINUTES] [--traps MINUTES [--groups N]] [--record] [--list]
#   ./komainu bench drills --drawn SEEDS [--half worked|judged] [--part N/M] [--resume] [--only NAMES] [--out DIR] [--wave N] [--list]
#
#   --only NAMES    these drills, separated by commas; * and ? are wildcards: --only '*-killed,nginx-files'
#   --out DIR       directory of results.md and results.json (default: target/bench/drills)
#   --alone         one fault at a time
#   --wave N        servers that run at a time, 1 to 30 (default 6)
#   --cures         the load continues, and the wizard's first advice is applied, verified and undone; with useless and harmful changes
#   --walk          with --cures: a browser opens the link of the alert's mail and applies the first advice, as docs/from-alert-to-verified.md tells
#   --undisturbed M no fault at all for M minutes, on one server of each kind: every alarm is a false one
#   --traps M       each trap (what looks like a fault and is none) for M minutes, on one server each: every alarm is a false one
#   --groups N      with --traps: groups, one after the other (default 2; 1 needs four processors)
#   --drawn SEEDS   drills drawn by seeds: 1-120 or 2,4,30-40. Each seed draws a server, a protocol, a fault or trap, sizes and settings
#   --half HALF     with --drawn: the even seeds (worked: rules are worked out on them) or the odd ones (judged: not looked at before)
#   --part N/M      with --drawn: every M-th seed, from the N-th on; results of all parts in one --out are one report
#   --resume        with --drawn: seeds that already have a result in --out are not run again
#   --record        also keep every record of the agents and the output of each part (records/; hundreds of megabytes an hour)
#   --list          print the names of the drills
#
# Needs root. A figure of time needs a quiet machine. Exit code 0: every drill right, without a false alarm, normal again.

DRILLS="$ROOT/.launcher/bench/drills"

perform() {
  local given=("$@") out="$ROOT/target/bench/drills" listing=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --only | --wave | --undisturbed | --drawn | --half | --part | --traps | --groups) need_value "$1" $# && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --alone | --record | --cures | --walk | --resume) ;;
      --drawn=* | --half=* | --part=* | --traps=* | --groups=*) ;;
      --list) listing=yes ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/drills.sh"; return 0 ;;
      *) wrong_option "bench drills" "$1" ;;
    esac
    shift
  done
  if [ -n "$listing" ]; then
    have python3 || { say_error "missing: python3. Fix: $(install_command python3)"; exit 3; }
    python3 -B "$DRILLS/run.py" --out "$out" "${given[@]}"
    return
  fi
  if [ "$(id -u)" != 0 ]; then
    say_error "bench drills: needs root (it builds network namespaces and control groups, and reads packets). Fix: sudo ./komainu bench drills"
    exit 3
  fi
  need_jdk
  provide python3 ip nsenter tc libpcap || exit 3
  build_if_needed
  case " ${given[*]} " in *" --walk"*) provide chromium || exit 3 ;; esac
  case " ${given[*]} " in *" --drawn"* | *" --traps"* | *" --undisturbed"* | *" --cures"*) provide gunicorn php-fpm uwsgi openssl ;; esac
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  local thing missing=''
  for thing in apache2 nginx tomcat squid haproxy varnishd cc gunicorn php-fpm uwsgi openssl; do
    have "$thing" && continue
    missing+="$thing=$(install_command "$thing");"
    say "Missing: $thing; its drills are not run. Fix: $(install_command "$thing")"
  done
  # The centre records what it accepts where this setting exists.
  local recording=''
  ! grep -qsF 'komainu.ingest.recording' "$ROOT"/docs/configuration/*.md || recording=yes
  local central agent proxy load
  part_command central && central=${JAVA_COMMAND[*]@Q}
  part_command agent && agent=${JAVA_COMMAND[*]@Q}
  part_command proxy && proxy=${JAVA_COMMAND[*]@Q}
  part_command demo-load && JAVA_COMMAND[-1]=dev.komainu.load.OpenLoad && load=${JAVA_COMMAND[*]@Q}
  python3 -B "$DRILLS/run.py" --measured "$(measured drills)" --recording "$recording" --missing "$missing" --central "$central" --agent "$agent" --proxy "$proxy" --load "$load" --jdk "$JDK" \
    --wan "$ROOT/.launcher/bench/wan.c" --browser "$ROOT/admin-ui/e2e/walk.mjs" "${given[@]}" --out "$out" &
  await_runner "$!"
}

# await_runner PID: passes signals on to the runner, waits for its end, and removes what it left. Returns its exit code.
await_runner() {
  local runner=$1 rc
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

# sweep PREFIX: removes the remains of a killed runner: processes in its namespaces, the namespaces, and its control groups.
sweep() {
  local ns group
  for ns in $(ip netns list | awk -v prefix="$1" 'index($1, prefix) == 1 { print $1 }'); do
    ip netns pids "$ns" | xargs -r kill -KILL 2>/dev/null
    ip netns del "$ns"
  done
  for group in /sys/fs/cgroup/"$1"* /sys/fs/cgroup/*/"$1"*; do [ ! -d "$group" ] || rmdir "$group" 2>/dev/null; done
}
