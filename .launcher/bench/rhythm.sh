# 14 min: a daily peak that is learned, in days of two minutes; on one day it comes a tenth of a day early, on one late, on one not at all
# Peaks "are also predictable by time of day" (tmproxy, section 6): does the switch to memory only come before the peak, and what is the benefit?
#
#     days:   usual   usual   usual   early   usual   late   none          each: quiet, ramp, peak of four times as many, ramp, quiet
#
# The stage and the workload of bench hybrid, with a disk of ten times the memory and 6 ms added to each read; peak.day and peak.leave are
# shortened (120 s and 5 s). KOMAINU_BENCH_PEAK, _MEMORY, _DAY (seconds) and _DAYS set other values.

# shellcheck source=/dev/null
. "$ROOT/.launcher/bench/hybrid.sh"
RHYTHM_DAY=${KOMAINU_BENCH_DAY:-120}
RHYTHM_DAYS=${KOMAINU_BENCH_DAYS:-"usual usual usual early usual late none"}

perform() {
  local phases day
  day=$RHYTHM_DAY
  [ -z "$1" ] || day=$(seconds_of "$1" "$day")
  provide taskset || exit 3
  hybrid_stage
  phases=$(rhythm_phases "$day")
  hybrid_proxy rhythm hybrid-6ms "KOMAINU_PEAK_DAY=${day}s" KOMAINU_PEAK_LEAVE=5s
  # So that no peak includes the proxy's midnight.
  sleep "$(awk -v now="$(date +%s.%N)" -v day="$day" 'BEGIN { print day - (now - int(now / day) * day) }')"
  hybrid_load rhythm "$phases"
  conditions "$(hybrid_settings)sudo -E ./komainu bench rhythm --minutes $(awk -v s="$day" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch rhythm "$WORK" "$OUT" "$day" "$RHYTHM_DAYS"
  draw rhythm in="$WORK/rhythm.dat" switches="$WORK/switches.dat" out="$OUT/rhythm.svg"
  cat "$OUT/rhythm.md"
}

# rhythm_phases DAY-SECONDS: each day's five parts; on a day without a peak the same parts are quiet.
rhythm_phases() {
  awk -v day="$1" -v days="$RHYTHM_DAYS" -v peak="$HYBRID_PEAK" 'BEGIN {
    n = split(days, kind, " "); quiet = int(peak / 4)
    for (i = 1; i <= n; i++) {
      begin = kind[i] == "early" ? 0.3 : kind[i] == "late" ? 0.5 : 0.4
      high = kind[i] == "none" ? quiet : peak
      printf "%sd%d-before:%dx%g,d%d-up:%d-%dx%g,d%d-peak:%dx%g,d%d-down:%d-%dx%g,d%d-after:%dx%g", i == 1 ? "" : ",",
        i, quiet, begin * day, i, quiet, high, 0.05 * day, i, high, 0.2 * day, i, high, quiet, 0.05 * day, i, quiet, (0.7 - begin) * day
    }
  }'
}
