# 105 min: real servers side by side with small, normal loads of many rhythms, recorded: the traffic in which every alarm is a false one
#
# The central service (recording), one agent, and servers of every kind in network namespaces: nginx, Apache prefork, worker and event,
# Tomcat, Squid, HAProxy, Varnish, Komainu's proxy; static pages, applications, proxies; clear text, TLS, HTTP/2. Visitors come evenly, by a
# day compressed to half an hour, in bursts, with long polls, slow readers, kept connections, or rarely. Meanwhile pages are backed up, logs
# rotated, and servers reloaded. 60 services for 100 minutes are 100 service-hours.
#
#   ./komainu bench normal-traffic [--services N] [--minutes M] [--out DIR] [--list]
#
#   --services N   the first N of the list, 1 to 60 (default 60)
#   --minutes M    length (default 100)
#   --out DIR      directory of recording/ (all records), windows/ (a small copy without single connections) and live.json, the states that
#                  were named live (default: target/bench/normal-traffic)
#   --list         prints the services
#
# Needs root. Then: ./komainu bench thresholds OUT/windows

perform() {
  local normal="$ROOT/.launcher/bench/normal" given=("$@") out="$ROOT/target/bench/normal-traffic" listing=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --services | --minutes) need_value "$1" $# && shift ;;
      --out) need_value "$1" $# && out=$2 && shift ;;
      --list) listing=yes ;;
      --help | -h) sed -n '1,/^$/s/^# \{0,1\}//p' "$ROOT/.launcher/bench/normal-traffic.sh"; return 0 ;;
      *) wrong_option "bench normal-traffic" "$1" ;;
    esac
    shift
  done
  if [ -n "$listing" ]; then
    have python3 || { say_error "missing: python3. Fix: $(install_command python3)"; exit 3; }
    python3 -B "$normal/run.py" --list
    return
  fi
  if [ "$(id -u)" != 0 ]; then
    say_error "bench normal-traffic: needs root (it builds network namespaces and reads packets). Fix: sudo ./komainu bench normal-traffic"
    exit 3
  fi
  need_jdk
  provide python3 ip nsenter libpcap openssl || exit 3
  build_if_needed
  mkdir -p "$out" || exit 1
  out=$(cd "$out" && pwd)
  local thing missing=''
  for thing in apache2 nginx tomcat squid haproxy varnishd cc; do
    have "$thing" && continue
    missing+="$thing,"
    say "Missing: $thing; its services are not run. Fix: $(install_command "$thing")"
  done
  local central agent proxy
  part_command central && central=${JAVA_COMMAND[*]@Q}
  part_command agent && agent=${JAVA_COMMAND[*]@Q}
  part_command proxy && proxy=${JAVA_COMMAND[*]@Q}
  # shellcheck source=/dev/null
  . "$ROOT/.launcher/bench/drills.sh" # for await_runner
  python3 -B "$normal/run.py" --missing "$missing" --central "$central" --agent "$agent" --proxy "$proxy" --jdk "$JDK" "${given[@]}" --out "$out" &
  await_runner "$!" || return $?
  rm -rf "$out/windows"
  part_command replay
  "${JAVA_COMMAND[@]}" "$out/recording" --windows-to "$out/windows" || say "The recording is damaged in part; the rest was copied."
  say "Recorded: $(du -sh "$out/recording" | cut -f1); windows alone: $(du -sh "$out/windows" | cut -f1) in $out/windows"
}
