# 4 h (with --no-cold: 1 h): CPU per request, latency and memory of Komainu and every caching proxy installed here, in one run.
#
# nginx, HAProxy, Varnish, Squid and Traffic Server as Debian packages them, each with one worker and a cache of 256 MB in
# memory, each in turn alone on core 1; nginx with the objects, and the caller, on core 0. CPU time is that of all processes and threads of the
# server as the kernel counts it, including compilers and garbage collection. In each round every server is
# measured once, so that other load of this machine affects all of them; the table has medians, least and most. The status and length of every
# response are checked, and the origin's count shows that hits were hits: the table contains the errors.
#
# After the warm rows, each row is measured cold, by processes that serve nothing else: its first second and seconds 2 to 5, after a start, and
# after 30 s of cached hits. TLS is 1.3 with a certificate on P-256, AES-128-GCM and X25519; Varnish and Squid are left out there.
#
# On loopback a sender's core also does the receiver's work: compare servers within a column, not with other machines.
# As root all three run before other programs (nice -10). KOMAINU_BASELINE, a command, adds another build
# of Komainu, or the same one with other settings: "env KOMAINU_TRANSPORT=io_uring java …". KOMAINU_BENCH_OLD, the directory of another
# checkout that is built, adds its proxy twice (old, again): the difference between the two is the noise of this machine, and the last
# table compares the new one's cost with it.
#
#   ./komainu bench proxy --rows hit-10k,zipf --peers komainu,haproxy --runs 3 --seconds 8 --out DIR
#   ./komainu bench proxy --rows new-connection --cold new-connection,miss-10k --cold-peers komainu,nginx,haproxy --no-latency

perform() {
  [ -z "${KOMAINU_BENCH_OLD:-}" ] || KOMAINU_OLD=$(old_command "$KOMAINU_BENCH_OLD" proxy) || exit 2
  export KOMAINU_OLD PYTHONDONTWRITEBYTECODE=1
  python3 "$ROOT/.launcher/bench/peers/compare.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
