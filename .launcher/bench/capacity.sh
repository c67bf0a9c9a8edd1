# 32 min: how well is the knee foretold from loads up to 60 % of it?
#
# nginx, then Apache prefork, each on CPU 1 alone; visitors, agent and central service on CPU 0. Six loads from light to 60 % of the (to the
# platform unknown) knee; then GET /api/v1/services/SERVICE/capacity is asked for the knee. Only then the load is raised until the knee is
# measured, by the same definition: mean T_r at three times what it is at the lightest load, or the CPU at 90 %; five times, the median counts.
# A request takes some milliseconds of CPU time (nginx compresses a page, Apache computes), so that the server is what ends first.
#
#   ./komainu bench capacity [--minutes N] [--only nginx|apache] [--raises N] [--out DIR]
#
#   --minutes N   length of the loads below the knee for each server (5 to 60; default 5.5)
#   --raises N    how often the load is raised to the knee (default 5)
#   --only NAME   one server
#   --out DIR     where results.md, results.json and the figures go (default: target/bench/capacity; the project's own: docs/papers/capacity)
#
# Needs root, two CPUs, and a quiet machine: the result tells the load average.

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
    say_error "bench capacity: needs root (it builds network namespaces, and reads packets). Mend: sudo ./komainu bench capacity"
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
