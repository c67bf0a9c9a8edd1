# 10 min (paper: --minutes 20): too few sockets, too few processes, too little machine, and the states that the state model names
# Thesis section 3.4, table 3.1, figures 3.3 to 3.7.
#
#     clients 10.91.0.10+200 ── 50 ms each way (dummynet: 100 ms) ── server 10.91.0.1, agent and central service beside it
#
#     1  open files 1,064, then 16,424   an event-driven server (nginx): Linux has no table of sockets for the whole machine, so the limit of
#                                        a process replaces it; visitors hold their connection for 20 s, so that enough are open at once
#     2  minimum 10, then 100 of 150     Apache prefork, no keep-alive
#     3  maximum 256, start 128, 384     Apache prefork and pages that cost it CPU; no limits of processors: all programs share them
#
# Each run begins with 40 s of a quarter of its load or less, in which the model learns the usual values. The states are those that the API of
# the central service reported during the run.

LEAD_IN=40
HOLD=20

perform() {
  local seconds
  seconds=$(seconds_of "$1" 45)
  provide taskset apache2 nginx prlimit curl || exit 3
  host client; host wan; host server
  cable client c0 wan a0
  cable server s0 wan b0
  address client c0 10.91.0.10/22 200
  address server s0 10.91.0.1/22
  wide_area wan wan a0 b0 --both delay=50
  pages 1000 10240
  costly_pages 1000 "$COSTLY_LINES"
  judge
  : >"$WORK/runs.txt"
  local run
  for run in "1-1 nginx 1064 20 80 $HOLD" "1-2 nginx 16424 100 400 $HOLD" \
    "2-1 prefork 5/10/150 70 700 0" "2-2 prefork 5/100/150 70 700 0" \
    "3-1 costly 5/100/256 150 1000 0" "3-2 costly 128/100/256 150 1000 0" "3-3 costly 256/100/384 150 1000 0"; do
    [[ $run =~ ${KOMAINU_BENCH_RUNS:-.} ]] || continue
    # shellcheck disable=SC2086
    thesis_3_4_run $run "$seconds"
  done
  conditions "sudo ./komainu bench thesis-3.4 --minutes $(awk -v s="$seconds" 'BEGIN { print s / 60 }')" >"$WORK/conditions.md"
  crunch thesis_3_4 "$WORK" "$OUT"
  figure 1 figure-3.3-sockets "Experiment 1: open files 1,064, then 16,424 (thesis: figure 3.3)"
  figure 2 figure-3.4-processes "Experiment 2: minimum of 10, then of 100 processes (thesis: figures 3.4, 3.5)"
  figure 3 figure-3.6-capacity "Experiment 3: more than the machine carries (thesis: figures 3.6, 3.7)"
  cat "$OUT/results.md"
}

# figure PART NAME TITLE: draws the figure of a part that was run.
figure() { [ ! -s "$WORK/series-$1.dat" ] || draw thesis-3.4 in="$WORK/series-$1.dat" marks="$WORK/states-$1.dat" title="$3" out="$OUT/$2.svg"; }

# Lines of a page that cost the server CPU time (server-side includes): 400 of them took 1.7 ms of CPU here, without 0.07.
COSTLY_LINES=${KOMAINU_BENCH_COSTLY_LINES:-400}

# costly_pages COUNT LINES: WORK/costly/page/N.html, all the same.
costly_pages() {
  local n
  mkdir -p "$WORK/costly/page"
  for ((n = 0; n < $2; n++)); do printf '<!--#echo var="DATE_GMT" -->\n'; done >"$WORK/costly/page/1.html"
  for ((n = 2; n <= $1; n++)); do ln "$WORK/costly/page/1.html" "$WORK/costly/page/$n.html"; done
}

# judge: starts the central service, in the server's network.
judge() {
  mkdir -m 700 "$WORK/central" "$WORK/tokens"
  part_command central
  start central server taskset -c "$OTHER_CPUS" "${JAVA_COMMAND[@]}" --server.port=7600 --komainu.data="$WORK/central" --komainu.bootstrap-tokens="$WORK/tokens" --komainu.bootstrap-parts=any
  answers server 127.0.0.1 7600 /actuator/health 120
  saying . "$WORK/tokens/read.token" 30
}

