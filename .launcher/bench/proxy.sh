# 35 min: CPU per request, latency and memory of Komainu and every caching proxy installed here, in one run.
#
# nginx, HAProxy, Varnish, Squid and Traffic Server as Debian packages them, each with one worker and a cache of 256 MB in
# memory, each in turn alone on core 1; nginx with the objects, and the caller, on core 0. CPU time is that of all processes and threads of the
# server as the kernel counts it, including compilers and garbage collection. In each round every server is
# measured once, so that other load of this machine affects all of them; the table has medians, least and most. The status and length of every
# response are checked, and the origin's count shows that hits were hits: the table contains the errors.
#
# On loopback a sender's core also does the receiver's work: compare servers within a column, not with other machines.
# As root all three run before other programs (nice -10). KOMAINU_BASELINE, a command, adds another build
# of Komainu, or the same one with other settings: "env KOMAINU_TRANSPORT=io_uring java …". KOMAINU_BENCH_OLD, the directory of another
# checkout that is built, adds its proxy twice (old, again): the difference between the two is the noise of this machine, and the last
# table compares the new one's cost with it.
#
#   ./komainu bench proxy --rows hit-10k,zipf --peers komainu,haproxy --runs 3 --seconds 8 --out DIR

perform() {
  [ -z "${KOMAINU_BENCH_OLD:-}" ] || KOMAINU_OLD=$(old_command "$KOMAINU_BENCH_OLD" proxy) || exit 2
  export KOMAINU_OLD PYTHONDONTWRITEBYTECODE=1
  python3 "$ROOT/.launcher/bench/peers/compare.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
