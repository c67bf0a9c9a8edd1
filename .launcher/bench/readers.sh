# 6 min: the cost of ten thousand slow readers for a proxy
# Not in the papers, but the reason for DRM's budget: a client that requests much and reads a byte a second occupies memory for the rest.
#
#     10,000 readers 127.0.0.1, 1 B/s, 4 KB of receive buffer each ── proxy ── origin, both ends in one namespace
#
# Each reader requests an object of 1 MB: first a stored one (the same for all), then a passed one (one for each, never stored). The result is the
# additional memory of the proxy's process (RSS) and of the kernel's ends of its sockets (ss -m) after half a minute, and whether
# and how fast another client is served meanwhile, under buffers.scheme kernel and equation. KOMAINU_BENCH_READERS sets their number; where
# descriptors do not suffice for the passed ones (two each), there are fewer.

READERS=${KOMAINU_BENCH_READERS:-10000}
# Pages beyond which the kernel gives TCP nothing more; not to be seen from a namespace.
TCP_MEM=$(awk '{ print $3 }' /proc/sys/net/ipv4/tcp_mem)

perform() {
  local seconds scheme kind
  seconds=$(seconds_of "$1" 30)
  host lone
  java_command thinking-origin
  start origin lone prlimit --nofile="$(ulimit -Hn)" "${JAVA_COMMAND[@]}" --listen 127.0.0.1:8080 --think 0-0
  saying listening "$WORK/origin.out" 20
  : >"$WORK/rows.txt"
  for scheme in kernel equation; do
    for kind in keep fresh; do
      readers_run "$scheme" "$kind" "$seconds"
    done
  done
  conditions "sudo ./komainu bench readers" >"$WORK/conditions.md"
  {
    printf '# %s readers of 1 MB at one byte a second\n\n' "$READERS"
    cat "$WORK/conditions.md"
    printf '\n| buffers.scheme | object | readers served | RSS before, MB | RSS with them, MB | difference | its sockets before, MB | with them | another client: p50, ms | p99, ms | without a response in 10 s | all TCP memory, both ends, MB |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n'
    cat "$WORK/rows.txt"
  } >"$OUT/results.md"
  cat "$OUT/results.md"
}

# readers_run SCHEME KIND SECONDS
readers_run() {
  local scheme=$1 kind=$2 seconds=$3 readers=$READERS most
  # A passed reader uses two descriptors, and another client needs some.
  most=$((($(ulimit -Hn) - 1000) / 2))
  [ "$kind" = fresh ] && [ "$readers" -gt "$most" ] && readers=$most
  say_step "$scheme, $kind …"
  java_command proxy --memory 64MB
  KOMAINU_CONNECTIONS_MAX=20000 KOMAINU_CONNECTIONS_MAX_PER_CLIENT=20000 KOMAINU_BUFFERS_SCHEME=$scheme \
    start "proxy-$scheme-$kind" lone prlimit --nofile="$(ulimit -Hn)" "${JAVA_COMMAND[@]}" --listen 127.0.0.1:7680 --origin http://127.0.0.1:8080 --memory 64MB --control none
  local proxy=$LAST
  answers lone 127.0.0.1 7680 /object/1/100/keep 20
  on lone prlimit --nofile="$(ulimit -Hn)" python3 -B "$ROOT/.launcher/bench/crunch/readers.py" "$proxy" "$scheme" "$kind" "$readers" "$seconds" "$TCP_MEM" >>"$WORK/rows.txt" || exit 1
  alive "$proxy" "proxy-$scheme-$kind"
  finish "$proxy"
}
