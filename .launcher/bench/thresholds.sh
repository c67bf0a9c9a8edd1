# 10 min: every threshold of the state model times 1/3 to 3 over recordings: right causes, delays, false alarms, and the plateau it stands on
#
# A recording is what the central service writes with komainu.ingest.recording. Beside a recording of faults, RECORDING.json or drills.json names
# for each service onset, cure, the expected state and its alternatives; a recording without such a file is normal traffic, in which every state
# other than normal is a false alarm. The measurements of each second are computed once; then the state model judges them with every threshold that
# decides otherwise in some second. Each recording's result is kept in OUT/parts: an interrupted sweep goes on where it stopped.
#
#   ./komainu bench thresholds [--out DIR] [--threads N] [--complete] RECORDING …
#
#   --out DIR     directory of thresholds.md, thresholds.csv, curves.csv and the curves as SVG (default: target/bench/thresholds)
#   --threads N   default: one for each processor
#   --complete    also judges where a threshold cannot decide: slower, for tests of the sweep
#
# Baselines stay those that were learnt with the thresholds in use. Exit code 0: done; 1: the result is not exact; 3: a file cannot be read.

perform() {
  local out="$ROOT/target/bench/thresholds" given=() recordings=0
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) need_value "$1" $# && out=$2 && shift ;;
      --threads) need_value "$1" $# && given+=("$1" "$2") && shift ;;
      --complete) given+=("$1") ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/thresholds.sh"; return 0 ;;
      -*) wrong_option "bench thresholds" "$1" ;;
      *) given+=("$1") && recordings=$((recordings + 1)) ;;
    esac
    shift
  done
  if [ "$recordings" = 0 ]; then
    say_error "bench thresholds: no recording (expected: ./komainu bench thresholds RECORDING …; see --help)"
    exit 2
  fi
  need_jdk
  provide python3 || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  part_command thresholds
  "${JAVA_COMMAND[@]}" --out "$out" --head "$(measured thresholds)" "${given[@]}" || return $?
  if have gnuplot; then
    python3 -B "$ROOT/.launcher/bench/normal/curves.py" "$out" "$ROOT/.launcher/bench/figures" || return 1
  else
    say "gnuplot is missing; the curves are in $out/curves.csv. Fix: $(install_command gnuplot)"
  fi
  say "Table: $out/thresholds.md"
}
