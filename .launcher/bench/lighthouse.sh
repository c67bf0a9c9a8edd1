# 5 min: Lighthouse on five pages of the demo's console: accessibility and best practices of 95 at least
#
# docs/decisions/0109-lighthouse.md

LIGHTHOUSE=12.8.2

# shellcheck source=/dev/null
. "$ROOT/.launcher/bench/running-demo.sh"

perform() {
  local base=17600 pages='' work rc
  while [ $# -gt 0 ]; do
    case "$1" in
      --pages) need_value "$1" $# && pages=$2 && shift ;;
      --ports) need_value "$1" $# && base=$2 && shift ;;
      --help | -h) lighthouse_help && return 0 ;;
      *) wrong_option "bench lighthouse" "$1" ;;
    esac
    shift
  done
  need_jdk
  provide npm node chromium libpcap apache2 || return 3
  build_if_needed
  [ -e "$ROOT/target/lighthouse/node_modules/lighthouse" ] ||
    npm install --silent --no-save --prefix "$ROOT/target/lighthouse" "lighthouse@$LIGHTHOUSE" >&2 || return 3
  work=$(mktemp -d) || return 1
  chmod 711 "$work"
  start_demo "$work/log" "$work/data" "$base" --demo || { rm -rf "$work" && return 1; }
  (cd "$ROOT/admin-ui" && node e2e/lighthouse.mjs --base "http://127.0.0.1:$base" --password "$(cat "$work/data/central/first-password")" \
    --lighthouse "$ROOT/target/lighthouse" ${pages:+--pages "$pages"})
  rc=$?
  stop_demo
  rm -rf "$work"
  return $rc
}

lighthouse_help() {
  cat <<'TEXT'
bench lighthouse: Lighthouse on pages of the demo's console, logged in
  --pages LIST     such as /overview,/services (default: /overview,/services,/tuning,/alerts,/settings)
  --ports BASE     as of up (default 17600)
TEXT
}
