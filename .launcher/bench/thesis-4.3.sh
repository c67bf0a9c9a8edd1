# 9 min (paper: --minutes 17): does the agent disturb the server? Its response times without, with rep2, with everything
# Thesis section 4.5.1, figure 4.3.
#
#     clients 10.91.0.10+20 ── one cable ── Apache prefork 10.91.0.1, the agent beside it
#                                └ tcpdump, in every run
#
# 300 visits a second at even distances (httperf's way), one request each. Ten rounds; each has one run without any
# agent, one with the host half alone (rep2: what the thesis measured), one with the whole agent (capture, analysis,
# discovery, rep2), in an order that rotates. Response times come from tcpdump's captures by ./komainu analyze, the same
# in every run, so that the instrument's own cost is in all of them. Server and agent share one processor, the hardest
# place for both; client and tcpdump have the others.

# Fewer only while working at this script.
ROUNDS=${KOMAINU_BENCH_ROUNDS:-10}

perform() {
  local seconds round case cases=(without rep2 agent)
  seconds=$(seconds_of "$1" 10)
  provide taskset tcpdump apache2 || exit 3
  host client; host server
  cable client c0 server s0
  address client c0 10.91.0.10/22 20
  address server s0 10.91.0.1/22
  pages 200 10240
  apache prefork 0 150
  start apache server taskset -c "$SERVER_CPU" "${SERVER_COMMAND[@]}"
  local apache=$LAST
  answers client 10.91.0.1 "$SERVER_PORT" /page/1.html 20
  thesis_4_3_run warm-up without 5
  for ((round = 1; round <= ROUNDS; round++)); do
    for case in 0 1 2; do thesis_4_3_run "$round" "${cases[(round + case) % 3]}" "$seconds"; done
    say_step "round $round of $ROUNDS done"
    alive "$apache" apache
  done
  conditions "sudo ./komainu bench thesis-4.3 --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_4_3 "$WORK" "$OUT" "$ROUNDS" "${cases[@]}"
  draw thesis-4.3 in="$WORK" out="$OUT/figure-4.3.svg"
  cat "$OUT/results.md"
}

thesis_4_3_run() {
  local round=$1 case=$2 seconds=$3 name=$2-$1 agent='' dump
  java_command agent
  JAVA_COMMAND=(taskset -c "$SERVER_CPU" "${JAVA_COMMAND[@]}" --print --data "$WORK/agent" --node bench --port "$SERVER_PORT")
  case "$case" in
    rep2) start "agent-$name" server "${JAVA_COMMAND[@]}" --host-only && agent=$LAST && saying hostSample "$WORK/agent-$name.out" 30 ;;
    agent) start "agent-$name" server "${JAVA_COMMAND[@]}" --interface s0 && agent=$LAST && saying serviceWindow "$WORK/agent-$name.out" 30 ;;
  esac
  sleep 3 # in every case: a JVM that has just begun is not what is measured
  start "dump-$name" server taskset -c "$OTHER_CPUS" tcpdump -i s0 -n -s 256 -B 65536 -Z root -w "$WORK/$name.pcap" tcp port "$SERVER_PORT"
  dump=$LAST
  saying 'listening on' "$WORK/dump-$name.err" 10
  local before=0
  [ -n "$agent" ] && before=$(cpu_ticks "$agent")
  java_command open-load
  attend "load-$name" client taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --target "10.91.0.1:$SERVER_PORT" --from 10.91.0.10+20 --pages 200 --even \
    --phases "300x$seconds" --seed 7
  if [ -n "$agent" ]; then
    alive "$agent" "agent-$name"
    printf '%s\n' "$(($(cpu_ticks "$agent") - before))" >"$WORK/ticks-$name"
  fi
  finish "$dump"
  finish "$agent"
  [ "$round" = warm-up ] && return
  java_command analyze
  beside "${JAVA_COMMAND[@]}" "$WORK/$name.pcap" --json | grep -o '"responseMicros":[0-9]*' | cut -d: -f2 >"$WORK/$name.micros"
  rm -f "$WORK/$name.pcap" "$WORK/agent-$name.out"
}

# User and system time of a process, in hundredths of a second.
cpu_ticks() { sed 's/^.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
