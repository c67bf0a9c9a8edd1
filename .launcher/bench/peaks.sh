# 25 min: ten peaks of the demo: is each one incident, one alert and one mail, with the server that is short of workers as its root?

# shellcheck source=/dev/null
. "$ROOT/.launcher/bench/running-demo.sh"

perform() {
  local peaks=10 scene=workers base=17600 work rc
  while [ $# -gt 0 ]; do
    case "$1" in
      --peaks) need_value "$1" $# && peaks=$2 && shift ;;
      --scene) need_value "$1" $# && scene=$2 && shift ;;
      --ports) need_value "$1" $# && base=$2 && shift ;;
      --help | -h) peaks_help && return 0 ;;
      *) wrong_option "bench peaks" "$1" ;;
    esac
    shift
  done
  need_number --peaks "$peaks" 1 1000
  is_scene "$scene" || { say_error "--scene: $scene (expected: workers, connections, origin, cpu, memory)" && return 2; }
  need_jdk
  # shellcheck disable=SC2046
  provide python3 libpcap $(scene_programs "$scene") || return 3
  build_if_needed
  work=$(mktemp -d) || return 1
  chmod 711 "$work"
  export KOMAINU_ALERTS_ALLOW=127.0.0.1
  start_demo "$work/log" "$work/data" "$base" "--demo=$scene" --demo-peak 60 || { rm -rf "$work" && return 1; }
  python3 -B "$ROOT/.launcher/bench/peaks.py" --port "$base" --data "$work/data/central" --root ":$((base + 90))" --peaks "$peaks"
  rc=$?
  stop_demo
  rm -rf "$work"
  return $rc
}

peaks_help() {
  cat <<'TEXT'
bench peaks: incidents, alerts and mails of the demo's peaks, as the REST API and a mail server see them
  --peaks N        peaks to watch (default 10); each takes about 140 s
  --scene SCENE    as of up --demo (default workers)
  --ports BASE     as of up (default 17600)
TEXT
}
