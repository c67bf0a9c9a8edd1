# 9 min (paper: --minutes 60): a process for each connection compared with one process for all, under the same load
# Thesis section 4.5.2 and 4.5.3, figures 4.5 to 4.12: Apache (prefork: a process for each connection, as 1.3 was); nginx with
# one worker in place of chamomile, which is no longer available.
#
#     clients 10.91.0.10+200 ── 10 to 100 ms each way, every address its own ── server 10.91.0.1
#
# Browsers: three requests on one connection with pauses of 0.3 s on average, then the connection is held until the server ends
# it after two idle seconds. Six steps of arrivals, Poisson, the same visitors for both servers. The agent samples the
# kernel every second and captures the packets. The server has one processor, all other programs the others; the kernel's counts
# for the whole machine (switches, interrupts, faults, calls) include the load generator, the same for both servers.

PEAK=150
STEPS=(0.2 0.6 1 0.4 1 0.2)

perform() {
  local seconds phases='' step kind
  seconds=$(seconds_of "$1" 240)
  for step in "${STEPS[@]}"; do phases+=,$(awk -v s="$step" -v p=$PEAK -v t="$seconds" -v n=${#STEPS[@]} 'BEGIN { printf "%gx%g", s * p, t / n }'); done
  provide taskset apache2 nginx || exit 3
  host client; host wan; host server
  cable client c0 wan a0
  cable server s0 wan b0
  address client c0 10.91.0.10/22 200
  address server s0 10.91.0.1/22
  wide_area wan wan a0 b0 --ip 10.91.0.10+200=10:100
  pages 1000 10240
  for kind in apache nginx; do thesis_4_6_run $kind "${phases#,}"; done
  conditions "sudo ./komainu bench thesis-4.6 --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_4_6 "$WORK" "$OUT" "$SERVER_CPU" "$seconds" "$PEAK" "${STEPS[*]}"
  draw thesis-4.6 in="$WORK" out="$OUT"
  cat "$OUT/results.md"
}

thesis_4_6_run() {
  local kind=$1 phases=$2 server agent
  say_step "$kind …"
  case "$kind" in
    apache) apache prefork 2 1000 ;;
    nginx) single_nginx 2 8192 ;;
  esac
  start "$kind" server taskset -c "$SERVER_CPU" "${SERVER_COMMAND[@]}"
  server=$LAST
  answers client 10.91.0.1 "$SERVER_PORT" /page/1.html 20
  java_command agent
  # A namespace has a /sys of its own, in which the kernel's count of system calls is missing until it is mounted.
  start "agent-$kind" server sh -c 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec "$@"' sh \
    env KOMAINU_AGENT_HOST_INTERVAL=1s taskset -c "$OTHER_CPUS" \
    "${JAVA_COMMAND[@]}" --interface s0 --port "$SERVER_PORT" --node bench --print --data "$WORK/agent"
  agent=$LAST
  saying serviceWindow "$WORK/agent-$kind.out" 30
  sleep 10 # the machine at rest, for comparison
  java_command open-load
  attend "load-$kind" client taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --target "10.91.0.1:$SERVER_PORT" --from 10.91.0.10+200 --pages 1000 \
    --phases "$phases" --requests 3 --pause 0.3 --linger 30 --seed 46
  alive "$agent" "agent-$kind"; alive "$server" "$kind"
  sleep 2
  finish "$agent"
  finish "$server"
}
