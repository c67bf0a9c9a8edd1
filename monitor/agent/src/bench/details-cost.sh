#!/usr/bin/env bash
# What one host sample costs with a server of many threads, at rest and in doubt.
#
#   monitor/agent/src/bench/details-cost.sh [THREADS KIND]...      default: 50 idle 200 busy
#
# idle: threads that read from silent clients; busy: threads that write to clients that read nothing. Needs root and a built
# agent (./komainu build). Everything it starts it stops.
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/../../../.." && pwd)
JDK=$(. "$ROOT/.launcher/machine.sh" && find_jdk) || { echo "details-cost: no JDK found (expected: JDK 25, see ./komainu doctor)" >&2; exit 3; }
WORK=$(mktemp -d)
SERVER=
stop() {
  [ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true
  rm -rf "$WORK"
}
trap stop EXIT
CP="$ROOT/monitor/agent/target/classes:$ROOT/monitor/agent/target/lib/*"
"$JDK/bin/javac" -proc:none -d "$WORK" -cp "$CP" "$ROOT/monitor/agent/src/bench/DetailsCost.java"
[ $# -gt 0 ] || set -- 50 idle 200 busy
while [ $# -gt 1 ]; do
  "$JDK/bin/java" -cp "$WORK:$CP" DetailsCost serve "$1" "$2" >"$WORK/out" &
  SERVER=$!
  until [ -s "$WORK/out" ]; do sleep 0.2; done
  echo "$1 threads, $2"
  # shellcheck disable=SC2046
  "$JDK/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$WORK:$CP" DetailsCost $(cat "$WORK/out")
  kill "$SERVER"; wait "$SERVER" 2>/dev/null || true
  SERVER=
  : >"$WORK/out"
  shift 2
done
