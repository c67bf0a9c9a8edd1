# A demo that runs beside an experiment.

# start_demo LOG DATA BASE [OPTION...]: starts ./komainu up --demo… and waits until it is up. Sets DEMO_LAUNCHER.
start_demo() {
  local log=$1 data=$2 base=$3 begun=$SECONDS
  shift 3
  mkdir -p "$data"
  setsid "$ROOT/komainu" up --no-install --data "$data" --ports "$base" "$@" >"$log" 2>&1 &
  DEMO_LAUNCHER=$!
  until [ -s "$data/central/first-password" ] && grep -q 'Komainu is up' "$log"; do
    if ! kill -0 $DEMO_LAUNCHER 2>/dev/null || [ $((SECONDS - begun)) -gt 600 ]; then
      tail -5 "$log" >&2
      stop_demo
      return 1
    fi
    sleep 1
  done
}

stop_demo() {
  kill -TERM $DEMO_LAUNCHER 2>/dev/null
  wait $DEMO_LAUNCHER 2>/dev/null
}
