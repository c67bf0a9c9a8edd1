# 80 min: four real servers behind HAProxy: is an odd mirror named within a minute, and none of four equal ones in an hour?
#
# The complete platform is started in a network namespace of its own: the central service and the agent on the servers' host. Two sites run at
# the same time: four nginx, each with an application behind it, and four Apache prefork; each server has a link and control groups of its own. HAProxy
# spreads uneven clients over them: some stay at one server by a cookie or by a hash of their address, they pause, come back with a burst, and
# request different pages. One server of each site is made odd: its disk is slower, its limit of workers or connections lower, its CPU time
# halved, its link loses packets. Then it is cured. docs/groups.md describes the comparison and the results.
#
#   ./komainu bench mirrors [--only CASES] [--servers KINDS] [--minutes N] [--out DIR]
#
#   --only CASES     some of slow-disk,few-workers,little-cpu,lossy-link,equal (default: all, in this order)
#   --servers KINDS  some of nginx,prefork (default: both)
#   --minutes N      length of the case equal (default 60)
#   --out DIR        directory of results.md and results.json (default: target/bench/mirrors)
#
# Needs root. A figure of time needs a quiet machine. Exit code 0: each odd mirror named within 60 s, and no other one.

MIRRORS="$ROOT/.launcher/bench/mirrors"

perform() {
  local given=("$@") out="$ROOT/target/bench/mirrors"
  while [ $# -gt 0 ]; do
    case "$1" in
      --only | --servers | --minutes) need_value "$1" $# && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/mirrors.sh"; return 0 ;;
      *) wrong_option "bench mirrors" "$1" ;;
    esac
    shift
  done
  if [ "$(id -u)" != 0 ]; then
    say_error "bench mirrors: needs root (it builds network namespaces and control groups, and reads packets). Fix: sudo ./komainu bench mirrors"
    exit 3
  fi
  need_jdk
  provide python3 ip nsenter tc libpcap cc apache2 nginx gunicorn haproxy || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  local central agent
  part_command central && central=${JAVA_COMMAND[*]@Q}
  part_command agent && agent=${JAVA_COMMAND[*]@Q}
  # shellcheck source=/dev/null
  . "$ROOT/.launcher/bench/drills.sh" # for await_runner
  python3 -B "$MIRRORS/mirrors.py" --measured "$(measured mirrors)" --central "$central" --agent "$agent" --wan "$ROOT/.launcher/bench/wan.c" "${given[@]}" --out "$out" &
  await_runner "$!"
}
