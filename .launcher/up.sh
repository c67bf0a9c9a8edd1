# Everything on this machine: central service, proxy, agent, and with --demo a limited server and its visitors.
# The parts are separate processes in groups of their own, so that only the launcher receives Ctrl-C and can
# stop them in order. A part that ends is started again; one that ends five times in a minute is not.

up_help() {
  cat <<'TEXT'
up: runs everything on this machine, until Ctrl-C
  --demo[=SCENE]   a limited web server behind the proxy, and visitors with a peak of four minutes in every five and a half.
                   The console may change this server (its files are thrown away). SCENE is what ends at the peak:
                   workers (Apache; default), connections (nginx), origin (PHP processes behind nginx), and for root
                   cpu (Apache with a CPU quota), memory (Apache with a limit of memory)
  --demo-read-only the same, and the console changes nothing
  --demo-peak SEC  length of the demo's peak in seconds (default 240)
  --data DIR       directory of all data (default ./data)
  --ports BASE     console on BASE, proxy on BASE+80, its control on BASE+81, demo server on BASE+90 (default 7600)
  --listen ADDRESS address of the console and of ingest (default 127.0.0.1); with any other address both have TLS, and other
                   hosts can enrol: ./komainu enrol
  --origin URL     origin of the proxy (default with --demo: the demo server; otherwise the proxy is a forward
                   proxy for clients on this machine)
  --once SECONDS   stop after this time
  --no-install     install nothing. Otherwise root gets what is missing by apt-get: libpcap, and for --demo its server
Control data on PostgreSQL: KOMAINU_CONTROL_URL, KOMAINU_CONTROL_USER, KOMAINU_CONTROL_PASSWORD_FILE in the environment.
Settings of each part: docs/configuration/. KOMAINU_MORE_PARTS=SOURCE,… in the environment: further parts on this machine that
get a token in DATA/tokens (any: one token for all names, for tests).
TEXT
}

up() {
  local demo='' data="$PWD/data" base=7600 origin='' once=0
  LISTEN=127.0.0.1
  DEMO_CHANGES=yes DEMO_PEAK=240
  while [ $# -gt 0 ]; do
    case "$1" in
      --demo) demo=yes ;;
      --demo=*)
        demo=yes DEMO_SCENE=${1#--demo=}
        is_scene "$DEMO_SCENE" || { say_error "$1 (expected: --demo=workers, cpu, connections, origin or memory)" && exit 2; }
        ;;
      --demo-read-only) demo=yes DEMO_CHANGES='' ;;
      --demo-peak) need_value "$1" $# && demo=yes DEMO_PEAK=$2 && shift ;;
      --no-install) KOMAINU_NO_INSTALL=yes ;;
      --data) need_value "$1" $# && data=$2 && shift ;;
      --ports) need_value "$1" $# && base=$2 && shift ;;
      --listen) need_value "$1" $# && LISTEN=$2 && shift ;;
      --origin) need_value "$1" $# && origin=$2 && shift ;;
      --once) need_value "$1" $# && once=$2 && shift ;;
      --help | -h) up_help && return 0 ;;
      *) wrong_option up "$1" ;;
    esac
    shift
  done
  need_number --ports "$base" 1024 65000
  need_number --once "$once" 0 31536000
  need_number --demo-peak "$DEMO_PEAK" 10 3600

  need_jdk
  may_install && { provide libpcap ${demo:+$(scene_programs "$DEMO_SCENE")} || say "Going on without it; the console names what is missing."; }
  build_if_needed

  mkdir -p "$data"/{log,run,tokens} || { say_error "--data: $data (cannot be created)" && exit 1; }
  DATA=$(cd "$data" && pwd)
  # Others may pass through to the pages of a demo server, but read nothing of what is kept.
  mkdir -p "$DATA"/{central,agent,proxy} && chmod 700 "$DATA"/{central,agent,proxy,tokens,log,run}
  chmod go-rw,a+x "$DATA"
  CONSOLE_PORT=$base PROXY_PORT=$((base + 80)) CONTROL_PORT=$((base + 81)) ORIGIN_PORT=$((base + 90))
  (umask 077 && : >>"$DATA/run/lock")
  exec 9>"$DATA/run/lock"
  if ! flock -n 9; then
    say_error "--data: $DATA (in use by another ./komainu up; stop that one, or give another directory)"
    exit 1
  fi
  need_ports "$demo"

  declare -gA PART_PID=() PART_ARGS=() PART_DEATHS=() PART_HEAP=()
  PART_ORDER=()
  trap 'STOPPING=yes' INT TERM
  STOPPING=''

  start_all "$demo" "$origin" || {
    stop_all
    exit 1
  }
  local deadline=$((once > 0 ? SECONDS + once : 0))
  while [ -z "$STOPPING" ]; do
    if [ $deadline -gt 0 ] && [ $SECONDS -ge $deadline ]; then break; fi
    revive_the_dead
    sleep 0.5 &
    wait $!
  done
  stop_all
}

