# 20 min: the memory-based caching proxy at a peak of four times the quiet rate, compared with Squid on disk and Squid in memory
# Paper "Implementation of a memory-based caching proxy" (Kajita, NAIST 1999), figures 9 to 11.
#
#     visitors 10.91.0.10+200 ── proxy 10.91.0.1 | 10.92.0.1 ── origin 10.92.0.10, which thinks 1.5 to 4.5 s
#
# The paper's workload: 55 % of the requests are hits in a cache of unlimited size, 80 % of the responses may be stored, Zipf, 10 KB on average,
# a connection for each request; quiet, a peak of four times as many, quiet. 100 MB of cache, filled before in a minute that rises to the peak's
# rate. Beyond the paper: a second peak with smooth ramps (its section 6 proposes that), and rates up to ten times its own. The proxy has a
# processor for itself, all other programs share the other. T_r counts from the request to the first byte; each cache reports its hits and
# misses itself (our load, docs/load.md).
#
#     komainu       ours, everything in memory
#     squid-disk    Debian's Squid, 100 MB on disk and no memory cache, as in the paper
#     squid-memory  the same with 100 MB of memory and no disk (the paper's figure 11 used a file system in memory)
#     nginx-memory  Debian's nginx, one worker, 100 MB of files in memory, misses not joined; only when KOMAINU_BENCH_PROXIES names it

TMPROXY_RATES=${KOMAINU_BENCH_RATES:-"200 400 800 1600"}
# As many descriptors as this machine gives, and a crowd needs.
FILES=$(ulimit -Hn)
[ "$FILES" != unlimited ] && [ "$FILES" -le 60000 ] || FILES=60000
TMPROXY_PROXIES=${KOMAINU_BENCH_PROXIES:-"komainu squid-disk squid-memory"}

perform() {
  local seconds proxy rate
  seconds=$(seconds_of "$1" 20)
  provide taskset squid nginx || exit 3
  host client; host proxy; host origin
  cable client c0 proxy p1
  cable proxy p2 origin o0
  address client c0 10.91.0.10/22 200
  address proxy p1 10.91.0.1/22
  address proxy p2 10.92.0.1/24
  address origin o0 10.92.0.10/24
  java_command thinking-origin
  start origin origin taskset -c "$OTHER_CPUS" prlimit --nofile=$FILES:$FILES "${JAVA_COMMAND[@]}" --listen 10.92.0.10:8080
  saying listening "$WORK/origin.out" 20
  : >"$WORK/runs.txt"
  for proxy in $TMPROXY_PROXIES; do
    for rate in $TMPROXY_RATES; do
      tmproxy_run "$proxy" "$rate" "$seconds"
      echo "$proxy $rate" >>"$WORK/runs.txt"
    done
  done
  conditions "$(chosen_settings)sudo -E ./komainu bench tmproxy --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch tmproxy "$WORK" "$OUT"
  draw tmproxy in="$WORK/peaks.dat" out="$OUT/figure-10-peaks.svg"
  draw tmproxy-ramp in="$WORK/ramp.dat" out="$OUT/ramps.svg"
  cat "$OUT/results.md"
}

# tmproxy_run PROXY PEAK-RATE SECONDS: a cold proxy, filled, then the paper's peak and a smooth one.
tmproxy_run() {
  local proxy=$1 peak=$2 seconds=$3 quiet=$(($2 / 4))
  say_step "$proxy, peak of $peak requests/s …"
  "start_${proxy//-/_}" "$peak"
  local server=$LAST
  start "seconds-$proxy-$peak" client taskset -c "$OTHER_CPUS" python3 -B "$ROOT/.launcher/bench/crunch/process_seconds.py" "$server"
  local seconds_by=$LAST
  part_command load
  attend "load-$proxy-$peak" client taskset -c "$OTHER_CPUS" prlimit --nofile=$FILES:$FILES "${JAVA_COMMAND[@]}" \
    --target http://10.91.0.1:7680 --allow <(echo 10.91.0.1:7680) --from 10.91.0.10+200 --http 1.0 --parallel 1 --patience 30 --seed "$peak" \
    --phases "fill:${quiet}-${peak}x60,before:${quiet}x$seconds,peak:${peak}x$seconds,after:${quiet}x$seconds,up:${quiet}-${peak}x$seconds,top:${peak}x$seconds,down:${peak}-${quiet}x$seconds" \
    --json "$WORK/load-$proxy-$peak.json"
  alive "$server" "proxy-$proxy-$peak"
  awk '/^VmHWM/ { print $2 }' "/proc/$server/status" >"$WORK/memory-$proxy-$peak.txt"
  finish "$seconds_by"
  finish "$server"
}

