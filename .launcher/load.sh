# load: the realistic benchmark. The load itself is a part in Java; this file starts it, and builds the paths between visitors and target.

load_usage_paths() {
  cat <<'TEXT'

Paths (needs root: the visitors get a network namespace of their own, and the path to this machine is emulated packet by packet):
  --paths SPEC          SPEC is key=value[,key=value]:
                          delay=MS or MS-MS   one way; a fixed delay for each visitor, spread evenly from the first to the second value
                          loss=P              share of packets lost, 0 to 0.5, both ways
                          rate=MBIT           of the line that all share; queue=KB of packets may wait for it (1000)
                          narrow=KBITxPERCENT this percentage of the visitors has a line of this many kbit/s
  --visitors COUNT      number of addresses (100; at most 4000)
  With --paths, the target on this machine has the name "here": --target http://here:7680. The server must not listen on loopback alone.

The other end:
  ./komainu load origin --listen 127.0.0.1:8081 [--think 1.5-4.5] [--keep-alive]
                        serves the objects that load requests when it is given neither --urls nor --pages
TEXT
}

load() {
  if [ "${1:-}" = origin ]; then
    shift
    run_part load-origin "$@"
  fi
  local paths='' visitors=100 arguments=() help=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --paths) need_value "$1" $# && paths=$2 && shift ;;
      --paths=*) paths=${1#*=} ;;
      --visitors) need_value "$1" $# && visitors=$2 && shift ;;
      --visitors=*) visitors=${1#*=} ;;
      --help | -h) help=yes && arguments+=("$1") ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  if [ -n "$help" ]; then
    need_jdk
    build_if_needed
    part_command load
    "${JAVA_COMMAND[@]}" --help
    load_usage_paths
    return
  fi
  [ -n "$paths" ] || run_part load "${arguments[@]}"
  load_over_paths "$paths" "$visitors" "${arguments[@]}"
}

# load_over_paths SPEC VISITORS ARGUMENTS…
#
#     visitors 10.97.1.1+COUNT ── [ wan ] ── 10.97.0.1, this machine
load_over_paths() {
  local spec=$1 visitors=$2
  shift 2
  local emulated
  emulated=$(path_options "$spec" "$visitors") || exit 2
  if [ "$(id -u)" != 0 ]; then
    say_error "load --paths: needs root (a network namespace for the visitors). Fix: sudo ./komainu load …"
    exit 3
  fi
  need_jdk
  provide ip cc || exit 3
  build_if_needed
  # shellcheck source=/dev/null
  . "$ROOT/.launcher/bench/stage.sh" || exit 1
  local out
  out=$(mktemp -d) && set_stage load "$out" '' && rmdir "$out"
  host visitors; host paths
  cable visitors v0 paths pv
  local here=kl$$
  ip link add "$here" type veth peer name ph netns "$TAG-paths" || exit 1
  ip link set "$here" up && ip -n "$TAG-paths" link set ph up
  "$WAN" --offloads-off "$here" && on paths "$WAN" --offloads-off ph
  ip addr add 10.97.0.1/18 dev "$here" || exit 1
  address visitors v0 10.97.1.1/18 "$visitors"
  # shellcheck disable=SC2086 # options, one word each
  wide_area wan paths pv ph $emulated
  local wan=$LAST arguments=() word
  for word in "$@"; do arguments+=("${word//:\/\/here/:\/\/10.97.0.1}"); done
  echo 10.97.0.1 >"$WORK/targets"
  part_command load
  # In the foreground of the terminal, so that it can be ended as any load can.
  ip netns exec "$TAG-visitors" "${JAVA_COMMAND[@]}" "${arguments[@]}" --from "10.97.1.1+$visitors" --allow "$WORK/targets"
  local code=$?
  kill -USR1 "$wan" 2>/dev/null && sleep 0.2
  path_remarks "$WORK/wan.err"
  exit $code
}

# path_options SPEC VISITORS: prints the emulator's options; reports every mistake.
path_options() {
  local spec=$1 visitors=$2 part key value wrong='' delay=0 to='' loss='' rate='' queue=1000 narrow='' share=0
  [[ $visitors =~ ^[1-9][0-9]{0,3}$ ]] && [ "$visitors" -le 4000 ] || { say_error "--visitors: $visitors (expected: 1 to 4000)"; wrong=yes; }
  while IFS= read -r part; do
    key=${part%%=*} value=${part#*=}
    case "$key" in
      delay)
        if [[ $value =~ ^([0-9]{1,5}(\.[0-9]+)?)(-([0-9]{1,5}(\.[0-9]+)?))?$ ]]; then
          delay=${BASH_REMATCH[1]} to=${BASH_REMATCH[4]}
        else say_error "--paths delay: $value (expected: MS or MS-MS)" && wrong=yes; fi
        ;;
      loss) if [[ $value =~ ^0(\.[0-9]+)?$ ]] && awk -v p="$value" 'BEGIN { exit !(p <= 0.5) }'; then loss=$value; else say_error "--paths loss: $value (expected: 0 to 0.5)" && wrong=yes; fi ;;
      rate) if [[ $value =~ ^[0-9]{1,6}(\.[0-9]+)?$ ]]; then rate=$value; else say_error "--paths rate: $value (expected: Mbit/s)" && wrong=yes; fi ;;
      queue) if [[ $value =~ ^[1-9][0-9]{0,6}$ ]]; then queue=$value; else say_error "--paths queue: $value (expected: KB)" && wrong=yes; fi ;;
      narrow)
        if [[ $value =~ ^([1-9][0-9]{0,6})x([0-9]{1,3})$ ]] && [ "${BASH_REMATCH[2]}" -le 100 ]; then
          narrow=${BASH_REMATCH[1]} share=${BASH_REMATCH[2]}
        else say_error "--paths narrow: $value (expected: KBITxPERCENT)" && wrong=yes; fi
        ;;
      *) say_error "--paths: $part (expected: delay=, loss=, rate=, queue= or narrow=)" && wrong=yes ;;
    esac
  done <<<"${spec//,/$'\n'}"
  [ -z "$wrong" ] || return 2
  local slow=$(((visitors * share + 50) / 100)) span="$delay${to:+:$to}" both=queue=$queue
  both+=${loss:+,loss=$loss}${rate:+,rate=$rate}
  printf -- '--both %s' "$both"
  [ "$slow" -gt 0 ] && printf -- ' --ip %s+%d=%s@%s' "$(visitor_address 0)" "$slow" "$span" "$narrow"
  [ "$slow" -lt "$visitors" ] && printf -- ' --ip %s+%d=%s' "$(visitor_address "$slow")" $((visitors - slow)) "$span"
  printf '\n'
}

# visitor_address INDEX: 10.97.1.1 is the first.
visitor_address() {
  local number=$((1 * 256 + 1 + $1))
  printf '10.97.%d.%d' $((number / 256)) $((number % 256))
}

# path_remarks FILE: prints the emulator's counts that are needed to interpret a figure.
path_remarks() {
  awk '
    function value(key) { return match($0, "\"" key "\":[0-9.]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : 0 }
    /"lost"/ { lost += value("lost"); queue += value("queue_drops"); slow += value("no_slot") + value("ring_drops"); packets += value("pkts") }
    END {
      if (packets) printf "Paths: %d packets, %d lost on the way, %d at the full queue of the line.\n", packets, lost, queue
      if (slow) printf "%d packets were dropped by the emulator itself: this machine is too busy for these paths.\n", slow
    }' "$1"
}