need_ports() {
  local name port
  for name in CONSOLE_PORT PROXY_PORT CONTROL_PORT ${1:+ORIGIN_PORT}; do
    port=${!name}
    if ! port_free "$port"; then
      say_error "port $port (${name%_PORT}) is in use. Fix: ./komainu up --ports $((CONSOLE_PORT + 1000)), or stop the program that uses it: ss -ltnp 'sport = :$port'"
      exit 1
    fi
  done
}

start_all() {
  local demo=$1 origin=$2
  local url host
  host=$(hostname)
  url=$(console_url)
  local authority=()
  [[ $url == https:* ]] && authority=(--authority-file "$DATA/central/authority/authority.pem")
  say_step "Starting the central service …"
  introduce_proxy || return 1
  start_part central --komainu.listen="$(listen_address)" --komainu.data="$DATA/central" --komainu.bootstrap-tokens="$DATA/tokens" \
    --komainu.bootstrap-parts="agent@$host,proxy@$host:$PROXY_PORT${KOMAINU_MORE_PARTS:+,$KOMAINU_MORE_PARTS}" \
    --komainu.caches.file="$DATA/tokens/caches" ${demo:+"${DEMO_CENTRAL[@]}"}
  wait_healthy central "$url" /actuator/health 120 || return 1

  if [ -n "$demo" ]; then
    start_demo_server || return 1
    origin=${origin:-http://127.0.0.1:$ORIGIN_PORT}
  fi
  local mode=(--forward --allow 127.0.0.0/8)
  [ -n "$origin" ] && mode=(--origin "$origin")
  say_step "Starting the proxy …"
  start_part proxy --listen "127.0.0.1:$PROXY_PORT" --control "127.0.0.1:$CONTROL_PORT" "${mode[@]}" \
    --control-token-file "$DATA/tokens/control.token" --control-read-token required \
    --central "$url" "${authority[@]}" --token-file "$DATA/tokens/proxy.token" --data "$DATA/proxy"
  wait_healthy proxy "http://127.0.0.1:$CONTROL_PORT" /health 30 || return 1

  say_step "Starting the agent …"
  local watched=()
  [ -n "$demo" ] && watched=(--also-port "$ORIGIN_PORT")
  [ -n "$demo" ] && [ -n "$DEMO_CHANGES" ] && watched+=(--allow-changes --change-port "$ORIGIN_PORT")
  start_part agent --central "$url" "${authority[@]}" --token-file "$DATA/tokens/agent.token" --data "$DATA/agent" "${watched[@]}"
  have capture || say "  No permission to capture packets; host and proxy are monitored. Fix: ./komainu doctor"
  have libpcap || say "  libpcap is missing, so no packets are captured; host and proxy are monitored. Fix: $(install_command libpcap)"
  [ -n "$demo" ] && start_part demo-load --target "127.0.0.1:$PROXY_PORT" --quiet "$DEMO_QUIET" --peak "$DEMO_PEAK" $(scene_load "$DEMO_SCENE")

  write_env "$url"
  say_good "Komainu is up."
  say "  Console   ${BOLD}$url/${PLAIN}"
  if [[ $url == https:* ]]; then
    say "            the browser warns until $DATA/central/authority/authority.pem is among its authorities"
    say "  Hosts     ./komainu enrol --kind agent --data $DATA/central makes a code for another host"
  fi
  if [ -s "$DATA/central/first-password" ]; then
    say_one_time admin "$DATA/central/first-password"
  fi
  say "  Proxy     http://127.0.0.1:$PROXY_PORT → ${origin:-any origin, as a forward proxy for clients on this machine}"
  [ -n "$demo" ] && demo_story
  say "  Data      $DATA (logs in log/, addresses and a read token for scripts in up.env)"
  say "  Stop      Ctrl-C"
}

# The listening address with its port; IPv6 in brackets.
listen_address() {
  if [[ $LISTEN == *:* ]]; then printf '[%s]:%s' "$LISTEN" "$CONSOLE_PORT"; else printf '%s:%s' "$LISTEN" "$CONSOLE_PORT"; fi
}

# The address of the console for the parts on this machine.
console_url() {
  case "$LISTEN" in
    127.* | ::1 | localhost) printf 'http://%s' "$(listen_address)" ;;
    0.0.0.0 | ::) printf 'https://127.0.0.1:%s' "$CONSOLE_PORT" ;;
    *) printf 'https://%s' "$(listen_address)" ;;
  esac
}

