# 2 min: hit ratios of W-TinyLFU and LRU (cache.policy) for the same requests, through the proxy's own memory cache.
#
# No network: the requests are replayed in one process in the cache itself, with real memory, heads and heap. The seeds are fixed, but keys
# are hashed with a secret, so the third digit may differ. Zipf 0.7, 0.9 and 1.1; sizes; a mixed-in scan; the paper's workload (spec section 1:
# 80 % may be stored, 55 % are repeated requests, mean 10 KB). The requests are for ten times as much as the cache can store.
#
#   ./komainu bench proxy-policy [--cap 64] [--requests 1000000]

perform() {
  local cap=64 requests=1000000
  while [ $# -gt 0 ]; do
    case "$1" in
      --cap)
        need_value "$1" $#
        [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] && [ "$2" -ge 8 ] && [ "$2" -le 1024 ] || { say_error "--cap: $2 (expected: 8 to 1024, in MB)"; exit 2; }
        cap=$2 && shift
        ;;
      --requests)
        need_value "$1" $#
        [[ $2 =~ ^[1-9][0-9]{3,8}$ ]] || { say_error "--requests: $2 (expected: 1000 to 999999999)"; exit 2; }
        requests=$2 && shift
        ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/proxy-policy.sh"; return 0 ;;
      *) wrong_option bench "$1" ;;
    esac
    shift
  done
  local module=$ROOT/proxy-core/bench
  # A heap many times as large as the cap needs, so that only the policies are compared.
  "$JDK/bin/java" -XX:+UseSerialGC "-Xmx$((256 + cap * 4))m" -XX:+UseCompactObjectHeaders "-XX:MaxDirectMemorySize=$((cap + 64))m" \
    --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED -Dio.netty.leakDetection.level=disabled \
    -cp "$module/target/komainu-bench-0.1.0-SNAPSHOT.jar:$module/target/lib/*" \
    dev.komainu.bench.replay.PolicyReplay "$cap" "$requests"
}
