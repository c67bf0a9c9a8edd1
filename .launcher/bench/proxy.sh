# 35 min: CPU per request, latency and memory of Komainu and every caching proxy installed here, in one run.
#
# nginx, HAProxy, Varnish, Squid and Traffic Server as Debian packages them, each with one worker and a cache of 256 MB in
# memory, alone on core 1 in its turn; nginx with the objects and the caller on core 0. CPU time is that of all the server's
# processes and threads as the kernel counts it, so compilers and garbage collection are in it. In each round every server is
# measured once, so that what else this machine does meets all alike; the table has medians, least and most. Every
# answer's status and length is checked, and the origin's count tells that hits were hits: what was wrong is in the table.
#
# On loopback a sender's core does the receiver's work, too: compare servers within a column, not with other machines.
# As root all three run before other programs (nice -10). KOMAINU_BASELINE, a command, adds another build
# of ours, or the same one otherwise set: "env KOMAINU_TRANSPORT=io_uring java …". KOMAINU_BENCH_OLD, the directory of another
# checkout that is built, adds its proxy twice (old, again): what differs between the two is the noise of this machine, and the last
# table holds the new one's cost against it.
#
#   ./komainu bench proxy --rows hit-10k,zipf --peers komainu,haproxy --runs 3 --seconds 8 --out DIR

perform() {
  [ -z "${KOMAINU_BENCH_OLD:-}" ] || KOMAINU_OLD=$(old_command "$KOMAINU_BENCH_OLD" proxy) || exit 2
  export KOMAINU_OLD PYTHONDONTWRITEBYTECODE=1
  python3 "$ROOT/.launcher/bench/peers/compare.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
