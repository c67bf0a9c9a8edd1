# 10 s: the figures of docs/papers, drawn again from the CSV files beside them
#
#   ./komainu bench figures [NAME …]     e.g. partition; without a name: every folder of docs/papers that keeps its data
#
# An experiment writes its data to data/*.csv beside its figures; this command draws the figures from them.

perform() {
  provide gnuplot python3 || exit 3
  local name folders=()
  for name in "$@"; do
    [ -d "$ROOT/docs/papers/$name" ] || { say_error "bench figures: $name (expected: a folder of docs/papers)"; exit 2; }
    folders+=("$ROOT/docs/papers/$name")
  done
  if [ $# = 0 ]; then
    for name in "$ROOT"/docs/papers/*/data/figures; do [ -e "$name" ] && folders+=("$(dirname "$(dirname "$name")")"); done
  fi
  python3 -B "$ROOT/.launcher/bench/figures/figures.py" draw "${folders[@]}"
}
