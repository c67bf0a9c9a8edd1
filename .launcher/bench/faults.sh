# 6 min: faults of servers, organizers, hosts and links behind organizers, under load: what do clients see, and for how long?
# The organizer (paper 004, section 2) is autonomous and survives faults within seconds, without an operator.
#
#     caller ── organizer "asker" 10.78.0.1 ── bridge ── m1 .11 ─┐
#                                                 └ trunk ─ bridge ── m2 .12, m3 .13     each: an organizer, nginx
#
# The load is an open loop of KOMAINU_BENCH_RATE requests/s (2,000) that can be repeated. Each fault takes 25 s: it begins after 5 s, and ends
# ten seconds later.
#
#     server-killed      m2's nginx is killed by kill -9, then started again
#     organizer-killed   m2's organizer is killed by kill -9, then started again
#     host-cut           m3's cable is disconnected, then connected again
#     partition          the trunk is disconnected: asker and m1 here, m2 and m3 there; then connected again
#     server-slow        m3's nginx runs 20 ms of every 300
#     moved              m1's nginx and organizer end, and start in another namespace with another address (.14) and the same name; they stay there
#
# KOMAINU_BENCH_FAULTS selects some of them.

FAULTS=${KOMAINU_BENCH_FAULTS:-"server-killed organizer-killed host-cut partition server-slow moved"}
FAULTS_RATE=${KOMAINU_BENCH_RATE:-2000}

perform() {
  local i fault
  provide nginx || exit 3
  ulimit -n "$(($(ulimit -Hn) < 16384 ? $(ulimit -Hn) : 16384))"
  compile_caller
  host left; host right
  for i in left right; do
    ip -n "$TAG-$i" link add bridge type bridge && ip -n "$TAG-$i" link set bridge up || exit 1
  done
  address left bridge 10.78.0.250/24
  cable left trunk0 right trunk1
  ip -n "$TAG-left" link set trunk0 master bridge && ip -n "$TAG-right" link set trunk1 master bridge
  head -c 24 /dev/urandom | base64 >"$WORK/secret"
  printf 'the-bench-asks-with-this read\n' >"$WORK/tokens"
  faults_host asker 10.78.0.1 left
  faults_host m1 10.78.0.11 left
  faults_host m2 10.78.0.12 right
  faults_host m3 10.78.0.13 right
  faults_host m4 10.78.0.14 right
  declare -gA NGINX=() MEMBER=()
  for i in m1 m2 m3; do
    faults_nginx "$i"
    faults_member "$i" "$i"
  done
  faults_member asker asker
  answers asker 127.0.0.1 7680 /file 30
  say_step "warming up …"
  on asker "$WORK/caller" 7680 /file --length 1000 --connections 512 --rate "$FAULTS_RATE" --seconds 20 >"$WORK/warm.json" || exit 1
  : >"$WORK/faults.txt"
  for fault in $FAULTS; do
    say_step "$fault …"
    start "caller-$fault" asker "$WORK/caller" 7680 /file --length 1000 --connections 4096 --rate "$FAULTS_RATE" --seconds 25 --log "$WORK/log-$fault.txt"
    local caller=$LAST
    sleep 5
    local begins ends
    begins=$(date +%s.%N)
    "fault_${fault//-/_}"
    while awk -v s="$begins" -v n="$(date +%s.%N)" 'BEGIN { exit !(n - s < 10) }'; do sleep 0.1; done
    ends=$(date +%s.%N)
    "mend_${fault//-/_}"
    faults_equal "$fault" "$ends" &
    local equal=$!
    wait "$caller"
    wait "$equal" || say_error "bench faults: $fault: no equal tables within a minute"
    echo "$fault $(awk -v b="$begins" -v e="$ends" 'BEGIN { print e - b }')" >>"$WORK/faults.txt"
  done
  conditions "sudo ./komainu bench faults" >"$WORK/conditions.md"
  crunch faults "$WORK" "$OUT" "$FAULTS_RATE"
  cat "$OUT/results.md"
}

faults_host() { # faults_host NAME ADDRESS BRIDGE
  host "$1"
  cable "$1" eth0 "$3" "port-$1"
  ip -n "$TAG-$3" link set "port-$1" master bridge
  address "$1" eth0 "$2/24"
  declare -g "ADDRESS_$1=$2"
}

faults_nginx() { # faults_nginx HOST
  cat >"$WORK/nginx-$1.conf" <<TEXT
daemon off; master_process off; pid $WORK/nginx-$1.pid; error_log $WORK/nginx-$1.log; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path $WORK/$1-1; proxy_temp_path $WORK/$1-2; fastcgi_temp_path $WORK/$1-3; uwsgi_temp_path $WORK/$1-4; scgi_temp_path $WORK/$1-5;
  server { listen 127.0.0.1:8080 backlog=4096; location / { add_header X-Mirror ${2:-$1}; return 200 "$(printf 'k%.0s' {1..1000})"; } }
}
TEXT
  start "nginx-$1" "$1" nginx -c "$WORK/nginx-$1.conf"
  NGINX[$1]=$LAST
}

faults_member() { # faults_member HOST NAME
  local address=ADDRESS_$1 front=none serve='[{prefix: "*/", server: "127.0.0.1:8080", capacity: 100000}]'
  [ "$2" = asker ] && front=127.0.0.1:7680 serve='[]'
  cat >"$WORK/$1.yaml" <<YAML
member: $2
listen: ${!address}
front: {listen: "$front"}
secret-file: $WORK/secret
meet: {seeds: [10.78.0.1, 10.78.0.12]}
control: {listen: "${!address}:7692", token-file: $WORK/tokens}
serve: $serve
YAML
  part_command organizer
  start "member-$1" "$1" "${JAVA_COMMAND[@]}" --config "$WORK/$1.yaml"
  MEMBER[$1]=$LAST
}

# faults_equal NAME SINCE: measures the time until all report the same table of all four.
faults_equal() {
  on left python3 -B "$ROOT/.launcher/bench/crunch/faults_equal.py" "$2" >"$WORK/equal-$1.txt"
}

fault_server_killed() { kill -KILL "${NGINX[m2]}"; }
mend_server_killed() { faults_nginx m2; }
fault_organizer_killed() { kill -KILL "${MEMBER[m2]}"; }
mend_organizer_killed() { faults_member m2 m2; }
fault_host_cut() { ip -n "$TAG-right" link set port-m3 down; }
mend_host_cut() { ip -n "$TAG-right" link set port-m3 up; }
fault_partition() { ip -n "$TAG-left" link set trunk0 down; }
mend_partition() { ip -n "$TAG-left" link set trunk0 up; }
fault_server_slow() {
  python3 -B -c '
import os, signal, sys, time
while os.getppid() > 1:
    os.kill(int(sys.argv[1]), signal.SIGSTOP); time.sleep(0.28)
    os.kill(int(sys.argv[1]), signal.SIGCONT); time.sleep(0.02)' "${NGINX[m3]}" &
  SLOWS=$!
}
mend_server_slow() {
  kill "$SLOWS"
  wait "$SLOWS" 2>/dev/null
  kill -CONT "${NGINX[m3]}"
}
fault_moved() {
  # As an administrator would do: the organizer first, so that no request goes to the ending server; both start elsewhere at once.
  kill -TERM "${MEMBER[m1]}"
  while ours "${MEMBER[m1]}"; do sleep 0.05; done
  kill -TERM "${NGINX[m1]}"
  faults_nginx m4 m1
  faults_member m4 m1
}
mend_moved() { :; }
