# 20 min: the demo's scenes, from the command to the verdict, by a browser that presses Diagnose, Apply and Confirm as hands do.
#
# The cpu and memory scenes need root. Firefox is driven by Puppeteer: docs/decisions/0108-firefox-by-puppeteer.md

# shellcheck source=/dev/null
. "$ROOT/.launcher/bench/running-demo.sh"

perform() {
  local scenes=(workers connections origin cpu memory) only='' by=mouse width=1440 height=900 browser=chromium base=17600 shots='' work scene rc=0
  while [ $# -gt 0 ]; do
    case "$1" in
      --only) need_value "$1" $# && only=$2 && shift ;;
      --by) need_value "$1" $# && by=$2 && shift ;;
      --width) need_value "$1" $# && width=$2 && shift ;;
      --height) need_value "$1" $# && height=$2 && shift ;;
      --browser) need_value "$1" $# && browser=$2 && shift ;;
      --ports) need_value "$1" $# && base=$2 && shift ;;
      --shots) need_value "$1" $# && shots=$2 && shift ;;
      --help | -h) scenes_help && return 0 ;;
      *) wrong_option "bench scenes" "$1" ;;
    esac
    shift
  done
  [ -z "$only" ] || IFS=, read -ra scenes <<<"$only"
  for scene in "${scenes[@]}"; do
    is_scene "$scene" || { say_error "--only: $scene (expected: workers, connections, origin, cpu, memory)" && return 2; }
  done
  need_jdk
  provide npm node chromium || return 3
  [ "$browser" = chromium ] || provide firefox-esr || return 3
  for scene in "${scenes[@]}"; do
    # shellcheck disable=SC2046
    provide libpcap $(scene_programs "$scene") || return 3
  done
  build_if_needed
  if [ -n "$shots" ] && [ "$(id -u)" = 0 ]; then
    # The pictures show this path.
    work=/var/lib/komainu-demo
    mkdir "$work" || return 1
  else
    work=$(mktemp -d) || return 1
  fi
  chmod 711 "$work"
  say "| scene | service | state | change | incident | answer | applied | verdict |"
  say "|---|---|---|---|---|---|---|---|"
  for scene in "${scenes[@]}"; do
    one_scene "$scene" || rc=1
  done
  rm -rf "$work"
  return $rc
}

scenes_help() {
  cat <<'TEXT'
bench scenes: each scene of the demo, from the command to the verdict; prints a table. About seven minutes a scene
  --only SCENES    such as workers,cpu
  --by HOW         mouse (at coordinates; default) or keyboard
  --width, --height  the browser's window (default 1440 × 900)
  --browser NAME   chromium (default) or firefox (Debian's firefox-esr)
  --ports BASE     as of up (default 17600)
  --shots DIR      pictures of each step, in DIR/SCENE
TEXT
}

# one_scene SCENE: prints its row. The seconds count from the command.
one_scene() {
  local data=$work/$1 begun=$SECONDS ready line
  start_demo "$work/$1.log" "$data" "$base" "--demo=$1" || {
    say "| $1 | – | did not start | | | | | |"
    return 1
  }
  ready=$((SECONDS - begun))
  (cd "$ROOT/admin-ui" && node e2e/demo-journey.mjs --base "http://127.0.0.1:$base" --password "$(cat "$data/central/first-password")" \
    --by "$by" --width "$width" --height "$height" --browser "$browser" ${shots:+--shots "$shots/$1"}) >"$work/$1.journey" 2>&1
  local ended=$?
  stop_demo
  line=$(tail -1 "$work/$1.journey")
  if [ $ended != 0 ]; then
    cat "$work/$1.journey" >&2
    say "| $1 | – | failed | | | | | |"
    return 1
  fi
  node -e '
    const [scene, ready, text] = process.argv.slice(1), it = JSON.parse(text), at = (step) => `${Number(ready) + it.seconds[step]} s`
    console.log(`| ${scene} | ${it.service} | \`${it.state}\` | ${it.change.replace(/\s+/g, " ")} | ${at("incident on the overview")} | ${at("answer")} | ${at("applied")} | ${it.verdict}, ${at("verdict")} |`)' \
    "$1" "$ready" "$line"
}
