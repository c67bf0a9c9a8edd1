# bench NAME: repeats a paper's experiment on this machine, measured by our own monitor and drawn like the paper's figure; or compares
# the proxy with its peers; or injects faults into real servers. Each experiment is a file in bench/ with a description at its beginning; this
# file only finds and starts them.

bench_names() { (cd "$ROOT/.launcher/bench" && printf '%s\n' capacity.sh check.sh figures.sh drills.sh thresholds.sh normal-traffic.sh partition.sh thesis-*.sh proxy*.sh tmproxy.sh drm.sh readers.sh records.sh organizer.sh members.sh hybrid.sh rhythm.sh management.sh front.sh faults.sh attacks.sh fleet.sh ingest.sh lighthouse.sh pages.sh peaks.sh mirrors.sh scenes.sh | sed 's/\.sh$//' | sort -V); }

# The line "# LENGTH: one sentence" at the first line of an experiment.
bench_line() { sed -n '1s/^# //p' "$ROOT/.launcher/bench/$1.sh"; }

bench_usage() {
  say "bench NAME [--minutes N] [--out DIR] [--keep]"
  say ""
  local name
  for name in $(bench_names); do printf '  %-12s %s\n' "$name" "$(bench_line "$name")"; done
  say ""
  say "  --minutes N  length of each measured part (N may be a fraction); default: as listed above"
  say "  --out DIR    directory of the table and the figures (default: target/bench/NAME; the project's own: docs/papers/NAME)"
  say "  --keep       also keep the captures and records (they may be hundreds of megabytes)"
  say ""
  say "The experiments of the proxy and the drills have options of their own: bench NAME --help."
  say ""
  say "Needs root (network namespaces). A figure of time needs a quiet machine: the result contains the load average before the run."
}

bench() {
  local name=${1:-} out='' minutes='' keep=''
  [ $# -gt 0 ] && shift
  case "$name" in '' | --help | -h | help) bench_usage; return 0 ;; esac
  if ! bench_names | grep -qxF -- "$name"; then
    say_error "bench: $name (expected: $(bench_names | paste -sd, | sed 's/,/, /g'))"
    exit 2
  fi
  case "$name" in proxy* | partition) bench_peers "$name" "$@" && return 0 || exit $? ;; esac
  case "$name" in drills | capacity | check | figures | attacks | fleet | ingest | thresholds | normal-traffic | lighthouse | peaks | mirrors | scenes)
    # shellcheck source=/dev/null
    . "$ROOT/.launcher/bench/$name.sh" && perform "$@"
    return
    ;;
  esac
  while [ $# -gt 0 ]; do
    case "$1" in
      --minutes)
        need_value "$1" $#
        [[ $2 =~ ^[0-9]{1,3}(\.[0-9]{1,9})?$ ]] && [[ $2 != 0 ]] || { say_error "--minutes: $2 (expected: a number above 0 to 999)"; exit 2; }
        minutes=$2 && shift
        ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --keep) keep=yes ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/$name.sh"; return 0 ;;
      *) wrong_option bench "$1" ;;
    esac
    shift
  done
  if [ "$(id -u)" != 0 ]; then
    say_error "bench $name: needs root (it builds network namespaces and reads packets). Fix: sudo ./komainu bench $name"
    exit 3
  fi
  need_jdk
  provide ip cc gnuplot python3 || exit 3
  build_if_needed
  # shellcheck source=/dev/null
  . "$ROOT/.launcher/bench/stage.sh" && . "$ROOT/.launcher/bench/servers.sh" && . "$ROOT/.launcher/bench/$name.sh" || exit 1
  set_stage "$name" "${out:-$ROOT/target/bench/$name}" "$keep"
  perform "$minutes"
}

# bench proxy…: servers on loopback, each in turn alone on core 1. The measuring program reads their options.
bench_peers() {
  local name=$1
  shift
  need_jdk
  provide cc python3 openssl openssl-headers nghttp2-headers || exit 3
  build_if_needed
  part_command proxy
  # shellcheck source=/dev/null
  . "$ROOT/.launcher/bench/$name.sh" && perform "$@"
}

# measured NAME: prints the marker that a run writes above its table.
measured() { printf '<!-- measured: %s; bench: %s -->\n' "$(git -C "$ROOT" rev-parse --short=7 HEAD 2>/dev/null || echo unknown)" "$1"; }
