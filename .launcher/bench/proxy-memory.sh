# 4 h (with --minutes 1: 30 min): what Komainu and every caching proxy installed here take of memory under a cap.
#
# The cap: a cache of 64 MB, of which ten times as much is asked: 64,000 objects of 10 KB by Zipf's law and all alike, 19,200 of
# 0.5 to 200 KB by Zipf's law; PSS (what is shared counted once) from the start to the end, every half second, and the hit
# ratio as the origin counts it. The overhead: 10,000 objects of 10 KB in a cache of 256 MB, and 10,000 more; what PSS grew by
# beyond the bodies, for each. The first 10,000 also pay for what the program needs once, such as compiled code.
#
# nginx's cache is files in memory and counted with it. Traffic Server's own store (256 MB, it cannot do without) is not.
#
#   ./komainu bench proxy-memory --minutes 10 --rows zipf-10k,overhead --peers komainu,haproxy --out DIR

perform() {
  provide wrk || exit 3
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/memory.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
