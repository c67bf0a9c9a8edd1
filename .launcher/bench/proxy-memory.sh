# 4 h (with --minutes 1: 30 min): the memory use of Komainu and of every caching proxy installed here, under a cap.
#
# The cap: a cache of 64 MB, and requests for ten times as much: 64,000 objects of 10 KB by Zipf's law and uniformly, 19,200 of
# 0.5 to 200 KB by Zipf's law. The table shows PSS (shared pages counted once) from the start to the end, every half second, and the hit
# ratio as the origin counts it. The overhead: 10,000 objects of 10 KB in a cache of 256 MB, and 10,000 more; the growth of PSS
# beyond the bodies, for each object. The first 10,000 also include one-time costs of the program, such as compiled code. Idle connections: 4,000
# that each had one response, in HTTP/1.1, TLS and HTTP/2; the growth of PSS from 500 of them on, for each connection; of Komainu's heap only the
# live objects count. The TLS engine: what BoringSSL itself allocates for each connection. The start: RSS and PSS before the first request, with
# caches of 64 MB and 2 GB.
#
# nginx's cache is files in memory and is counted with it. Traffic Server's own store (256 MB, which it requires) is not.
#
#   ./komainu bench proxy-memory --minutes 10 --rows zipf-10k,overhead --peers komainu,haproxy --out DIR

perform() {
  provide wrk || exit 3
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/memory.py" --java "${JAVA_COMMAND[*]@Q}" \
    --classes "$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*" "$@"
}
