# 20 min: the organizer's line against HTTP/1.0 and HTTP/1.1 keep-alive, by agents and distance
# Paper "Web Objects Organizer" (Yamanaka, Fujitsu 1998), section 3, figures 6.1 to 6.4: the line alone, its two ends as agents and origin.
#
#     agents 10.91.0.2 ── RTT 0 to 500 ms, 100 Mbit/s, queue 1,000 KB ── origins 10.91.1.2
#
#     line     all agents over one line of 4 connections, HTTP/2
#     http11   each agent over a connection of its own that stays
#     http10   each object over a connection of its own
#
# Each agent asks for the next object when the last is there; the paper's mix of sizes, the same objects for the same agent in each of the three.
# BBR everywhere (KOMAINU_BENCH_CC for another), no slow start after idle. KOMAINU_BENCH_AGENTS, _RTTS, _OVER, _CONNECTIONS, _LOSS choose other
# cells; KOMAINU_BENCH_STACK=1998 is initcwnd 1, reno and no SACK.

ORGANIZER_AGENTS=${KOMAINU_BENCH_AGENTS:-"1 8 32 100 200"}
ORGANIZER_RTTS=${KOMAINU_BENCH_RTTS:-"0 50 200 500"}
ORGANIZER_OVER=${KOMAINU_BENCH_OVER:-"http10 http11 line"}
ORGANIZER_CONNECTIONS=${KOMAINU_BENCH_CONNECTIONS:-4}
ORGANIZER_LOSS=${KOMAINU_BENCH_LOSS:-0}
ORGANIZER_STACK=${KOMAINU_BENCH_STACK:-today}
ORGANIZER_CC=${KOMAINU_BENCH_CC:-$([ "$ORGANIZER_STACK" = 1998 ] && echo reno || echo bbr)}

perform() {
  local seconds rtt agents over route="congctl $ORGANIZER_CC" wan
  seconds=$(seconds_of "$1" 10)
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
  start line-origin far "${JAVA_COMMAND[@]}" --listen 10.91.1.2:8002 --congestion "$ORGANIZER_CC"
  for over in http11 http10 line; do saying listening "$WORK/$over-origin.out" 60; done
  java_command line-agents
  : >"$WORK/cells.txt"
  for rtt in $ORGANIZER_RTTS; do
    wide_area "wan-$rtt" wan a0 b0 --both "rate=100,queue=1000,loss=$ORGANIZER_LOSS,delay=$(awk -v r="$rtt" 'BEGIN { print r / 2 }')"
    wan=$LAST
    for agents in $ORGANIZER_AGENTS; do
      for over in $ORGANIZER_OVER; do organizer_cell "$rtt" "$agents" "$over" "$seconds"; done
    done
    finish "$wan"
  done
  conditions "sudo ./komainu bench organizer --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch organizer "$WORK" "$OUT" "$seconds" "$ORGANIZER_LOSS" "$ORGANIZER_CC" "$ORGANIZER_STACK" "$ORGANIZER_CONNECTIONS"
  cat "$OUT/results.md"
}

# organizer_cell RTT AGENTS OVER SECONDS: warm-up of eight round trips, and never less than 3 s of a young JVM.
organizer_cell() {
  local rtt=$1 agents=$2 over=$3 seconds=$4 name="$1-$2-$3" port
  case "$over" in line) port=8002 ;; http11) port=8011 ;; http10) port=8010 ;; esac
  say_step "RTT $rtt ms, $agents agents, $over …"
  attend "cell-$name" near "${JAVA_COMMAND[@]}" --to "10.91.1.2:$port" --over "${over^^}" --agents "$agents" --connections "$ORGANIZER_CONNECTIONS" \
    --congestion "$ORGANIZER_CC" --warm-up "$(awk -v r="$rtt" 'BEGIN { w = r * 8 / 1000; print w < 3 ? 3 : w }')" --seconds "$seconds"
  echo "$rtt $agents $over" >>"$WORK/cells.txt"
}
