# 30 min: the organizer's line compared with HTTP/1.0, keep-alive and one HTTP/2 connection to nginx, by agents and distance
# Paper "Web Objects Organizer" (Yamanaka, Fujitsu 1998), section 3, figures 6.1 to 6.4: the line alone, its two ends as agents and origin.
#
#     agents 10.91.0.2 ── RTT 0 to 500 ms, 100 Mbit/s, queue 1,000 KB ── origins 10.91.1.2
#
#     line     all agents over one line of 4 connections, HTTP/2
#     http11   each agent over a persistent connection of its own
#     quic     all agents over one line of one QUIC connection
#     auto     all agents over one line that begins with TCP and chooses its transport
#     h2       all agents over one HTTP/2 connection to nginx, which has TCP_NODELAY here, in front of the same origin
#     http10   each object over a connection of its own
#     squid    each object over a connection of its own through Squid, which runs beside the agents and stores nothing, as in the paper
#
# Each agent requests the next object when the previous one is complete; the paper's mix of sizes, the same objects for the same agent in each
# way. BBR everywhere; the line chooses by itself (KOMAINU_BENCH_CC sets another one everywhere); no slow start after idle. KOMAINU_BENCH_AGENTS,
# _RTTS, _OVER, _CONNECTIONS and _LOSS choose other cells, quic and auto only with KOMAINU_BENCH_OVER. KOMAINU_BENCH_STACK=1998 is initcwnd 1,
# reno and no SACK.

ORGANIZER_AGENTS=${KOMAINU_BENCH_AGENTS:-"1 8 32 100 200"}
ORGANIZER_RTTS=${KOMAINU_BENCH_RTTS:-"0 50 200 500"}
ORGANIZER_OVER=${KOMAINU_BENCH_OVER:-"squid http10 http11 h2 line"}
ORGANIZER_CONNECTIONS=${KOMAINU_BENCH_CONNECTIONS:-4}
ORGANIZER_LOSS=${KOMAINU_BENCH_LOSS:-0}
ORGANIZER_STACK=${KOMAINU_BENCH_STACK:-today}
ORGANIZER_CC=${KOMAINU_BENCH_CC:-$([ "$ORGANIZER_STACK" = 1998 ] && echo reno || echo bbr)}
LINE_CC=${KOMAINU_BENCH_CC:-$([ "$ORGANIZER_STACK" = 1998 ] && echo reno || echo auto)}

perform() {
  local seconds rtt agents over route="congctl $ORGANIZER_CC" wan
  seconds=$(seconds_of "$1" 8)
  provide squid nginx openssl curl || exit 3
  [ "$ORGANIZER_STACK" = 1998 ] && route="$route initcwnd 1"
  host near; host wan; host far
  cable near n0 wan a0
  cable far f0 wan b0
  address near n0 10.91.0.2/16
  address far f0 10.91.1.2/16
  for rtt in near:n0 far:f0; do
    # A namespace may choose its route's congestion control where it may not set the default.
    on "${rtt%:*}" ip route replace 10.91.0.0/16 dev "${rtt#*:}" $route || exit 1
    on "${rtt%:*}" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
    [ "$ORGANIZER_STACK" = 1998 ] && on "${rtt%:*}" sysctl -qw net.ipv4.tcp_sack=0
  done
  java_command thinking-origin
  start http11-origin far "${JAVA_COMMAND[@]}" --listen 10.91.1.2:8011 --think 0-0 --keep-alive
  start http10-origin far "${JAVA_COMMAND[@]}" --listen 10.91.1.2:8010 --think 0-0
  java_command line-origin
  start line-origin far "${JAVA_COMMAND[@]}" --listen 10.91.1.2:8002 --congestion "$LINE_CC"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=origin -addext subjectAltName=DNS:origin \
    -keyout "$WORK/line.key" -out "$WORK/line.crt" 2>"$WORK/openssl.err" || exit 1
  start quic-origin far "${JAVA_COMMAND[@]}" --listen 10.91.1.2:8003 --congestion "$LINE_CC" --tls "$WORK"
  for over in http11 http10 line quic; do saying listening "$WORK/$over-origin.out" 60; done
  start_squid
  start_nginx
  java_command line-agents
  : >"$WORK/cells.txt"
  for rtt in $ORGANIZER_RTTS; do
    wide_area "wan-$rtt" wan a0 b0 --both "rate=100,queue=1000,loss=$ORGANIZER_LOSS,delay=$(awk -v r="$rtt" 'BEGIN { print r / 2 }')"
    wan=$LAST
    # Squid sends no request to a peer that it has not reached over this path yet.
    case " $ORGANIZER_OVER " in *" squid "*) squid_reaches ;; esac
    for agents in $ORGANIZER_AGENTS; do
      for over in $ORGANIZER_OVER; do organizer_cell "$rtt" "$agents" "$over" "$seconds"; done
    done
    finish "$wan"
  done
  conditions "sudo ./komainu bench organizer --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch organizer "$WORK" "$OUT" "$seconds" "$ORGANIZER_LOSS" "$ORGANIZER_CC" "$ORGANIZER_STACK" "$ORGANIZER_CONNECTIONS"
  # Ratios need their denominator.
  case " $ORGANIZER_OVER " in *" squid "* | *" http10 "*) draw organizer in="$WORK/ratios.dat" out="$OUT/figure-6.svg" ;; esac
  cat "$OUT/results.md"
}

