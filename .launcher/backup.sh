# Backups, and the move of the control data. A running central service writes them: an account that may write into its data directory may ask, and the service looks for
# requests there every two seconds. Checking a backup, restoring it and moving need no service.

backup_help() {
  cat <<'TEXT'
backup DIR: writes a backup of the running central service into DIR; one that was broken off goes on where it was
  --passphrase-file FILE  encrypts it; the first line of FILE is the passphrase, at least 12 characters. The service reads FILE, too
  --data DIR              the central service's data directory (default ./data/central)
backup --verify DIR: compares every file with its hash, then loads the control data and reads every row
  --passphrase-file FILE  the passphrase of an encrypted backup; without it only the hashes are compared
The backup has control data, telemetry, keys and settings. Where the service may write: DIR must belong to its user.
TEXT
}

backup() {
  local directory='' data="$PWD/data/central" passphrase='' verify=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --verify) verify=yes ;;
      --passphrase-file) need_value "$1" $# && passphrase=$(realpath -m -- "$2") && shift ;;
      --data) need_value "$1" $# && data=$2 && shift ;;
      --help | -h) backup_help && return 0 ;;
      -*) wrong_option backup "$1" ;;
      *)
        [ -z "$directory" ] || wrong_option backup "$1"
        directory=$(realpath -m -- "$1")
        ;;
    esac
    shift
  done
  if [ -z "$directory" ]; then
    say_error "backup: no directory (expected: backup DIR; see ./komainu backup --help)"
    exit 2
  fi
  if [ -n "$verify" ]; then
    run_part backup verify "$directory" ${passphrase:+--passphrase-file "$passphrase"}
  fi
  if [[ $directory$passphrase == *$'\n'* ]]; then
    say_error "backup: a line break in a path (expected: none)"
    exit 2
  fi
  if [ ! -d "$data/backup" ] || [ ! -w "$data/backup" ]; then
    say_error "--data: $data (expected: the central service's data directory, writable for $(id -un), with the directory backup in it)"
    exit 1
  fi
  local file
  file="$data/backup/$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')"
  (
    umask 077
    printf 'directory=%s\n' "$directory" >"$file.new"
    [ -z "$passphrase" ] || printf 'passphrase-file=%s\n' "$passphrase" >>"$file.new"
    mv "$file.new" "$file.request"
  ) || exit 1
  await_backup "$file" "$data"
}

# await_backup FILE DATA: prints the progress until the service has answered. The backup goes on when this ends before.
await_backup() {
  local file=$1 tries=0 told='' now stamp='' newest
  while [ ! -e "$file.done" ] && [ ! -e "$file.failed" ]; do
    newest=$(stat -c %Y "$file.progress" 2>/dev/null)
    if [ "$newest" != "$stamp" ]; then
      tries=0 stamp=$newest
      now=$(cat "$file.progress" 2>/dev/null)
      if [ -n "$now" ] && [ "$now" != "$told" ]; then
        say "  $now"
        told=$now
      fi
    fi
    tries=$((tries + 1))
    if [ $tries -ge 75 ]; then # 15 s
      rm -f "$file.request"
      say_error "backup: no answer within 15 s. Mend: start the central service of $2"
      exit 1
    fi
    sleep 0.2
  done
  if [ -e "$file.failed" ]; then
    say_error "backup: $(cat "$file.failed")"
    rm -f "$file.failed" "$file.progress"
    exit 1
  fi
  cat "$file.done"
  rm -f "$file.done" "$file.progress"
}

restore_help() {
  cat <<'TEXT'
restore DIR: restores a backup into an empty data directory, and compares what it wrote with the backup
  --data DIR              the new data directory (default ./data/central); it must not exist, or be empty
  --passphrase-file FILE  the passphrase of an encrypted backup
Then start the service there, with the settings of the backup: ./komainu central --komainu.data=DIR --config=DIR/settings.yml
TEXT
}

restore() {
  local directory='' data="$PWD/data/central" passphrase=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --passphrase-file) need_value "$1" $# && passphrase=$(realpath -m -- "$2") && shift ;;
      --data) need_value "$1" $# && data=$2 && shift ;;
      --help | -h) restore_help && return 0 ;;
      -*) wrong_option restore "$1" ;;
      *)
        [ -z "$directory" ] || wrong_option restore "$1"
        directory=$(realpath -m -- "$1")
        ;;
    esac
    shift
  done
  if [ -z "$directory" ]; then
    say_error "restore: no directory (expected: restore DIR; see ./komainu restore --help)"
    exit 2
  fi
  run_part backup restore "$directory" --data "$(realpath -m -- "$data")" ${passphrase:+--passphrase-file "$passphrase"}
}

move_help() {
  cat <<'TEXT'
move --to URL: copies the control data of a stopped central service into a PostgreSQL database, or its days of telemetry into a ClickHouse database, and compares both sides
move --from URL: copies the days in a ClickHouse database back into files
  --to URL                jdbc:postgresql://HOST[:PORT]/DATABASE, as komainu.control.url; an empty database of version 15 or newer: the control data
                          http(s)://HOST[:PORT]/DATABASE, as komainu.records.url: the days of telemetry
  --from URL              http(s)://HOST[:PORT]/DATABASE: its days
  --user NAME             the role or user there (default komainu; for ClickHouse default)
  --password-file FILE    the password, on the first line
  --ca-file FILE          certificates of ClickHouse's authorities
  --cluster NAME          cluster of the ClickHouse servers in their own settings
  --data DIR              the central service's data directory (default ./data/central)
With --to nothing is changed in DIR. The move can be broken off and repeated. It ends with the settings that let the service use the database.
TEXT
}

move() {
  local other='' data="$PWD/data/central" options=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --to | --from) need_value "$1" $# && other=$2 && options+=("$1" "$2") && shift ;;
      --ca-file) need_value "$1" $# && options+=(--ca-file "$(realpath -m -- "$2")") && shift ;;
      --cluster) need_value "$1" $# && options+=(--cluster "$2") && shift ;;
      --user) need_value "$1" $# && options+=(--user "$2") && shift ;;
      --password-file) need_value "$1" $# && options+=(--password-file "$(realpath -m -- "$2")") && shift ;;
      --data) need_value "$1" $# && data=$2 && shift ;;
      --help | -h) move_help && return 0 ;;
      *) wrong_option move "$1" ;;
    esac
    shift
  done
  if [ -z "$other" ]; then
    say_error "move: no database (expected: move --to URL or --from URL; see ./komainu move --help)"
    exit 2
  fi
  run_part move --data "$(realpath -m -- "$data")" "${options[@]}"
}
