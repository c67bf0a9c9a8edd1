# 5 min: pages of ten objects over a wide area: HTTP/1.0 through Squid, persistent connections, and organizers that push the objects of a page
# Paper "Web Objects Organizer" (Yamanaka, Fujitsu 1998), section 3, and what is possible beyond its limit of one round trip an object.
#
#     visitors ── the program beside them, 10.91.0.2 ── RTT 200 ms, 100 Mbit/s, queue 1,000 KB ── 10.91.1.2, nginx
#
#     http10      Squid, a connection to the server for each object
#     http11      Squid, persistent connections
#     line        an organizer at each end, `pages: {hold: 0}` at the near one
#     pages       the same, with the default settings
#
# A visitor requests a page, then the nine objects that it names, all at once, then the next page; no two visitors of a way request the same
# page. Sizes are those of the paper; a page has the same sizes in every way. Nothing is cached on the way. Each page was loaded twice at the
# front of the far organizer, by visitors there; the near visitors load it for the first time. Time runs from the request to the last byte of all
# ten objects. KOMAINU_BENCH_RTTS, _VISITORS, _PAGES (for each visitor) and _WAYS choose other cells.

PAGES_RTTS=${KOMAINU_BENCH_RTTS:-200}
PAGES_VISITORS=${KOMAINU_BENCH_VISITORS:-"1 8"}
PAGES_EACH=${KOMAINU_BENCH_PAGES:-20}
PAGES_WAYS=${KOMAINU_BENCH_WAYS:-"http10 http11 line pages"}

perform() {
  local rtt visitors way wan organizers index=0
  provide squid nginx curl || exit 3
  host near; host wan; host far
  cable near n0 wan a0
  cable far f0 wan b0
  address near n0 10.91.0.2/16 2
  address far f0 10.91.1.2/16
  for way in near:n0 far:f0; do
    on "${way%:*}" ip route replace 10.91.0.0/16 dev "${way#*:}" congctl bbr || exit 1
    on "${way%:*}" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
  done
  python3 -B "$ROOT/.launcher/bench/crunch/pages_visit.py" make "$WORK/www" $(($(wc -w <<<"$PAGES_RTTS") * $(wc -w <<<"$PAGES_VISITORS"))) $((PAGES_EACH * 64)) || exit 1
  pages_nginx
  for way in http10 http11; do pages_squid "$way"; done
  head -c 24 /dev/urandom | base64 >"$WORK/secret"
  : >"$WORK/cells.txt"
  for rtt in $PAGES_RTTS; do
    wide_area "wan-$rtt" wan a0 b0 --both "rate=100,queue=1000,delay=$(awk -v r="$rtt" 'BEGIN { print r / 2 }')"
    wan=$LAST
    pages_organizer far 10.91.1.2 127.0.0.1:7681 "serve: [{prefix: pages.example/, server: 10.91.1.2:8080, capacity: 100000}]"
    organizers=$LAST
    pages_there far 7681
    pages_organizer pages 10.91.0.2 127.0.0.1:7682 ""
    organizers+=" $LAST"
    pages_there near 7682
    pages_organizer line 10.91.0.3 127.0.0.1:7683 "pages: {hold: 0}"
    organizers+=" $LAST"
    for way in $PAGES_WAYS; do pages_there near "$(pages_port "$way")"; done
    for visitors in $PAGES_VISITORS; do
      say_step "RTT $rtt ms, $visitors visitors …"
      attend "learn-$index" far python3 -B "$ROOT/.launcher/bench/crunch/pages_visit.py" visit 7681 "$index" 8 $((visitors * PAGES_EACH / 8 + 1)) 2
      for way in $PAGES_WAYS; do
        # A warm-up, so that neither a new JVM nor new connections are measured.
        attend "warm-$rtt-$visitors-$way" near python3 -B "$ROOT/.launcher/bench/crunch/pages_visit.py" visit "$(pages_port "$way")" warm "$visitors" 8 1
        attend "cell-$rtt-$visitors-$way" near python3 -B "$ROOT/.launcher/bench/crunch/pages_visit.py" visit "$(pages_port "$way")" "$index" "$visitors" "$PAGES_EACH" 1
        echo "$rtt $visitors $way" >>"$WORK/cells.txt"
      done
      index=$((index + 1))
    done
    on near curl -s http://127.0.0.1:7692/control/v1/front >"$OUT/front-$rtt.json"
    for way in $organizers; do finish "$way"; done
    finish "$wan"
  done
  conditions "sudo ./komainu bench pages" >"$WORK/conditions.md"
  crunch pages "$WORK" "$OUT" "$PAGES_EACH"
  cat "$OUT/results.md"
}

# pages_there HOST PORT: waits until a page arrives, because the organizers must connect first.
pages_there() {
  local i
  for ((i = 0; i < 300; i++)); do
    [ "$(on "$1" curl -s -m 5 -o "$WORK/there" -w '%{http_code}' -x "http://127.0.0.1:$2" http://pages.example/warm/0.html)" = 200 ] && return 0
    sleep 0.2
  done
  say_error "bench $BENCH: no page arrives through 127.0.0.1:$2"
  exit 1
}

pages_port() { case "$1" in http10) echo 3128 ;; http11) echo 3129 ;; pages) echo 7682 ;; line) echo 7683 ;; esac; }

pages_nginx() {
  cat >"$WORK/nginx.conf" <<TEXT
daemon off; master_process off; pid $WORK/nginx.pid; error_log $WORK/nginx.log; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 1h; sendfile on; tcp_nopush on; tcp_nodelay on;
  types { text/html html; image/png png; }
  client_body_temp_path $WORK/n-1; proxy_temp_path $WORK/n-2; fastcgi_temp_path $WORK/n-3; uwsgi_temp_path $WORK/n-4; scgi_temp_path $WORK/n-5;
  server { listen 10.91.1.2:8080 backlog=4096; root $WORK/www; location ~ html$ { add_header Cache-Control no-store; } location / { expires 1h; } }
}
TEXT
  start nginx far nginx -c "$WORK/nginx.conf"
  answers far 10.91.1.2 8080 /warm/0.html 20
}

pages_squid() {
  local place="$WORK/squid-$1" keep=on
  [ "$1" = http10 ] && keep=off
  mkdir -p "$place" && chown proxy:proxy "$place"
  cat >"$place/squid.conf" <<TEXT
http_port 127.0.0.1:$(pages_port "$1")
http_access allow all
icp_port 0
pinger_enable off
cache_effective_user proxy
max_filedescriptors 4096
cache_mem 0 MB
cache deny all
access_log none
cache_log $place/cache.log
pid_filename $place/squid.pid
coredump_dir $place
visible_hostname $1
cache_peer 10.91.1.2 parent 8080 0 no-query no-digest no-netdb-exchange originserver name=server
never_direct allow all
server_persistent_connections $keep
shutdown_lifetime 0 seconds
TEXT
  start "squid-$1" near squid -N -f "$place/squid.conf"
}

pages_organizer() { # pages_organizer NAME ADDRESS FRONT SETTING
  cat >"$WORK/$1.yaml" <<YAML
member: $1
listen: $2
front: {listen: "$3"}
secret-file: $WORK/secret
meet: {seeds: [10.91.1.2, 10.91.0.2]}
control: {listen: $([ "$1" = pages ] && echo '"127.0.0.1:7692"' || echo none)}
$4
YAML
  part_command organizer
  start "organizer-$1" "$([ "$1" = far ] && echo far || echo near)" "${JAVA_COMMAND[@]}" --config "$WORK/$1.yaml"
}
