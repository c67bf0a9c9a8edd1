# 5 min: the time until thirty organizers agree on the members of their cluster
# The organizer: all members see join, leave, crash, partition and merge within three seconds; thirty members agree within five seconds
# of the last one's start.
#
#     member 1 … member N, a namespace each ── one switch
#
# Each member is a process of its own with a prefix of its own, one seed, TLS from one secret. The time runs from the event (the exec of the last
# member; the signal; the link going down or up) until every remaining member reports the same table of exactly the remaining members; they are
# queried ten times a second. Each event occurs KOMAINU_BENCH_ROUNDS times (5). KOMAINU_BENCH_MEMBERS sets the number of members (30).
# They start one after the other, each when the previous one has joined; all at once with KOMAINU_BENCH_TOGETHER=1.

MEMBERS=${KOMAINU_BENCH_MEMBERS:-30}
ROUNDS=${KOMAINU_BENCH_ROUNDS:-5}

perform() {
  local i round since
  host switch
  ip -n "$TAG-switch" link add bridge type bridge && ip -n "$TAG-switch" link set bridge up || exit 1
  address switch bridge 10.77.0.254/24
  head -c 24 /dev/urandom | base64 >"$WORK/secret"
  printf 'the-bench-asks-with-this read\n' >"$WORK/tokens"
  for ((i = 1; i <= MEMBERS; i++)); do
    host "m$i"
    cable "m$i" eth0 switch "port$i"
    ip -n "$TAG-switch" link set "port$i" master bridge
    address "m$i" eth0 "10.77.0.$i/24"
    cat >"$WORK/m$i.yaml" <<YAML
member: m$i
listen: 10.77.0.$i
secret-file: $WORK/secret
meet: {seeds: [10.77.0.1, 10.77.0.2]}
control: {listen: "10.77.0.$i:7692", token-file: $WORK/tokens}
serve: [{prefix: "m$i.example.com/", server: "127.0.0.1:9"}]
YAML
  done
  java_command organizer
  PIDS=()
  : >"$WORK/rows.txt"
  say_step "$((MEMBERS - 1)) members …"
  for ((i = 1; i < MEMBERS; i++)); do
    since=$(date +%s.%N)
    member "$i"
    [ -n "${KOMAINU_BENCH_TOGETHER:-}" ] || joined "$i"
  done
  agree "all but one start, from the last exec" "$since" "$(seq 1 $((MEMBERS - 1)))"
  for ((round = 1; round <= ROUNDS; round++)); do
    say_step "round $round of $ROUNDS …"
    since=$(date +%s.%N)
    member "$MEMBERS"
    agree "one more starts, from its exec" "$since" "$(seq 1 "$MEMBERS")"
    since=$(date +%s.%N)
    ip -n "$TAG-m3" link set eth0 down
    agree "a host is cut off" "$since" "$(seq 1 "$MEMBERS" | grep -vx 3)"
    sleep 7 # ten seconds of partition in all
    since=$(date +%s.%N)
    ip -n "$TAG-m3" link set eth0 up
    agree "it is back" "$since" "$(seq 1 "$MEMBERS")"
    since=$(date +%s.%N)
    kill -KILL "${PIDS[MEMBERS]}"
    agree "kill -9 of a member" "$since" "$(seq 1 $((MEMBERS - 1)))"
    since=$(date +%s.%N)
    member "$MEMBERS"
    agree "it starts again, from its exec" "$since" "$(seq 1 "$MEMBERS")"
    since=$(date +%s.%N)
    kill -TERM "${PIDS[MEMBERS]}"
    agree "a member leaves" "$since" "$(seq 1 $((MEMBERS - 1)))"
  done
  conditions "sudo ./komainu bench members" >"$WORK/conditions.md"
  {
    printf '# Time until %s organizers agree\n\n' "$MEMBERS"
    cat "$WORK/conditions.md"
    printf '\n| event | times | median, s | slowest, s |\n|---|---|---|---|\n'
    python3 -B "$ROOT/.launcher/bench/crunch/members.py" table "$WORK/rows.txt"
  } >"$OUT/results.md"
  cat "$OUT/results.md"
}

member() { # member I
  start "m$1" "m$1" "${JAVA_COMMAND[@]}" --config "$WORK/m$1.yaml"
  PIDS[$1]=$LAST
}

# joined I: waits until it prints that it listens, for a minute at most. With many JVMs at once on few processors the run would measure their compilers.
joined() {
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    grep -qs ' listens at ' "$WORK/m$1.out" && return 0
    sleep 0.1
  done
}

# agree WHAT SINCE NUMBERS: waits until the table of each of these members contains exactly these; records the time.
agree() {
  # shellcheck disable=SC2086
  on switch python3 -B "$ROOT/.launcher/bench/crunch/members.py" agree "$1" "$2" $3 >>"$WORK/rows.txt" || {
    say_error "bench members: $1: no agreement within two minutes"
    exit 1
  }
  tail -n 1 "$WORK/rows.txt"
}
