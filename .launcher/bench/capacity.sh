# 32 min: how accurate is the capacity forecast from loads up to 60 % of the knee?
#
# nginx, then Apache prefork, each on CPU 1 alone; visitors, agent and central service on CPU 0. The run sends six loads, from light to 60 % of
# the knee, which the platform does not know. It then reads the forecast from GET /api/v1/services/SERVICE/capacity. After that it raises the
# load until it measures the knee by the same definition: mean T_r at three times its value at the lightest load, or the CPU at 90 %. It does
# so five times; the median counts. A request takes some milliseconds of CPU time (nginx compresses a page, Apache computes), so that the
# server is the first limit.
#
#   ./komainu bench capacity [--minutes N] [--only nginx|apache] [--raises N] [--out DIR]
#
#   --minutes N   length of the loads below the knee for each server (5 to 60; default 5.5)
#   --raises N    how often the load is raised to the knee (default 5)
#   --only NAME   one server
#   --out DIR     directory of results.md, results.json and the figures (default: target/bench/capacity; the project's own: docs/papers/capacity)
#
# Needs root, two CPUs, and a quiet machine: the result contains the load average.

perform() {
  local given=("$@") out="$ROOT/target/bench/capacity"
  while [ $# -gt 0 ]; do
    case "$1" in
      --minutes | --raises | --only) need_value "$1" $# && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/capacity.sh"; return 0 ;;
      *) wrong_option "bench capacity" "$1" ;;
    esac
    shift
  done
  if [ "$(id -u)" != 0 ]; then
    say_error "bench capacity: needs root (it builds network namespaces, and reads packets). Fix: sudo ./komainu bench capacity"
    exit 3
  fi
  need_jdk
  provide python3 ip nsenter libpcap nginx apache2 gnuplot || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  local central agent load
  part_command central && central=${JAVA_COMMAND[*]@Q}
  part_command agent && agent=${JAVA_COMMAND[*]@Q}
  part_command demo-load && JAVA_COMMAND[-1]=dev.komainu.load.OpenLoad && load=${JAVA_COMMAND[*]@Q}
  python3 -B "$ROOT/.launcher/bench/capacity/run.py" --central "$central" --agent "$agent" --load "$load" "${given[@]}" --out "$out"
}
