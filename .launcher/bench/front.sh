# 6 min: the cost of organizers in front of a web server: processor time for each request, and additional response time
# The question is the paper's own (Fujitsu 1998, section 2): an organizer beside every server and proxy is useful only when its cost is low.
#
#     caller ── way ── nginx with a file, all on loopback in one namespace
#
#     direct   nothing between them
#     nginx    nginx in front, as a reverse proxy with persistent connections
#     one      one organizer in front, the server its own
#     two      two organizers, the line between them in TLS
#     clear    the same, the line in the clear (line-plain)
#
# The programs on the way have one processor for themselves, caller and server the other. Every way runs once before the first measurement. Each
# is then measured in turn, KOMAINU_BENCH_ROUNDS times (3): an open loop of KOMAINU_BENCH_RATE requests/s (2,000) over 64 connections, and a
# closed one. CPU time is that of all processes on the way (utime and stime). KOMAINU_BENCH_BYTES is the size of the file (10,000).
# KOMAINU_BENCH_WAYS selects some of the ways.
#
# KOMAINU_BENCH_OLD is the directory of another checkout that is built. Each way of organizers also runs twice with that build (old, again), in
# the same rounds. The difference between the two is the noise of this machine.

FRONT_WAYS=${KOMAINU_BENCH_WAYS:-"direct nginx one two clear"}
FRONT_BYTES=${KOMAINU_BENCH_BYTES:-10000}

perform() {
  local seconds way
  seconds=$(seconds_of "$1" 8)
  provide taskset nginx || exit 3
  compile_caller
  host lone
  front_nginx server 8080 "root $WORK/www;"
  mkdir -p "$WORK/www" && head -c "$FRONT_BYTES" /dev/zero >"$WORK/www/file" && chmod 755 "$WORK/www"
  start server lone taskset -c "$OTHER_CPUS" nginx -c "$WORK/server.conf"
  answers lone 127.0.0.1 8080 /file 20
  head -c 24 /dev/urandom | base64 >"$WORK/secret"
  : >"$WORK/ways.txt"
  FRONT_NUMBER=0 FRONT_PORT=7602 FRONT_COMMAND=''
  local old='' build
  [ -z "${KOMAINU_BENCH_OLD:-}" ] || old=$(old_command "$KOMAINU_BENCH_OLD" organizer) || exit 2
  for way in $FRONT_WAYS; do
    for build in ${old:+old again} ''; do
      case $way in direct | nginx) [ -z "$build" ] || continue ;; esac
      FRONT_COMMAND=${build:+$old}
      "front_$way" ${build:+"-$build"}
      say_step "$way${build:+ ($build)} is there …"
    done
  done
  attend measure lone taskset -c "$OTHER_CPUS" python3 -B "$ROOT/.launcher/bench/crunch/front_measure.py" "$WORK" "$seconds" "$FRONT_BYTES" "${KOMAINU_BENCH_RATE:-2000}" "${KOMAINU_BENCH_ROUNDS:-3}"
  conditions "sudo ./komainu bench front" >"$WORK/conditions.md"
  crunch front "$WORK" "$OUT" "$FRONT_BYTES" "${KOMAINU_BENCH_RATE:-2000}" "$seconds"
  cat "$OUT/results.md"
}

# front_way NAME PORT PID…: registers a way: the port for the caller, and the processes whose time counts.
front_way() { echo "$*" >>"$WORK/ways.txt"; }

front_direct() { front_way direct 8080; }

front_nginx() { # front_nginx [NAME PORT LOCATION]: as a way without arguments
  local name=${1:-nginx} port=${2:-7601} location=${3:-'proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection "";'}
  cat >"$WORK/$name.conf" <<TEXT
daemon off; master_process off; pid $WORK/$name.pid; error_log $WORK/$name.log; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 1h; sendfile on; tcp_nopush on;
  client_body_temp_path $WORK/$name-1; proxy_temp_path $WORK/$name-2; fastcgi_temp_path $WORK/$name-3; uwsgi_temp_path $WORK/$name-4; scgi_temp_path $WORK/$name-5;
  upstream server { server 127.0.0.1:8080; keepalive 256; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:$port backlog=4096; location / { $location } }
}
TEXT
  [ $# = 0 ] || return 0
  start nginx lone taskset -c "$SERVER_CPU" nginx -c "$WORK/nginx.conf"
  answers lone 127.0.0.1 7601 /file 20
  front_way nginx 7601 "$LAST"
}

front_one() { # front_one [-BUILD]
  local port=$((FRONT_PORT++)) number=$((++FRONT_NUMBER))
  front_organizer "one${1:-}" "$number" "$port" false "serve: [{prefix: \"*/\", server: 127.0.0.1:8080, capacity: 100000}]"
  answers lone 127.0.0.1 "$port" /file 30
  front_way "one${1:-}" "$port" "$LAST"
}

front_two() { front_pair "two${1:-}" false; }
front_clear() { front_pair "clear${1:-}" true; }

front_pair() { # front_pair NAME PLAIN: an asker and, at the next address, who serves
  local asker port=$((FRONT_PORT++)) number=$((++FRONT_NUMBER))
  front_organizer "$1" "$number" "$port" "$2" "serve: []"
  asker=$LAST
  front_organizer "$1-server" $((++FRONT_NUMBER)) none "$2" "serve: [{prefix: \"*/\", server: 127.0.0.1:8080, capacity: 100000}]" "$number"
  answers lone 127.0.0.1 "$port" /file 30
  front_way "$1" "$port" "$asker" "$LAST"
}

front_organizer() { # front_organizer NAME NUMBER FRONT-PORT PLAIN SERVE [SEED-NUMBER]
  local front=none
  [ "$3" = none ] || front=127.0.0.1:$3
  cat >"$WORK/$1.yaml" <<YAML
member: ${1}
cluster: c${6:-$2}
listen: 127.0.1.$2
line-plain: $4
front: {listen: "$front"}
secret-file: $WORK/secret
meet: {seeds: [127.0.1.${6:-$2}]}
control: {listen: none}
$5
YAML
  part_command organizer
  [ -z "$FRONT_COMMAND" ] || eval "JAVA_COMMAND=($FRONT_COMMAND)"
  start "organizer-$1" lone taskset -c "$SERVER_CPU" "${JAVA_COMMAND[@]}" --config "$WORK/$1.yaml"
}
