# The stage of an experiment: namespaces, lines between them, the programs in them, and the removal of all of it.

# set_stage NAME OUT KEEP: everything below WORK is this run's, everything called TAG-* too.
set_stage() {
  BENCH=$1 OUT=$2 KEEP=$3
  TAG=kb$$
  STARTED=()
  NAMESPACES=()
  MOUNTS=()
  mkdir -p "$OUT" || exit 1
  OUT=$(cd "$OUT" && pwd)
  # Readable: servers give up root.
  WORK=$(mktemp -d "${TMPDIR:-/tmp}/komainu-bench.XXXXXX") && chmod 755 "$WORK" || exit 1
  trap clear_stage EXIT
  trap 'exit 130' INT TERM HUP
  WAN="$WORK/wan"
  cc -O2 -o "$WAN" "$ROOT/.launcher/bench/wan.c" || exit 1
}

clear_stage() {
  local i
  for ((i = ${#STARTED[@]} - 1; i >= 0; i--)); do finish "${STARTED[i]}"; done
  for i in "${NAMESPACES[@]}"; do ip netns del "$i" 2>/dev/null; done
  for i in "${MOUNTS[@]}"; do umount "$i" 2>/dev/null; done
  if [ -n "$KEEP" ]; then
    say_step "Kept: $WORK"
  else
    rm -rf "$WORK"
  fi
}

# Compiles the client of the proxies' benchmarks to $WORK/caller.
compile_caller() {
  provide openssl-headers nghttp2-headers || exit 3
  cc -O2 -o "$WORK/caller" "$ROOT"/.launcher/bench/peers/caller/*.c -lm -lssl -lcrypto -lnghttp2 || exit 1
}

# mounted DIR: a file system in memory there.
mounted() { mount -t tmpfs -o size=600m komainu-bench "$1" && MOUNTS+=("$1") || exit 1; }

# host NAME: a machine of our own.
host() {
  local ns=$TAG-$1
  ip netns add "$ns" || exit 1
  NAMESPACES+=("$ns")
  ip -n "$ns" link set lo up
  # No run may inherit a slow-start threshold from the previous one; enough ports for open loops.
  ip netns exec "$ns" sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.ip_local_port_range="10000 65000" \
    net.core.somaxconn=4096 net.ipv6.conf.all.disable_ipv6=1
}

# cable HOST-A DEVICE-A HOST-B DEVICE-B: packets of the size a real card sends (no segmentation offload).
cable() {
  ip link add "$2" netns "$TAG-$1" type veth peer name "$4" netns "$TAG-$3" || exit 1
  ip -n "$TAG-$1" link set "$2" up && ip -n "$TAG-$3" link set "$4" up
  ip netns exec "$TAG-$1" "$WAN" --offloads-off "$2" && ip netns exec "$TAG-$3" "$WAN" --offloads-off "$4"
}

# address HOST DEVICE A.B.C.D/LENGTH [COUNT]: COUNT addresses from there on.
address() {
  local count=${4:-1} first=${3%/*} length=${3#*/} i number
  IFS=. read -r a b c d <<<"$first"
  number=$(((a << 24) + (b << 16) + (c << 8) + d))
  for ((i = number; i < number + count; i++)); do
    printf 'addr add %d.%d.%d.%d/%s dev %s\n' $((i >> 24 & 255)) $((i >> 16 & 255)) $((i >> 8 & 255)) $((i & 255)) "$length" "$2"
  done | ip -n "$TAG-$1" -batch - || exit 1
}

on() { # on HOST COMMAND…: runs it there and waits.
  local ns=$TAG-$1
  shift
  ip netns exec "$ns" "$@"
}

# start NAME HOST COMMAND…: runs it there in the background; its output goes to WORK/NAME.out and .err; LAST is its process.
# In a session of its own, because Apache in the foreground ends its whole process group on SIGTERM, including this script.
start() {
  local name=$1 ns=$TAG-$2
  shift 2
  setsid ip netns exec "$ns" "$@" >"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
  LAST=$!
  STARTED+=("$LAST")
}

# attend NAME HOST COMMAND…: starts it and waits for its end; this script handles signals meanwhile.
attend() {
  start "$@"
  wait "$LAST" && return 0
  tail -n 5 "$WORK/$1.err" "$WORK/$1.out" >&2
  say_error "bench $BENCH: $1 failed"
  exit 1
}

# finish PID: sends SIGTERM, waits, sends SIGKILL after ten seconds. Only for processes that `start` began and that still run: the number
# may belong to another process by now, but the list of this shell's children is always right.
finish() {
  local pid=$1 i
  [ -n "$pid" ] && ours "$pid" || return 0
  kill "$pid" 2>/dev/null
  kill -CONT "$pid" 2>/dev/null # a stopped process receives no SIGTERM
  for ((i = 0; i < 100; i++)); do
    ours "$pid" || break
    sleep 0.1
  done
  ours "$pid" && kill -KILL "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  return 0
}
ours() { jobs -pr | grep -qx "$1" || jobs -ps | grep -qx "$1"; }

alive() { # alive PID NAME: exits with the end of its output when it has ended.
  ours "$1" && return 0
  tail -n 5 "$WORK/$2.err" "$WORK/$2.out" >&2
  say_error "bench $BENCH: $2 ended too early"
  exit 1
}

# answers HOST ADDRESS PORT PATH SECONDS: waits until the server there sends any HTTP response.
answers() {
  local i
  for ((i = 0; i < $5 * 5; i++)); do
    if on "$1" timeout 2 bash -c "exec 3<>/dev/tcp/$2/$3 && printf 'GET $4 HTTP/1.0\r\n\r\n' >&3 && grep -qm1 '^HTTP/1' <&3" 2>/dev/null; then
      return 0
    fi
    sleep 0.2
  done
  say_error "bench $BENCH: no response from $2:$3$4"
  exit 1
}

# saying TEXT FILE SECONDS: waits until the file contains the text.
saying() {
  local i
  for ((i = 0; i < $3 * 5; i++)); do
    grep -qs -- "$1" "$2" && return 0
    sleep 0.2
  done
  tail -n 5 "$2" "${2%.out}.err" >&2
  say_error "bench $BENCH: $(basename "$2") does not contain: $1"
  exit 1
}

# wide_area NAME HOST DEVICE-A DEVICE-B OPTIONS…: the emulator between two cables that end at HOST.
wide_area() {
  local name=$1 where=$2 a=$3 b=$4
  shift 4
  start "$name" "$where" "$WAN" --rt "$@" "$a" "$b"
}

# Processors: the measured program has the last one for itself, everything else uses the others; with one processor all share it.
# Only those that this process may use, because a control group may exclude some.
CPUS=$(nproc)
mapfile -t OWN_CPUS < <(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr ',' '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
SERVER_CPU=${OWN_CPUS[-1]}
OTHER_CPUS=$([ "${#OWN_CPUS[@]}" = 1 ] && echo "$SERVER_CPU" || (IFS=,; echo "${OWN_CPUS[*]:0:${#OWN_CPUS[@]}-1}"))
beside() { taskset -c "$OTHER_CPUS" "$@"; }

# java_command PART: sets JAVA_COMMAND to the command of a class of ours, with more heap than in the demo.
java_command() {
  case "$1" in
    line-agents | line-origin)
      # With the organizer's own switches and its AOT cache: a line always runs in such a JVM.
      KOMAINU_JAVA_OPTIONS="${KOMAINU_JAVA_OPTIONS:-} -Xmx512m" part_command organizer
      JAVA_COMMAND[-2]+=:$ROOT/proxy-core/bench/target/komainu-bench-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/bench/target/lib/*
      [ "$1" = line-agents ] && JAVA_COMMAND[-1]=dev.komainu.bench.line.LineAgents || JAVA_COMMAND[-1]=dev.komainu.bench.line.LineOrigin
      ;;
    open-load | thinking-origin)
      JAVA_COMMAND=("$JDK/bin/java" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
        -cp "$ROOT/proxy-core/load/target/komainu-load-0.1.0-SNAPSHOT.jar:$ROOT/proxy-core/load/target/lib/*")
      [ "$1" = open-load ] && JAVA_COMMAND+=(dev.komainu.load.OpenLoad) || JAVA_COMMAND+=(dev.komainu.load.ThinkingOrigin)
      ;;
    *) part_command "$@" ;;
  esac
}

# seconds_of MINUTES DEFAULT-SECONDS
seconds_of() { [ -z "$1" ] && printf '%s\n' "$2" || awk -v m="$1" 'BEGIN { s = int(m * 60 + 0.5); print s < 5 ? 5 : s }'; }

# chosen_settings: prints the settings that differ from the defaults, in the form in which they precede a command.
chosen_settings() { env | grep -E '^KOMAINU_(BENCH|PEAK|CACHE)_[A-Z_]+=' | sort | sed "s/=\\(.* .*\\)/='\\1'/" | tr '\n' ' '; }

# conditions COMMAND: prints the conditions that are needed to interpret a figure, and the marker for bench check.
conditions() {
  cat <<TEXT
$(measured "$BENCH")

$(date -u +'%e %B %Y, %H:%M UTC' | sed 's/^ //'), Linux $(uname -r), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $CPUS processors, $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GB, all programs on one machine (network namespaces).
Load of the machine before the run: $BENCH_LOAD_BEFORE (1, 5, 15 minutes; other programs).

    $1
TEXT
}
BENCH_LOAD_BEFORE=$(cut -d' ' -f1-3 /proc/loadavg)

crunch() { python3 -B "$ROOT/.launcher/bench/crunch/$1.py" "${@:2}" || exit 1; }

# draw SCRIPT NAME=VALUE…: draws one of figures/*.gp from the data that it keeps beside the figure (figures/figures.py).
draw() { python3 -B "$ROOT/.launcher/bench/figures/figures.py" keep "$1" "$WORK" "$OUT" "${@:2}" || exit 1; }
