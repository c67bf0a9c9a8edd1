# A one-time code with which another host, or another part, gets a certificate of this installation. An account that may write into the
# central service's data directory may ask: the service looks for requests there every two seconds.

enrol_help() {
  cat <<'TEXT'
enrol --kind KIND …: makes a one-time code with which an agent, probe, proxy or organizer enrols
  --kind KIND      agent, probe, proxy or organizer; several times for a host that has several
  --node NAME      only the host of this name may use it, also in place of the parts that it has; without it: a host that has none
  --network BLOCK  addresses for which the part may report, such as 192.0.2.0/24; without it: those of its host. A probe at a mirror
                   port needs the networks that it watches
  --uses N         number of parts that may use it, 1 to 100 (default 1)
  --minutes N      time for which it works, 1 to 60 (default 10)
  --address HOST:PORT  address of the central service as the other host reaches it (default: an address of this host)
  --left           makes no code: lists the sources that still report with the token of an earlier version, which ends after 90 days
  --data DIR       the central service's data directory (default ./data/central)
On the other host: sudo ./komainu agent --enrol 'CODE' --data DIR. The console makes codes too: Settings, Hosts, Add a host.
TEXT
}

enrol() {
  local data="$PWD/data/central" lines='' kinds=() uses='' left='' tries=0
  while [ $# -gt 0 ]; do
    case "$1" in
      --kind) need_value "$1" $# && kinds+=("$2") && lines+="kind=$2"$'\n' && shift ;;
      --node | --network | --minutes | --address) need_value "$1" $# && lines+="${1#--}=$2"$'\n' && shift ;;
      --uses) need_value "$1" $# && uses=$2 && shift ;;
      --left) left=yes ;;
      --data) need_value "$1" $# && data=$2 && shift ;;
      --help | -h) enrol_help && return 0 ;;
      *) wrong_option enrol "$1" ;;
    esac
    shift
  done
  # One code for a host with several parts is used once by each of them.
  [ -n "$left" ] && lines=left || lines+="uses=${uses:-$((${#kinds[@]} > 0 ? ${#kinds[@]} : 1))}"$'\n'
  if [ ! -d "$data/enrol" ] || [ ! -w "$data/enrol" ]; then
    say_error "--data: $data (expected: the central service's data directory, writable for $(id -un), with the directory enrol in it)"
    exit 1
  fi
  local file
  file="$data/enrol/$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')"
  (umask 077 && printf '%s' "$lines" >"$file.new" && mv "$file.new" "$file.request") || exit 1
  while [ ! -e "$file.code" ] && [ ! -e "$file.refused" ] && [ ! -e "$file.left" ]; do
    tries=$((tries + 1))
    if [ $tries -ge 75 ]; then # 15 s
      rm -f "$file.request"
      say_error "enrol: no answer within 15 s. Mend: start the central service of $data"
      exit 1
    fi
    sleep 0.2
  done
  if [ -s "$file.refused" ]; then
    say_error "enrol: $(cat "$file.refused")"
    rm -f "$file.refused"
    exit 1
  fi
  if [ -e "$file.left" ]; then
    if grep -q . "$file.left"; then
      cat "$file.left"
    else
      say "No source reports with the shared token."
    fi
    rm -f "$file.left"
    return 0
  fi
  local code kind
  code=$(cat "$file.code")
  rm -f "$file.code"
  for kind in "${kinds[@]}"; do
    say "On the host of the $kind:"
    case "$kind" in
      proxy | organizer) printf "  ./komainu %s --config %s.yaml --enrol '%s'\n" "$kind" "$kind" "$code" ;;
      *) printf "  sudo ./komainu agent --enrol '%s' --data /var/lib/komainu-%s\n" "$code" "$kind" ;;
    esac
  done
}