start_squid() {
  mkdir -p "$WORK/squid" && chown proxy:proxy "$WORK/squid"
  cat >"$WORK/squid.conf" <<TEXT
visible_hostname near
http_port 10.91.0.2:3128 accel no-vhost defaultsite=10.91.1.2:8010
cache_peer 10.91.1.2 parent 8010 0 no-query no-digest no-netdb-exchange originserver name=origin
http_access allow all
cache deny all
icp_port 0
pinger_enable off
cache_effective_user proxy
cache_store_log none
cache_log $WORK/squid/cache.log
access_log none
pid_filename $WORK/squid/pid
coredump_dir $WORK/squid
client_persistent_connections off
server_persistent_connections off
shutdown_lifetime 1 second
TEXT
  start squid near squid -N -f "$WORK/squid.conf"
  saying 'Accepting reverse-proxy' "$WORK/squid/cache.log" 30
}

squid_reaches() {
  local i
  for ((i = 0; i < 60; i++)); do
    on near curl -sf -m 5 -o /dev/null http://10.91.0.2:3128/object/1/100/fresh && return 0
    sleep 0.5
  done
  say_error "bench $BENCH: Squid does not reach its parent"
  exit 1
}

start_nginx() {
  cc -shared -fPIC -O2 -o "$WORK/nodelay.so" "$ROOT/.launcher/bench/nodelay.c" -ldl || exit 1
  mkdir -p "$WORK/nginx"
  cat >"$WORK/nginx.conf" <<TEXT
worker_processes 1;
daemon off;
pid $WORK/nginx/pid;
error_log $WORK/nginx/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path $WORK/nginx/t1; fastcgi_temp_path $WORK/nginx/t2; uwsgi_temp_path $WORK/nginx/t3; scgi_temp_path $WORK/nginx/t4; proxy_temp_path $WORK/nginx/t5;
  upstream origin { server 10.91.1.2:8011; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 10.91.1.2:8020 http2;
    keepalive_requests 1000000000;
    http2_max_concurrent_streams 1000;
    location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 64k; proxy_buffer_size 64k; }
  }
}
TEXT
  start nginx far env LD_PRELOAD="$WORK/nodelay.so" nginx -p "$WORK/nginx" -c "$WORK/nginx.conf" -e "$WORK/nginx/error.log"
}

# organizer_cell RTT AGENTS OVER SECONDS: a warm-up of eight round trips, and at least 3 s for the JVM.
organizer_cell() {
  local rtt=$1 agents=$2 over=$3 seconds=$4 name="$1-$2-$3" to speaks=$3 connections=$ORGANIZER_CONNECTIONS tls=()
  case "$over" in
    line) to=10.91.1.2:8002 ;;
    quic) to=10.91.1.2:8003 connections=1 tls=(--tls "$WORK") ;;
    auto) to=10.91.1.2:8003 tls=(--tls "$WORK") ;;
    h2) to=10.91.1.2:8020 speaks=line connections=1 ;;
    http11) to=10.91.1.2:8011 ;;
    http10) to=10.91.1.2:8010 ;;
    squid) to=10.91.0.2:3128 speaks=http10 ;;
  esac
  say_step "RTT $rtt ms, $agents agents, $over …"
  attend "cell-$name" near "${JAVA_COMMAND[@]}" --to "$to" --over "${speaks^^}" --agents "$agents" --connections "$connections" "${tls[@]}" \
    --congestion "$LINE_CC" --warm-up "$(awk -v r="$rtt" 'BEGIN { w = r * 8 / 1000; print w < 3 ? 3 : w }')" --seconds "$seconds"
  echo "$rtt $agents $over" >>"$WORK/cells.txt"
}
