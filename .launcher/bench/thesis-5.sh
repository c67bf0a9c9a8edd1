# 4 min (paper: --minutes 15): the proxy between both monitors, 100/200/300 requests/s, 55 % hits, origin 100 ms away
# Thesis section 5.3.3, figures 5.6 to 5.9, and the diagram of figure 5.4.
#
#     clients 10.91.0.10+200 ── proxy 10.91.0.1 | 10.92.0.1 ── 100 ms each way ── origin 10.92.0.10
#                        monitor 1 ┘                 └ monitor 2
#
# Polygraph's workload: Poisson arrivals, 55 % of the requests are hits in a perfect cache, 80 % of the responses may be stored, objects of
# 10 KB on average (exponential), fresh for two years; the origin thinks 1.5 to 4.5 s. One connection a request on both
# sides, as in the thesis. The cache has 256 MB, as Squid had in the thesis. Ten seconds of lead-in precede each
# measured part, because an object can be a hit only after its first request.

PROXY=komainu
CLIENT_FIGURE="5.8" ORIGIN_FIGURE="5.9"

perform() {
  local seconds rate
  seconds=$(seconds_of "$1" 60)
  host client; host proxy; host wan; host origin
  cable client c0 proxy p1
  cable proxy p2 wan a0
  cable origin o0 wan b0
  address client c0 10.91.0.10/22 200
  address proxy p1 10.91.0.1/22
  address proxy p2 10.92.0.1/24
  address origin o0 10.92.0.10/24
  wide_area wan wan a0 b0 --both delay=100
  local wan=$LAST
  java_command thinking-origin
  start origin origin "${JAVA_COMMAND[@]}" --listen 10.92.0.10:8080
  saying listening "$WORK/origin.out" 20
  local runs=()
  for rate in 100 200 300; do
    thesis_5_run "$rate" "$seconds"
    runs+=("$rate")
  done
  kill -USR1 "$wan" && sleep 0.2
  say_step "Counting …"
  conditions "sudo ./komainu bench $BENCH --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_5 "$WORK" "$OUT" "$PROXY" "${runs[@]}"
  draw thesis-5-series in="$WORK/series.dat" side=client title="Client side of $PROXY (thesis: figure $CLIENT_FIGURE)" out="$OUT/figure-$CLIENT_FIGURE-client-side.svg"
  draw thesis-5-series in="$WORK/series.dat" side=origin title="Origin side of $PROXY (thesis: figure $ORIGIN_FIGURE)" out="$OUT/figure-$ORIGIN_FIGURE-origin-side.svg"
  draw thesis-5-clusters in="$WORK/clusters.dat" out="$OUT/figure-5.4-hits-and-misses.svg"
  cat "$OUT/results.md"
}

# A cold proxy for each rate, as in the thesis.
thesis_5_run() {
  local rate=$1 seconds=$2
  say_step "$rate requests/s for $seconds s …"
  "start_$PROXY" "$rate"
  local proxy=$LAST
  java_command agent
  start "agent-$rate" proxy "${JAVA_COMMAND[@]}" --interface p1 --interface p2 --port 7680 --service 10.92.0.10:8080 --node proxy --print --data "$WORK/agent"
  local agent=$LAST
  saying serviceWindow "$WORK/agent-$rate.out" 20
  java_command open-load
  attend "load-$rate" client "${JAVA_COMMAND[@]}" --target 10.91.0.1:7680 --from 10.91.0.10+200 --phases "${rate}x$((seconds + 10))" --seed "$rate"
  alive "$agent" "agent-$rate"; alive "$proxy" "proxy-$rate"
  "own_count_of_$PROXY" "$rate" >"$WORK/own-$rate.txt"
  sleep 2 # until the last window is written
  finish "$agent"; finish "$proxy"
}

start_komainu() {
  java_command proxy
  start "proxy-$1" proxy "${JAVA_COMMAND[@]}" --listen 10.91.0.1:7680 --origin http://10.92.0.10:8080 --memory 256MB --control 127.0.0.1:7681
  answers proxy 127.0.0.1 7681 /metrics 20
}

# The proxy's own counts: requests, and those that it served from its cache.
own_count_of_komainu() {
  on proxy bash -c 'exec 3<>/dev/tcp/127.0.0.1/7681 && printf "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:7681\r\nConnection: close\r\n\r\n" >&3 && cat <&3' |
    tr -d '\r' | awk '$1 == "komainu_proxy_requests_total" { asked = $2 } $1 == "komainu_proxy_exchanges_total{outcome=\"hit\"}" { hits = $2 } END { print asked + 0, hits + 0 }'
}
