# 75 min: one proxy under mixed traffic at 70 % of what it carries, with reloads, purges and faulty origins; what it holds is counted before and after.
#
# One process with one worker and a cache of 64 MB on core 1; its callers and origins on core 0. The mix: hits by Zipf's law over HTTP/1.1, TLS
# and HTTP/2, passed and missed requests, a connection for each request, full and resumed handshakes. The bench first measures what the proxy
# carries of it in closed loop, and then offers the share of each kind in open loop. In each minute: two reloads and one that is refused,
# 203 purges, one origin's worker killed, the origin stopped for 2 s; and all the time requests to paths on which an origin is faulty (status 500,
# no HTTP, resets, cut bodies, late responses).
#
# An error is an origin's when it ended while that origin was down or within 2 s after, or its path is a faulty one and the status is the
# right one for that fault. Objects by class (after a full collection), descriptors, threads and memory are counted before and after without traffic and
# with an empty cache. A time series of every 5 s is in proxy-soak.json.
#
#   ./komainu bench proxy-soak [--minutes 60] [--warm-up 5] [--share 70] [--out DIR]
#
# Exit code 0: each criterion holds; 1: one does not.

perform() {
  provide ip || exit 3
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/soak.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