# Creates the token with which the central service controls the proxy; the console's Caches pages need it.
introduce_proxy() {
  local token="$DATA/tokens/control.token" id
  id="$(hostname):$PROXY_PORT"
  (
    umask 077
    [ -s "$token" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$token"
    printf '%s http://127.0.0.1:%s %s\n' "$id" "$CONTROL_PORT" "$(head -1 "$token")" >"$DATA/tokens/caches"
  )
}

write_env() {
  local file="$DATA/up.env"
  (
    umask 077
    cat >"$file.new" <<TEXT
KOMAINU_URL=$1
KOMAINU_TOKEN=$(cat "$DATA/tokens/read.token")
KOMAINU_PROXY=http://127.0.0.1:$PROXY_PORT
TEXT
    if [[ $1 == https:* ]]; then printf 'KOMAINU_AUTHORITY=%s\n' "$DATA/central/authority/authority.pem" >>"$file.new"; fi
  ) && mv "$file.new" "$file"
}

# start_part NAME ARGS: a process group of its own, output into log/NAME.log.
start_part() {
  local part=$1
  shift
  if [[ " ${PART_ORDER[*]} " != *" $part "* ]]; then PART_ORDER+=("$part"); fi
  PART_ARGS[$part]=$(printf '%q ' "$@")
  part_command "$part"
  launch "$part" "${JAVA_COMMAND[@]}" "$@"
}

launch() {
  local name=$1 word
  shift
  PART_HEAP[$name]=''
  for word in "$@"; do [[ $word == -Xmx* ]] && PART_HEAP[$name]=${word#-Xmx}; done
  (umask 077 && : >>"$DATA/log/$name.log" && : >"$DATA/run/$name.pid") && chmod 600 "$DATA/log/$name.log" "$DATA/run/$name.pid"
  setsid "$@" >>"$DATA/log/$name.log" 2>&1 9>&- </dev/null &
  PART_PID[$name]=$!
  echo $! >"$DATA/run/$name.pid"
}

wait_healthy() {
  local part=$1 url=$2 path=$3 patience=$4 begun=$SECONDS
  while [ "$(health_status "$url" "$path")" != 200 ]; do
    if [ -n "$STOPPING" ]; then return 1; fi
    if ! kill -0 "${PART_PID[$part]}" 2>/dev/null; then
      wait "${PART_PID[$part]}" 2>/dev/null
      last_words "$part" "stopped while starting, $(end_of "$part" $?)"
      return 1
    fi
    if [ $((SECONDS - begun)) -ge "$patience" ]; then
      last_words "$part" "not healthy after $patience s"
      return 1
    fi
    sleep 0.2
  done
}

# health_status URL PATH: as http_status. With https it counts that the address is open: it opens when the service is ready.
health_status() {
  if [[ $1 == http:* ]]; then
    http_status "${1##*:}" "$2"
  elif (exec 3<>"/dev/tcp/$(host_of "$1")/${1##*:}") 2>/dev/null; then
    printf 200 # it listens; the certificate is checked by the parts
  else
    printf 000
  fi
}

# host_of URL: its host, without brackets.
host_of() {
  local host=${1#*://}
  host=${host%:*}
  host=${host#[}
  printf '%s' "${host%]}"
}

last_words() {
  tail -5 "$DATA/log/$1.log" >&2
  say_error "$1: $2 (complete output: $DATA/log/$1.log)"
}

# end_of PART EXIT-CODE: prints the reason for the end. The JVM's exit code for exhausted memory is 3, and its last line names the kind.
end_of() {
  local what
  what=$(tail -20 "$DATA/log/$1.log" 2>/dev/null | sed -n 's/^Terminating due to java.lang.OutOfMemoryError: //p' | tail -1)
  if [ "$2" = 3 ] && [ -n "$what" ]; then
    printf 'exit code 3: out of memory (%s, heap %s)' "$what" "${PART_HEAP[$1]:-unlimited}"
  else
    printf 'exit code %s' "$2"
  fi
}

revive_the_dead() {
  local part now
  now=$(date +%s)
  for part in "${PART_ORDER[@]}"; do
    kill -0 "${PART_PID[$part]}" 2>/dev/null && continue
    [ "${PART_PID[$part]}" = 0 ] && continue
    [ "$part" = demo-server ] && demo_server_is_restarted && continue
    wait "${PART_PID[$part]}" 2>/dev/null
    local rc=$? recent=() died
    for died in ${PART_DEATHS[$part]:-}; do [ $((now - died)) -lt 60 ] && recent+=("$died"); done
    recent+=("$now")
    PART_DEATHS[$part]="${recent[*]}"
    if [ ${#recent[@]} -ge 5 ]; then
      last_words "$part" "stopped five times within a minute, $(end_of "$part" $rc); it is not started again"
      PART_PID[$part]=0
      continue
    fi
    say_error "$part: stopped ($(end_of "$part" $rc)); starting it again"
    if [ "$part" = demo-server ]; then
      launch "$part" "${DEMO_SERVER_COMMAND[@]}"
    elif [ "$part" = demo-pool ]; then
      launch "$part" "${DEMO_POOL_COMMAND[@]}"
    else
      part_command "$part"
      eval "launch $part \"\${JAVA_COMMAND[@]}\" ${PART_ARGS[$part]}"
    fi
  done
}

# The reverse order of the start, so that a part that reports stops before the receiver of its reports.
stop_all() {
  trap '' INT TERM
  say_step "Stopping …"
  local i part
  for ((i = ${#PART_ORDER[@]} - 1; i >= 0; i--)); do
    part=${PART_ORDER[$i]}
    stop_part "$part"
  done
  remove_control_group
  remove_demo_dir
  rm -f "$DATA"/run/*.pid
  say "Stopped. The data is in $DATA."
}

stop_part() {
  local pid=${PART_PID[$1]} waited=0
  [ "$pid" != 0 ] && kill -TERM -- "-$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do
    if [ $waited -ge 150 ]; then # 15 s
      say_error "$1: still running after 15 s; killed"
      kill -KILL -- "-$pid" 2>/dev/null
      break
    fi
    sleep 0.1
    waited=$((waited + 1))
  done
  wait "$pid" 2>/dev/null
}