start_komainu() {
  # An origin that thinks for 3 s has 3,000 requests at a time when it gets a thousand a second; the default limit is 4,096.
  export KOMAINU_UPSTREAM_MAX_OPEN=12000
  java_command proxy --memory 100MB
  KOMAINU_CONNECTIONS_MAX=20000 KOMAINU_CONNECTIONS_MAX_PER_CLIENT=20000 start "proxy-komainu-$1" proxy taskset -c "$SERVER_CPU" prlimit --nofile=$FILES:$FILES \
    "${JAVA_COMMAND[@]}" --listen 10.91.0.1:7680 --origin http://10.92.0.10:8080 --memory 100MB --workers 1 --control 127.0.0.1:7681
  answers proxy 127.0.0.1 7681 /metrics 20
}

start_squid_disk() { start_squid squid-disk "$1" "cache_mem 0 MB" "cache_dir ufs $WORK/squid-disk-$1/cache 100 16 64" "maximum_object_size_in_memory 0 KB"; }
start_squid_memory() { start_squid squid-memory "$1" "cache_mem 100 MB" "maximum_object_size_in_memory 1 MB" "memory_cache_mode always"; }

# nginx did not exist in the paper's year; today it is the cheapest one. With proxy_cache_lock, misses failed here at high rates.
start_nginx_memory() {
  local place="$WORK/nginx-memory-$1"
  mkdir -p "$place/files"
  mounted "$place/files"
  chmod 777 "$place/files"
  cat >"$place/nginx.conf" <<TEXT
worker_processes 1;
daemon off;
pid $place/pid;
error_log $place/error.log;
worker_rlimit_nofile $FILES;
events { worker_connections $FILES; }
http {
  access_log off;
  sendfile on;
  client_body_temp_path $place/t1; fastcgi_temp_path $place/t2; uwsgi_temp_path $place/t3; scgi_temp_path $place/t4; proxy_temp_path $place/t5;
  proxy_cache_path $place/files levels=1:2 keys_zone=z:16m max_size=100m inactive=1h use_temp_path=off;
  open_file_cache max=20000;
  server {
    listen 10.91.0.1:7680 backlog=4096;
    location / { proxy_pass http://10.92.0.10:8080; proxy_cache z; proxy_read_timeout 60s; add_header X-Cache-Status \$upstream_cache_status; }
  }
}
TEXT
  start "proxy-nginx-memory-$1" proxy taskset -c "$SERVER_CPU" nginx -p "$place" -c "$place/nginx.conf" -e "$place/error.log"
}

# start_squid NAME RATE SETTING…
start_squid() {
  local place="$WORK/$1-$2" name="proxy-$1-$2"
  shift 2
  mkdir -p "$place/cache" "$place/logs" && chmod 755 "$place" && chown proxy:proxy "$place/cache" "$place/logs"
  cat >"$place/squid.conf" <<TEXT
visible_hostname proxy
http_port 10.91.0.1:7680 accel no-vhost defaultsite=10.92.0.10:8080
cache_peer 10.92.0.10 parent 8080 0 no-query no-digest no-netdb-exchange originserver name=origin
http_access allow all
icp_port 0
pinger_enable off
cache_effective_user proxy
cache_store_log none
cache_log $place/logs/cache.log
access_log none
pid_filename $place/logs/squid.pid
coredump_dir $place/logs
max_filedescriptors $FILES
server_persistent_connections off
shutdown_lifetime 1 second
$(printf '%s\n' "$@")
TEXT
  if grep -q '^cache_dir' "$place/squid.conf"; then
    on proxy squid -N -z -f "$place/squid.conf" >"$place/made.txt" 2>&1 || { tail -3 "$place/made.txt" >&2; exit 1; }
  fi
  start "$name" proxy taskset -c "$SERVER_CPU" squid -N -f "$place/squid.conf"
  saying 'Accepting reverse-proxy' "$place/logs/cache.log" 30
}
