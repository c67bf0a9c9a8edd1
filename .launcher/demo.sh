# The demo: a real web server with a real limit (scenes.sh), and visitors. All figures that the console shows are measured.
# The first scene is a small version of the thesis's experiment 3.4.

DEMO_SCENE=workers
DEMO_GROUP=''
DEMO_WORKERS=8
# Seconds of few visitors before and after each peak.
DEMO_QUIET=40
# A verification fits into the peak: 30 s before the change, 15 s to settle, 40 s after it.
DEMO_CENTRAL=(--komainu.verify.baseline=30s --komainu.verify.settle=15s --komainu.verify.after=40s)
# Seconds that an agent has to start the server which it stopped.
DEMO_RESTART=10

# Sets DEMO_SERVER_COMMAND and starts it as the part "demo-server". All accounts can read its files, and only their owner can write them, whatever the umask.
start_demo_server() {
  local mask rc
  mask=$(umask)
  umask 022
  make_demo_server
  rc=$?
  umask "$mask"
  return $rc
}

make_demo_server() {
  # Apache and nginx open their logs before they give up root. No other account may write there: a file that root opens must not be a link of another account.
  rm -rf "$DATA"/komainu-demo.?????? # of a launcher that was killed
  DEMO_DIR=$(mktemp -d "$DATA/komainu-demo.XXXXXX") && chmod 755 "$DEMO_DIR" || return 1
  if ! demo_is_readable "$DEMO_DIR"; then
    rm -rf "$DEMO_DIR"
    DEMO_DIR=$(mktemp -d /var/tmp/komainu-demo.XXXXXX) && chmod 755 "$DEMO_DIR" || return 1
    say "  The demo's files are in $DEMO_DIR: www-data, who serves them, cannot pass through to $DATA"
  fi
  mkdir -p "$DEMO_DIR"/{www/page,app,logs} || return 1
  demo_pages "$DEMO_DIR/www"
  "scene_$DEMO_SCENE" || return 1
  say_step "Starting the demo server ($DEMO_KIND) …"
  PART_ORDER+=(demo-server)
  launch demo-server "${DEMO_SERVER_COMMAND[@]}"
  wait_healthy demo-server "http://127.0.0.1:$ORIGIN_PORT" /page/1.html 30
}

demo_pages() {
  local i size
  for i in $(seq 1 200); do
    size=$((2000 + i * 7919 % 18000))
    {
      printf '<!doctype html><title>Page %d</title><p>' "$i"
      head -c "$size" /dev/zero | tr '\0' 'k'
    } >"$1/page/$i.html"
  done
  mkdir -p "$1/app"
  head -c 24576 /dev/zero | tr '\0' 'a' >"$1/app/answer"
}

demo_story() {
  say "  Demo      $DEMO_KIND on 127.0.0.1:$ORIGIN_PORT ($DEMO_LIMIT), visitors through the proxy: quiet for $DEMO_QUIET s,"
  say "            a peak above its capacity for $DEMO_PEAK s, quiet again. At the peak: Overview, Diagnose, Apply; the verdict comes after a minute."
  [ "$DEMO_KIND" != bundled ] && say "            Its configuration: $(ls "$DEMO_DIR"/*.conf)"
}

# Started by root, the servers read the pages as www-data, who must be able to pass through every directory above.
demo_is_readable() {
  [ "$(id -u)" != 0 ] || ! id www-data >/dev/null 2>&1 ||
    setpriv --reuid www-data --regid www-data --clear-groups test -r "$1" 2>/dev/null
}

remove_demo_dir() {
  case "${DEMO_DIR:-}" in */komainu-demo.*) rm -rf "$DEMO_DIR" ;; esac
}

# Whether the agent restarts the demo server by an order of the console, or has just done so. The new process becomes the part.
demo_server_is_restarted() {
  local pid
  pid=$(cat "$DEMO_DIR/logs/pid" 2>/dev/null)
  if [ -n "$pid" ] && [ "$pid" != "${PART_PID[demo-server]}" ] && kill -0 "$pid" 2>/dev/null; then
    PART_PID[demo-server]=$pid DEMO_ENDED=''
    echo "$pid" >"$DATA/run/demo-server.pid"
    return 0
  fi
  [ -n "$DEMO_CHANGES" ] || return 1
  DEMO_ENDED=${DEMO_ENDED:-$SECONDS}
  [ $((SECONDS - DEMO_ENDED)) -lt "$DEMO_RESTART" ] && return 0
  DEMO_ENDED=''
  return 1
}
