# 3 min (paper: a day): concurrent connections by the server's own log and by packets, clients on modem lines
# Thesis section 2.5.2, figures 2.8 and 2.11 to 2.13: the log showed 550 at the peak, the packets 13,000.
#
#     clients 10.91.4.10+1000 ── 50 to 300 ms each way, 56 kbit/s each ── Apache prefork 10.91.0.1, the agent beside it
#
# One request a connection, Poisson; the rate rises evenly to 300 visits a second and falls again. In the log, the time of a request
# ends when the last byte is in the socket's buffer; by the packets it ends with the connection.

PEAK=300

perform() {
  local seconds half
  seconds=$(seconds_of "$1" 150)
  half=$(awk -v t="$seconds" 'BEGIN { print t / 2 }')
  provide taskset apache2 || exit 3
  host client; host wan; host server
  cable client c0 wan a0
  cable server s0 wan b0
  # Behind a router of theirs: a thousand neighbours are more than a kernel keeps.
  address client c0 10.91.0.2/24
  address client lo 10.91.4.10/32 1000
  address server s0 10.91.0.1/24
  ip -n "$TAG-server" route add 10.91.4.0/22 via 10.91.0.2
  wide_area wan wan a0 b0 --ip 10.91.4.10+1000=50:300@56
  local wan=$LAST
  pages 1000 10240
  apache prefork 0 3000
  start apache server taskset -c "$SERVER_CPU" "${SERVER_COMMAND[@]}"
  local apache=$LAST
  answers server 127.0.0.1 "$SERVER_PORT" /page/1.html 20
  java_command agent
  start agent server taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --interface s0 --port "$SERVER_PORT" --node bench --print --data "$WORK/agent"
  local agent=$LAST
  saying serviceWindow "$WORK/agent.out" 30
  : >"$WORK/logs/apache-access.log"
  say_step "The load rises and falls within $seconds s …"
  java_command open-load
  attend "load" client taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --target "10.91.0.1:$SERVER_PORT" --from 10.91.4.10+1000 --pages 1000 \
    --phases "10-${PEAK}x$half,$PEAK-10x$half" --patience 60 --seed 211
  alive "$agent" agent; alive "$apache" apache
  sleep 3
  kill -USR1 "$wan"; sleep 0.2
  finish "$agent"; finish "$apache"
  conditions "sudo ./komainu bench thesis-2.11 --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_2_11 "$WORK" "$OUT"
  draw thesis-2.11 in="$WORK" out="$OUT"
  cat "$OUT/results.md"
}
