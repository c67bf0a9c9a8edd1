#!/usr/bin/env bash
# What the host half of the agent costs, thread by thread.
#
#   monitor/agent/src/bench/host-cost.sh [--minutes 5] [--processes 300] [--warm-up 60] [--interval 10s]... [-- AGENT OPTIONS]
#
# Starts nginx and an Apache (prefork) with so many idle processes in a network namespace of its own, then one agent
# --host-only for each interval (default: 10s and 1s, one after the other), lets it warm up, and reads the CPU time of its
# threads from /proc/PID/task/TID/schedstat (nanoseconds) at the begin and the end. Needs root, nginx, apache2 and a built
# agent (./komainu build). Everything it starts it stops.
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/../../../.." && pwd)
MINUTES=5
PROCESSES=300
WARM_UP=60
INTERVALS=()
while [ $# -gt 0 ]; do
  case "$1" in
    --minutes) MINUTES=$2; shift 2 ;;
    --processes) PROCESSES=$2; shift 2 ;;
    --warm-up) WARM_UP=$2; shift 2 ;;
    --interval) INTERVALS+=("$2"); shift 2 ;;
    --) shift; break ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
[ ${#INTERVALS[@]} -gt 0 ] || INTERVALS=(10s 1s)

JDK=$(. "$ROOT/.launcher/machine.sh" && find_jdk) || { echo "host-cost: no JDK found (expected: JDK 25, see ./komainu doctor)" >&2; exit 3; }
mapfile -t SWITCHES < <(grep -v -e '^#' -e '^ *$' "$ROOT/monitor/agent/jvm.options")
WORK=$(mktemp -d)
SPACE=hc$$
AGENT=
stop() {
  [ -z "$AGENT" ] || kill "$AGENT" 2>/dev/null || true
  for file in "$WORK"/nginx.pid "$WORK"/apache.pid; do
    [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 1
  ip netns delete "$SPACE" 2>/dev/null || true
  rm -rf "$WORK"
}
trap stop EXIT

# A copy, so that a build meanwhile does not pull the agent from under us.
mkdir -p "$WORK/www" "$WORK/jars"
cp "$ROOT"/monitor/agent/target/komainu-agent-*.jar "$ROOT"/monitor/agent/target/lib/*.jar "$WORK/jars/"
chmod 755 "$WORK" "$WORK/www"
echo hello >"$WORK/www/index.html"
cat >"$WORK/nginx.conf" <<NGINX
worker_processes 8;
pid $WORK/nginx.pid;
error_log $WORK/nginx.err;
events { worker_connections 512; }
http { access_log off; server { listen 80; location / { return 200 "hello\n"; } } }
NGINX
cat >"$WORK/apache.conf" <<APACHE
ServerRoot $WORK
PidFile $WORK/apache.pid
ErrorLog $WORK/apache.err
ServerName localhost
Listen 8080
LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
ServerLimit $PROCESSES
StartServers $PROCESSES
MinSpareServers $PROCESSES
MaxSpareServers $PROCESSES
MaxRequestWorkers $PROCESSES
DocumentRoot $WORK/www
User www-data
Group www-data
APACHE
ip netns add "$SPACE"
ip -n "$SPACE" link set lo up
ip netns exec "$SPACE" nginx -c "$WORK/nginx.conf"
ip netns exec "$SPACE" apache2 -f "$WORK/apache.conf"
sleep 5

alive() {
  kill -0 "$AGENT" 2>/dev/null && return 0
  echo "host-cost: the agent ended before its time; its last words:" >&2
  tail -n 5 "$WORK/agent.err" >&2
  AGENT=
  exit 1
}

# CPU nanoseconds of each thread: "NAME TID NANOSECONDS".
threads() {
  local task
  for task in /proc/"$1"/task/*; do
    printf '%s %s %s\n' "$(tr ' ' '_' <"$task/comm")" "${task##*/}" "$(cut -d' ' -f1 "$task/schedstat")"
  done | sort -k2,2
}

for interval in "${INTERVALS[@]}"; do
  # "ip netns exec" becomes the program it runs, so that this id is the agent's. Without doubt, so that the interval is
  # what was asked for on a busy machine, too.
  KOMAINU_AGENT_HOST_INTERVAL=$interval KOMAINU_AGENT_HOST_DOUBT=never ip netns exec "$SPACE" \
    "$JDK/bin/java" --enable-native-access=ALL-UNNAMED "${SWITCHES[@]}" -cp "$WORK/jars/*" \
    dev.komainu.agent.MonitorAgent --host-only --node bench --data "$WORK/data" --print "$@" >"$WORK/records" 2>"$WORK/agent.err" &
  AGENT=$!
  sleep "$WARM_UP"
  alive
  threads "$AGENT" >"$WORK/begin"
  sleep "$((MINUTES * 60))"
  alive
  threads "$AGENT" >"$WORK/end"
  echo "host.interval $interval, $PROCESSES Apache and 8 nginx processes, $MINUTES min:"
  join -1 2 -2 2 "$WORK/begin" "$WORK/end" | awk -v seconds=$((MINUTES * 60)) '
    { used = ($5 - $3) / 1e6; all += used; if (used > 0.05) printf "  %-20s %9.2f ms  %.4f %%\n", $2, used, used / seconds / 10 }
    END { printf "  %-20s %9.2f ms  %.4f %% of a core\n", "all_threads", all, all / seconds / 10 }' | sort -k2,2nr
  grep -o '"samplingMicros":[0-9]*' "$WORK/records" | cut -d: -f2 | sort -n |
    awk '{ a[NR] = $1 } END { if (NR) printf "  one sample: %d us (median of %d)\n", a[int((NR + 1) / 2)], NR }'
  grep VmRSS "/proc/$AGENT/status" | awk '{ printf "  resident: %d MB\n", $2 / 1024 }'
  kill "$AGENT"
  wait "$AGENT" 2>/dev/null || true
  AGENT=
done
