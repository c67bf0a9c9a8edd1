# 5 min: the cost of managing connections and socket buffers, at ten thousand connections
# DRM computes every share again each second and monitors every resource: does this itself cause a load?
#
#     10,000 connections 127.0.0.1 ── proxy, one loop ── origin, in one namespace
#
# All connections stay open. 500 requests a second for 10 KB from the cache use random connections, so that each idles for 20 s on average, and
# one in twenty is in use at each check. Three ways, each in turn, twice: everything off (buffers.scheme kernel, connections.reclaim off), idle
# connections monitored (reclaim on), and that with shares (buffers.scheme equation, 64 MB, decay on). The result is the CPU time of the proxy by
# thread over a minute (schedstat), in percent of one processor, after a warm-up of the same length. KOMAINU_BENCH_CONNECTIONS, _RATE, _WAYS and
# _ROUNDS set other values.

MANAGEMENT_CONNECTIONS=${KOMAINU_BENCH_CONNECTIONS:-10000}
MANAGEMENT_RATE=${KOMAINU_BENCH_RATE:-500}

perform() {
  local seconds round way
  seconds=$(seconds_of "$1" 60)
  provide taskset || exit 3
  host lone
  java_command thinking-origin
  start origin lone taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --listen 127.0.0.1:8080 --think 0-0
  saying listening "$WORK/origin.out" 20
  : >"$WORK/runs.txt"
  for ((round = 1; round <= ${KOMAINU_BENCH_ROUNDS:-2}; round++)); do
    for way in ${KOMAINU_BENCH_WAYS:-off idle shares}; do
      management_run "$way" "$round" "$seconds"
    done
  done
  conditions "sudo ./komainu bench management" >"$WORK/conditions.md"
  crunch management "$WORK" "$OUT" "$MANAGEMENT_CONNECTIONS" "$MANAGEMENT_RATE" "$seconds"
  cat "$OUT/results.md"
}

# management_run WAY ROUND SECONDS
management_run() {
  local way=$1 name=$1-$2 seconds=$3 scheme=kernel reclaim=on
  [ "$way" = off ] && reclaim=off
  [ "$way" = shares ] && scheme=equation
  say_step "$way, round $2 …"
  part_command proxy --memory 64MB
  start "proxy-$name" lone env KOMAINU_CONNECTIONS_MAX=20000 KOMAINU_CONNECTIONS_MAX_PER_CLIENT=20000 KOMAINU_CONNECTIONS_IDLE_TIMEOUT=1h KOMAINU_CONNECTIONS_RECLAIM=$reclaim \
    KOMAINU_BUFFERS_SCHEME=$scheme KOMAINU_BUFFERS_BUDGET=64MB taskset -c "$SERVER_CPU" prlimit --nofile="$(ulimit -Hn)" \
    "${JAVA_COMMAND[@]}" --listen 127.0.0.1:7680 --origin http://127.0.0.1:8080 --memory 64MB --workers 1 --control none
  local proxy=$LAST
  answers lone 127.0.0.1 7680 /object/1/10000/keep 20
  attend "clients-$name" lone taskset -c "$OTHER_CPUS" prlimit --nofile="$(ulimit -Hn)" python3 -B "$ROOT/.launcher/bench/crunch/management_clients.py" \
    "$proxy" "$MANAGEMENT_CONNECTIONS" "$MANAGEMENT_RATE" "$seconds"
  alive "$proxy" "proxy-$name"
  finish "$proxy"
  echo "$way $name" >>"$WORK/runs.txt"
}