# ask PATH: prints the API's response.
ask() { on server curl -sSf -H "Authorization: Bearer $(cat "$WORK/tokens/read.token")" "http://127.0.0.1:7600/api/v1$1"; }

# thesis_3_4_run NAME KIND LIMIT-OR-START/MIN/MAX LEAD-IN-RATE RATE HOLD-SECONDS SECONDS
thesis_3_4_run() {
  local name=$1 kind=$2 size=$3 lead=$4 rate=$5 hold=$6 seconds=$7 node=run-$1
  say_step "Experiment $name: $kind, $size, $rate requests/s …"
  local limit=()
  case "$kind" in
    nginx)
      single_nginx 60 30000
      # Here the run sets the limit.
      sed -i '/^worker_rlimit_nofile/d' "$WORK/nginx.conf"
      limit=(prlimit "--nofile=$size:$size")
      ;;
    prefork | costly)
      local counts
      IFS=/ read -ra counts <<<"$size"
      apache prefork 0 "${counts[2]}"
      printf 'StartServers %d\nMinSpareServers %d\nMaxSpareServers %d\n' "${counts[0]}" "${counts[1]}" $((counts[1] + 5)) >>"$WORK/apache.conf"
      if [ "$kind" = costly ]; then
        sed -i "s|$WORK/www|$WORK/costly|" "$WORK/apache.conf"
        cat >>"$WORK/apache.conf" <<TEXT
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule include_module /usr/lib/apache2/modules/mod_include.so
<Directory $WORK/costly>
  Options +Includes
  SetOutputFilter INCLUDES
</Directory>
TEXT
      fi
      ;;
  esac
  start "server-$name" server "${limit[@]}" "${SERVER_COMMAND[@]}"
  local server=$LAST
  answers server 10.91.0.1 "$SERVER_PORT" /page/1.html 20
  java_command agent
  # A node of its own for each run, so that the usual values are learnt again.
  start "agent-$name" server env KOMAINU_AGENT_HOST_INTERVAL=2s "${JAVA_COMMAND[@]}" --interface s0 --port "$SERVER_PORT" --node "$node" \
    --central http://127.0.0.1:7600 --token-file "$WORK/tokens/ingest.token" --data "$WORK/agent-data-$name"
  local agent=$LAST from
  from=$(date -u +%s)
  sleep 5
  java_command open-load
  attend "load-$name" client "${JAVA_COMMAND[@]}" --target "10.91.0.1:$SERVER_PORT" --from 10.91.0.10+200 --pages 1000 \
    --phases "${lead}x$LEAD_IN,${rate}x$seconds" --linger "$hold" --patience 30 --even --seed 34
  alive "$agent" "agent-$name"; alive "$server" "server-$name"
  sleep 3
  ask "/services" >"$WORK/services-$name.json" || exit 1
  local service
  service=$(python3 -B "$ROOT/.launcher/bench/crunch/thesis_3_4.py" --service "$WORK/services-$name.json" "$node" "$SERVER_PORT") || exit 1
  ask "/services/$service/series?stepSeconds=1&from=$(iso "$from")&to=$(iso "$(date -u +%s)")$THESIS_3_4_INDICES" >"$WORK/series-$name.json" || exit 1
  ask "/services/$service/transitions?from=$(iso "$from")&limit=200" >"$WORK/transitions-$name.json" || exit 1
  printf '%s %s %s %s %s\n' "$name" "$kind" "$size" "$lead" "$rate" >>"$WORK/runs.txt"
  finish "$agent"
  finish "$server"
}

THESIS_3_4_INDICES='&index=connectionsPerSecond&index=processedPerSecond&index=concurrentMean&index=hostCpuIdleShare&index=serverProcesses&index=responseP50Millis&index=arrivalPerSecond'

iso() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }
