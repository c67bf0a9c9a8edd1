# 15 min (paper: --minutes 17): does the agent slow down the server? Response times without the agent, with rep2, with the whole agent
# Thesis section 4.5.1, figure 4.3.
#
#     clients ═══ a cable for each case ═══ Apache prefork, the agents beside it on the same processor
#                     └ tcpdump on the one in use, in every run
#
# 300 visits a second at even distances (as httperf does), one request each. Ten rounds of four runs, in an order that
# rotates: without any agent; with the host half alone (rep2: what the thesis measured); with the whole agent (capture,
# analysis, discovery, rep2); with a whole agent that was started just before. Response times come from tcpdump's captures
# by ./komainu analyze, the same in every run, so that all runs include the instrument's own cost. Server and agent share
# one processor, which is the worst case for both; client and tcpdump have the others.
#
# An agent runs for months; the start and the compilation of its virtual machine are over after a minute. So both agents are started
# once, run warm under the same load (KOMAINU_BENCH_WARM seconds, default 60), and are stopped (SIGSTOP) in the runs
# without them. A stopped process runs nothing, but the kernel would continue to fill its capture ring. So each case has its own
# cable, on which only its own agent and tcpdump listen. Each run begins with 5 s of load that are not measured, in
# which a continued agent catches up. A further case, "plain", is a whole agent that does not yield (host.yield: never).

# Fewer only while working at this script.
ROUNDS=${KOMAINU_BENCH_ROUNDS:-10}
WARM_SECONDS=${KOMAINU_BENCH_WARM:-60}
LEAD_SECONDS=5
declare -A CABLES=([without]=0 [rep2]=0 [agent]=1 [fresh]=2 [plain]=3)

perform() {
  local seconds round run case n cases
  read -ra cases <<<"${KOMAINU_BENCH_CASES:-without rep2 agent fresh}"
  seconds=$(seconds_of "$1" 10)
  provide taskset tcpdump apache2 || exit 3
  host client; host server
  for n in "${CABLES[@]}"; do
    [ -z "$(ip -n "$TAG-client" link show "c$n" 2>/dev/null)" ] || continue
    cable client "c$n" server "s$n"
    address client "c$n" "10.91.$n.10/24" 20
    address server "s$n" "10.91.$n.1/24"
  done
  pages 200 10240
  apache prefork 0 150
  start apache server taskset -c "$SERVER_CPU" "${SERVER_COMMAND[@]}"
  local apache=$LAST
  answers client 10.91.0.1 "$SERVER_PORT" /page/1.html 20
  declare -A AGENTS=()
  for case in "${cases[@]}"; do
    case "$case" in without | fresh) continue ;; esac
    thesis_4_3_agent "$case" && AGENTS[$case]=$LAST
    say_step "warming up $case for $WARM_SECONDS s"
    thesis_4_3_load "warm-$case" "${CABLES[$case]}" "$WARM_SECONDS"
    kill -STOP "${AGENTS[$case]}"
  done
  for ((round = 1; round <= ROUNDS; round++)); do
    for run in "${!cases[@]}"; do thesis_4_3_run "$round" "${cases[(round + run) % ${#cases[@]}]}" "$seconds"; done
    say_step "round $round of $ROUNDS done"
    alive "$apache" apache
  done
  conditions "sudo ./komainu bench thesis-4.3 --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_4_3 "$WORK" "$OUT" "$ROUNDS" "$WARM_SECONDS" "${cases[@]}"
  draw thesis-4.3 in="$WORK" out="$OUT/figure-4.3.svg"
  cat "$OUT/results.md"
}

# thesis_4_3_agent NAME: starts an agent of the kind with which NAME begins; LAST is its process.
thesis_4_3_agent() {
  java_command agent
  JAVA_COMMAND=(taskset -c "$SERVER_CPU" "${JAVA_COMMAND[@]}" --print --data "$WORK/data-$1" --node bench --port "$SERVER_PORT")
  case "$1" in
    rep2) start "agent-$1" server "${JAVA_COMMAND[@]}" --host-only && saying hostSample "$WORK/agent-$1.out" 30 ;;
    plain) start "agent-$1" server env KOMAINU_AGENT_HOST_YIELD=never "${JAVA_COMMAND[@]}" --interface "s${CABLES[plain]}" && saying serviceWindow "$WORK/agent-$1.out" 30 ;;
    *) start "agent-$1" server "${JAVA_COMMAND[@]}" --interface "s${CABLES[${1%%-*}]}" && saying serviceWindow "$WORK/agent-$1.out" 30 ;;
  esac
}

# thesis_4_3_load NAME CABLE SECONDS
thesis_4_3_load() {
  java_command open-load
  attend "load-$1" client taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --target "10.91.$2.1:$SERVER_PORT" --from "10.91.$2.10+20" \
    --pages 200 --even --phases "300x$3" --seed 7
}

thesis_4_3_run() {
  local round=$1 case=$2 seconds=$3 name=$2-$1 agent='' dump cable=${CABLES[$2]}
  case "$case" in
    fresh) thesis_4_3_agent "$name" && agent=$LAST ;;
    rep2 | agent | plain) agent=${AGENTS[$case]} && kill -CONT "$agent" ;;
  esac
  thesis_4_3_load "lead-$name" "$cable" "$LEAD_SECONDS"
  start "dump-$name" server taskset -c "$OTHER_CPUS" tcpdump -i "s$cable" -n -s 256 -B 65536 -Z root -w "$WORK/$name.pcap" tcp port "$SERVER_PORT"
  dump=$LAST
  saying 'listening on' "$WORK/dump-$name.err" 10
  local before=0
  [ -n "$agent" ] && before=$(cpu_ticks "$agent")
  thesis_4_3_load "$name" "$cable" "$seconds"
  if [ -n "$agent" ]; then
    alive "$agent" "agent-$case"
    awk -v now="$(cpu_ticks "$agent")" -v before="$before" 'BEGIN { print now - before }' >"$WORK/ticks-$name"
  fi
  finish "$dump"
  case "$case" in
    fresh) finish "$agent" ;;
    rep2 | agent | plain) kill -STOP "$agent" ;;
  esac
  java_command analyze
  beside "${JAVA_COMMAND[@]}" "$WORK/$name.pcap" --json | grep -o '"responseMicros":[0-9]*' | cut -d: -f2 >"$WORK/$name.micros"
  rm -f "$WORK/$name.pcap" "$WORK/agent-$name.out"
}

# CPU time of a process's threads in hundredths of a second, with a fraction: "stat" contains only whole ones.
cpu_ticks() { cat "/proc/$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.3f\n", sum / 1e7 }'; }
