# The output of the launcher: progress on standard output, errors on standard error, one line each.

if [ -t 1 ]; then
  BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
else
  BOLD='' DIM='' RED='' GREEN='' PLAIN=''
fi

say() { printf '%s\n' "$*"; }
say_step() { printf '%s%s%s\n' "$DIM" "$*" "$PLAIN"; }
say_good() { printf '%s%s%s\n' "$GREEN" "$*" "$PLAIN"; }
say_error() { printf '%skomainu: %s%s\n' "$RED" "$*" "$PLAIN" >&2; }

# wrong_option COMMAND OPTION: exits with the code for wrong usage.
wrong_option() {
  say_error "$1: $2 (unknown option; see ./komainu $1 --help)"
  exit 2
}

# need_value OPTION COUNT: an option at the end of the line has no value.
need_value() {
  if [ "$2" -lt 2 ]; then
    say_error "$1: no value (expected one after it)"
    exit 2
  fi
}

# need_number OPTION VALUE LOW HIGH
need_number() {
  if ! [[ $2 =~ ^[0-9]{1,9}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
    say_error "$1: $2 (expected: $3 to $4)"
    exit 2
  fi
}
