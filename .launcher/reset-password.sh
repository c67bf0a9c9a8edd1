# A new one-time password for a user who has lost every other way in. An account that may write into the central service's data
# directory may ask: the service looks for requests there every two seconds, and at its start.

reset_password_help() {
  cat <<'TEXT'
reset-password NAME: a new one-time password for a user of the console; it ends the user's sessions and tokens
  --second-factor  also removes the second factor, for a user who lost the authenticator and the recovery codes
  --data DIR       the central service's data directory (default ./data/central)
The password is in a file that only its owner can read. It is printed on a terminal only, and works for a day (komainu.access.one-time-life).
TEXT
}

reset_password() {
  local name='' data="$PWD/data/central" tries=0 factor=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --data) need_value "$1" $# && data=$2 && shift ;;
      --second-factor) factor=@second-factor ;;
      --help | -h) reset_password_help && return 0 ;;
      -*) wrong_option reset-password "$1" ;;
      *) name=$1 ;;
    esac
    shift
  done
  if ! [[ $name =~ ^[a-z][a-z0-9._-]{0,31}$ ]]; then
    say_error "reset-password: ${name:-no name} (expected: the name of a user; see ./komainu reset-password --help)"
    exit 2
  fi
  local file="$data/reset/$name" request="$data/reset/$name$factor.request"
  if [ ! -d "$data/reset" ] || [ ! -w "$data/reset" ]; then
    say_error "--data: $data (expected: the central service's data directory, writable for $(id -un), with the directory reset in it)"
    exit 1
  fi
  rm -f "$file" "$file.refused"
  (umask 077 && : >"$request") || exit 1
  while [ -e "$request" ] || { [ ! -s "$file" ] && [ ! -e "$file.refused" ]; }; do
    tries=$((tries + 1))
    if [ $tries -ge 75 ]; then # 15 s
      say_error "reset-password: no answer within 15 s. Mend: start the central service; it answers then, in $file"
      exit 1
    fi
    sleep 0.2
  done
  if [ -e "$file.refused" ]; then
    rm -f "$file.refused"
    say_error "reset-password: $name (there is no such user)"
    exit 1
  fi
  say_one_time "$name" "$file"
}

# say_one_time NAME FILE: the password itself on a terminal only, so that no log and no journal has it.
say_one_time() {
  if [ -t 1 ] && [ -r "$2" ]; then
    say "  Log in as ${BOLD}$1${PLAIN} with the one-time password ${BOLD}$(head -1 "$2")${PLAIN} (change it at the login; it expires)"
  else
    say "  Log in as $1 with the one-time password in $2 (change it at the login; it expires)"
  fi
}
