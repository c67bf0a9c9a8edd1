# 40 min: connections and socket buffers of a proxy, managed in the paper's four ways, over emulated paths
# Paper "Dynamic resource management for proxies" (Terai, Osaka 2001), section 4, figures 3 to 5: there simulated (ns-2), here on a real TCP stack.
#
#     visitors 10.91.1.1+N ── 100 Mbit/s, 10 to 100 ms ── proxy ── 100 Mbit/s, 10 to 200 ms ── 50 origins 10.92.0.10+50
#
#     1  fixed buffers of 16 KB; above N_max = 200 connections, both sides together, new clients are refused
#     2  buffers by the equation (E2-ATBT), 3,200 KB in total; new clients are refused as in 1
#     3  as 2, and the connection that is idle longest is closed for a new client; when none is idle, the new client waits
#     4  as 3, and the share that an idle connection has reserved halves every 3 s
#     5  as 4, and it falls to 1 KB within a second while other connections need it: our own rule, not in the paper
#     0  the kernel's autotuning, and idle connections are closed as in 3
#
# A refused visitor repeats the request after a second (the 503 says so), for a minute; its time counts from the first request. Objects, pages
# and pauses are SURGE's. The cache can answer half of the requests. Keep-alive is 15 s, with two connections a visitor in HTTP/1.1. Congestion
# control is the kernel's (cubic or reno, as the paper's formula needs; KOMAINU_BENCH_CC=bbr for the other). KOMAINU_BENCH_VISITORS, _SCHEMES,
# _SEEDS, _KEEP_ALIVE and _HTTP choose other cells.

DRM_VISITORS=${KOMAINU_BENCH_VISITORS:-"50 500"}
DRM_SCHEMES=${KOMAINU_BENCH_SCHEMES:-"1 2 3 4"}
DRM_SEEDS=${KOMAINU_BENCH_SEEDS:-"1 2 3"}
DRM_KEEP_ALIVE=${KOMAINU_BENCH_KEEP_ALIVE:-"15"}
DRM_HTTP=${KOMAINU_BENCH_HTTP:-"1.1"}
DRM_LOSS=${KOMAINU_BENCH_LOSS:-0.001}
DRM_CC=${KOMAINU_BENCH_CC:-cubic}
DRM_WARM_UP=30

perform() {
  local seconds visitors scheme seed http keep
  seconds=$(seconds_of "$1" 40)
  provide taskset || exit 3
  host client; host wan1; host proxy; host wan2; host origin
  cable client c0 wan1 a0
  cable proxy p1 wan1 b0
  cable proxy p2 wan2 a0
  cable origin o0 wan2 b0
  address client c0 10.91.1.1/16 500
  address proxy p1 10.91.0.1/16
  address proxy p2 10.92.0.1/24
  address origin o0 10.92.0.10/24 50
  congestion client c0 10.91.0.0/16; congestion proxy p1 10.91.0.0/16; congestion proxy p2 10.92.0.0/24; congestion origin o0 10.92.0.0/24
  wide_area wan1 wan1 a0 b0 --both "rate=100,queue=1000,loss=$DRM_LOSS" --ip 10.91.1.1+500=10:100
  wide_area wan2 wan2 a0 b0 --both "rate=100,queue=1000,loss=$DRM_LOSS" --ip 10.92.0.10+50=10:200
  java_command thinking-origin
  start origin origin "${JAVA_COMMAND[@]}" --listen 0.0.0.0:8080 --think 0-0 --keep-alive
  saying listening "$WORK/origin.out" 20
  : >"$WORK/runs.txt"
  # Seeds are the outermost loop, so that slow changes of the machine affect every scheme equally.
  for http in $DRM_HTTP; do
    for keep in $DRM_KEEP_ALIVE; do
      for seed in $DRM_SEEDS; do
        for visitors in $DRM_VISITORS; do
          for scheme in $DRM_SCHEMES; do
            drm_run "$http" "$keep" "$visitors" "$scheme" "$seed" "$seconds"
            echo "$http $keep $visitors $scheme $seed" >>"$WORK/runs.txt"
          done
        done
      done
    done
  done
  conditions "sudo ./komainu bench drm --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch drm "$WORK" "$OUT" "$seconds" "$DRM_LOSS" "$DRM_CC"
  draw drm in="$WORK/bytes.dat" out="$OUT/figure-4-bytes.svg"
  draw drm-sizes in="$WORK/sizes.dat" out="$OUT/figure-5-times.svg"
  cat "$OUT/results.md"
}

# congestion HOST DEVICE NETWORK: a namespace may choose its route's congestion control where it may not set the default.
congestion() { on "$1" ip route replace "$3" dev "$2" congctl "$DRM_CC"; }

# drm_run HTTP KEEP-ALIVE VISITORS SCHEME SEED SECONDS
drm_run() {
  local http=$1 keep=$2 visitors=$3 scheme=$4 seed=$5 seconds=$6 name="$1-$2-$3-$4-$5"
  say_step "HTTP/$http, keep-alive ${keep} s, $visitors visitors, scheme $scheme, seed $seed …"
  drm_settings "$scheme" "$keep" >"$WORK/proxy.yaml"
  java_command proxy --memory 256MB
  start "proxy-$name" proxy taskset -c "$SERVER_CPU" "${JAVA_COMMAND[@]}" --config "$WORK/proxy.yaml"
  local proxy=$LAST
  answers proxy 127.0.0.1 7681 /metrics 20
  part_command load
  start "load-$name" client taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --target http://10.91.0.1:7680 --allow <(echo 10.91.0.1) --from "10.91.1.1+$visitors" \
    --population "$visitors" --seconds $((DRM_WARM_UP + seconds)) --http "$http" --parallel 2 --hit-ratio 0.5 --cachable 0.8 --sizes surge --sites 50 --embedded 3 --think 5 \
    --patience 60 --insist 1 --seed "$seed" --quiet --json "$WORK/load-$name.json"
  local load=$LAST
  sleep "$DRM_WARM_UP"
  moved >"$WORK/moved-$name.txt"
  sleep "$seconds"
  moved >>"$WORK/moved-$name.txt"
  wait "$load" || { tail -3 "$WORK/load-$name.err" >&2; say_error "bench drm: load-$name failed"; exit 1; }
  alive "$proxy" "proxy-$name"
  finish "$proxy"
}

# moved: bytes through both of the proxy's cables so far, both directions.
moved() {
  local device sum=0 count
  for device in p1 p2; do
    for count in $(on proxy cat "/sys/class/net/$device/statistics/rx_bytes" "/sys/class/net/$device/statistics/tx_bytes"); do sum=$((sum + count)); done
  done
  echo "$sum"
}

drm_settings() {
  local buffers=equation reclaim=on decay=off wait=60s site
  case "$1" in
    0) buffers=kernel ;;
    1) buffers=fixed reclaim=off wait=0s ;;
    2) reclaim=off wait=0s ;;
    4) decay=on ;;
    5) decay=pressed ;;
  esac
  cat <<TEXT
listen: 10.91.0.1:7680
workers: 1
cache:
  memory: 256MB
connections:
  max: 200
  max-of: both
  idle-timeout: ${2}s
  idle-timeout-plentiful: ${2}s
  reclaim: $reclaim
  wait: $wait
buffers:
  scheme: $buffers
  budget: 3200KB
  idle-decay: $decay
control:
  listen: 127.0.0.1:7681
routes:
TEXT
  for ((site = 0; site < 50; site++)); do echo "  - {prefix: /site/$site/, origin: http://10.92.0.$((10 + site)):8080}"; done
}
