# 14 min: disk off-peak, memory only at the peak: the benefit of both, and whether visitors notice the switch between them
# tmproxy's future work (Kajita, NAIST 1999, section 6): a capacity that memory does not limit, a peak that waits for no disk, smooth ramps.
#
#     visitors 10.91.0.10+200 ── proxy 10.91.0.1 | 10.92.0.1 ── origin 10.92.0.10, which thinks 1.5 to 4.5 s
#
# The paper's workload (bench tmproxy): 55 % of the requests are hits in a cache of unlimited size, 80 % of the responses may be stored, Zipf,
# 10 KB on average, a connection for each request. Phases: quiet, a smooth ramp, a peak of four times as many, a ramp, quiet. The same visitors for
#
#     memory       16 MB of memory
#     hybrid       16 MB of memory, 160 MB of disk
#     hybrid-6ms   the same, 6 ms added to each read of the disk (cache.disk-delay)
#     memory-x10   160 MB of memory: its hit ratio is compared with that of a disk of ten times the memory
#
# Each variant starts cold and is filled at the quiet rate for a minute. peak.leave is 10 s instead of 30, because a run takes minutes instead of
# hours. The machine's page cache holds the 160 MB: hybrid is a fast disk, hybrid-6ms a slow one. The proxy has a processor for itself.
# KOMAINU_BENCH_PEAK, _MEMORY (MB, 7 at least), _FILL (s), _VARIANTS and _ROUNDS set other values; of several rounds the table shows medians.

HYBRID_PEAK=${KOMAINU_BENCH_PEAK:-1200}
HYBRID_MEMORY=${KOMAINU_BENCH_MEMORY:-16}
HYBRID_VARIANTS=${KOMAINU_BENCH_VARIANTS:-"memory hybrid hybrid-6ms memory-x10"}
HYBRID_ROUNDS=${KOMAINU_BENCH_ROUNDS:-1}
HYBRID_FILL=${KOMAINU_BENCH_FILL:-60}

perform() {
  local seconds round variant
  seconds=$(seconds_of "$1" 30)
  provide taskset || exit 3
  hybrid_stage
  : >"$WORK/runs.txt"
  for ((round = 1; round <= HYBRID_ROUNDS; round++)); do
    for variant in $HYBRID_VARIANTS; do
      hybrid_run "$variant" "$round" "$seconds"
      echo "$variant $round" >>"$WORK/runs.txt"
    done
  done
  conditions "$(chosen_settings)sudo -E ./komainu bench hybrid --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch hybrid "$WORK" "$OUT"
  draw hybrid in="$WORK/hybrid.dat" switches="$WORK/switches.dat" out="$OUT/hybrid.svg"
  cat "$OUT/hybrid.md"
}

# hybrid_stage: as bench tmproxy's.
hybrid_stage() {
  FILES=$(ulimit -Hn)
  [ "$FILES" != unlimited ] && [ "$FILES" -le 60000 ] || FILES=60000
  host client; host proxy; host origin
  cable client c0 proxy p1
  cable proxy p2 origin o0
  address client c0 10.91.0.10/22 200
  address proxy p1 10.91.0.1/22
  address proxy p2 10.92.0.1/24
  address origin o0 10.92.0.10/24
  java_command thinking-origin
  start origin origin taskset -c "$OTHER_CPUS" prlimit --nofile="$FILES:$FILES" "${JAVA_COMMAND[@]}" --listen 10.92.0.10:8080
  saying listening "$WORK/origin.out" 20
}

# hybrid_run VARIANT ROUND SECONDS
hybrid_run() {
  local variant=$1 name=$1-$2 seconds=$3 peak=$HYBRID_PEAK quiet=$((HYBRID_PEAK / 4))
  say_step "$variant, round $2, peak of $peak requests/s …"
  hybrid_proxy "$name" "$variant"
  hybrid_load "$name" \
    "fill:${quiet}x$HYBRID_FILL,before:${quiet}x$seconds,up:${quiet}-${peak}x$seconds,peak:${peak}x$seconds,down:${peak}-${quiet}x$seconds,after:${quiet}x$seconds"
}

# hybrid_proxy NAME VARIANT [SETTING=VALUE…]: starts a cold proxy, and a program that records its state each second.
hybrid_proxy() {
  local name=$1 variant=$2 memory=${HYBRID_MEMORY}MB disk=() delay=0s
  shift 2
  case "$variant" in
    hybrid) disk=(--disk "$WORK/disk-$name:${HYBRID_MEMORY}0MB") ;;
    hybrid-6ms) disk=(--disk "$WORK/disk-$name:${HYBRID_MEMORY}0MB") delay=6ms ;;
    memory-x10) memory=${HYBRID_MEMORY}0MB ;;
  esac
  mkdir -p "$WORK/disk-$name"
  # The heap is the same for all: thousands of requests wait for the origin at a time.
  KOMAINU_JAVA_OPTIONS="-Xmx96m" part_command proxy
  start "proxy-$name" proxy env KOMAINU_UPSTREAM_MAX_OPEN=12000 KOMAINU_CONNECTIONS_MAX=20000 KOMAINU_CONNECTIONS_MAX_PER_CLIENT=20000 KOMAINU_CACHE_DISK_DELAY=$delay KOMAINU_PEAK_LEAVE=10s "$@" \
    taskset -c "$SERVER_CPU" prlimit --nofile="$FILES:$FILES" \
    "${JAVA_COMMAND[@]}" --listen 10.91.0.1:7680 --origin http://10.92.0.10:8080 --memory "$memory" "${disk[@]}" --workers 1 --control 127.0.0.1:7681
  HYBRID_PROXY=$LAST
  answers proxy 127.0.0.1 7681 /metrics 20
  start "watch-$name" proxy taskset -c "$OTHER_CPUS" python3 -B "$ROOT/.launcher/bench/crunch/proxy_seconds.py" 7681
  HYBRID_WATCH=$LAST
}

# hybrid_load NAME PHASES: visitors until the last phase; then the proxy ends.
hybrid_load() {
  local name=$1
  part_command load
  attend "load-$name" client taskset -c "$OTHER_CPUS" prlimit --nofile="$FILES:$FILES" "${JAVA_COMMAND[@]}" \
    --target http://10.91.0.1:7680 --allow <(echo 10.91.0.1:7680) --from 10.91.0.10+200 --http 1.0 --parallel 1 --patience 30 --seed 7 \
    --phases "$2" --json "$WORK/load-$name.json"
  alive "$HYBRID_PROXY" "proxy-$name"
  finish "$HYBRID_WATCH"
  finish "$HYBRID_PROXY"
  rm -rf "$WORK/disk-$name"
}
