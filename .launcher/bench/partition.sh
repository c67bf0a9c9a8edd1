# 4 min: I/O partition (spec section 3): priority requests, other requests and a backup that reads everything, in one pool, in two pools that only grow, and in two pools with a boundary that moves by their unused bytes.
#
# No network: the paper's 100,000 requests and its sweep over 260,000 files are replayed in one process in the proxy's own memory
# cache, with real memory, heads and heap. The seeds are fixed, but keys are hashed with a secret, so W-TinyLFU's evictions differ slightly. T_r
# is the time of a hit; for a miss the origin's delay and the time of its bytes are added. These are set below, stated in the result, and the
# same for all modes.
#
#   ./komainu bench partition [--out DIR] [--cap 109] [--zipf 1.6] [--floor 20] [--hit 100] [--delay 100000] [--rate 30000000]
#
#   --cap MB  --zipf EXPONENT  --floor PERCENT  --hit, --delay MICROSECONDS  --rate BYTES A SECOND of one fetch

perform() {
  local out='' cap=109 zipf=1.6 floor=20 hit=100 delay=100000 rate=30000000
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) need_value "$1" $# && out=$2 && shift ;;
      --cap) partition_number "$@" 16 1024 && cap=$2 && shift ;;
      --floor) partition_number "$@" 1 80 && floor=$2 && shift ;;
      --hit) partition_number "$@" 1 1000000 && hit=$2 && shift ;;
      --delay) partition_number "$@" 1 10000000 && delay=$2 && shift ;;
      --rate) partition_number "$@" 1000 100000000000 && rate=$2 && shift ;;
      --zipf)
        need_value "$1" $#
        [[ $2 =~ ^[0-3](\.[0-9]{1,3})?$ ]] || { say_error "--zipf: $2 (expected: 0 to 3.999)"; exit 2; }
        zipf=$2 && shift
        ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/partition.sh"; return 0 ;;
      *) wrong_option bench "$1" ;;
    esac
    shift
  done
  provide gnuplot python3 || exit 3
  local module=$ROOT/proxy-core/bench work
  out=${out:-$ROOT/target/bench/partition}
  mkdir -p "$out" && out=$(cd "$out" && pwd) && work=$(mktemp -d "${TMPDIR:-/tmp}/komainu-bench.XXXXXX") || exit 1
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  "$JDK/bin/java" -XX:+UseSerialGC -Xmx1g -XX:+UseCompactObjectHeaders "-XX:MaxDirectMemorySize=$((cap * 4 + 64))m" \
    --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED -Dio.netty.leakDetection.level=disabled \
    -cp "$module/target/komainu-bench-0.1.0-SNAPSHOT.jar:$module/target/lib/*" \
    dev.komainu.bench.replay.PartitionReplay "$work" "$cap" "$zipf" "$floor" "$hit" "$delay" "$rate" || exit 1
  {
    printf '# I/O partition on this machine\n\n%s\n\n%s, by replay.\n\n    ./komainu bench partition --cap %s --zipf %s --floor %s --hit %s --delay %s --rate %s\n\n' \
      "$(measured partition)" "$(date -u +'%e %B %Y, %H:%M UTC' | sed 's/^ //')" "$cap" "$zipf" "$floor" "$hit" "$delay" "$rate"
    cat "$work/table.md"
  } >"$out/results.md"
  local figure
  for figure in shares boundary; do
    python3 -B "$ROOT/.launcher/bench/figures/figures.py" keep "partition-$figure" "$work" "$out" in="$work" out="$out/$figure.svg" || exit 1
  done
}

# partition_number NAME VALUE … LEAST MOST: the last two are the bounds.
partition_number() {
  local name=$1 value=${2:-} least=${*: -2:1} most=${*: -1}
  need_value "$name" $(($# - 2))
  [[ $value =~ ^[0-9]{1,12}$ ]] && [ "$value" -ge "$least" ] && [ "$value" -le "$most" ] && return 0
  say_error "$name: $value (expected: $least to $most)"
  exit 2
}
