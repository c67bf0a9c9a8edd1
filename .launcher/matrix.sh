# The suite in other environments: in another language, in a time zone with summer time, as a user without privileges, as root with
# fewer privileges. A row is ./komainu test in that environment; everything is built once.

MATRIX_ROWS=(fa-IR tr-TR santiago user bare)
MATRIX_USER=komainu-test

matrix_help() {
  cat <<'TEXT'
  --matrix[=ROW,…]  the suite once in each of these environments, then a table (results: target/matrix/ROW/):
                      fa-IR     a Persian locale: digits that are not ASCII
                      tr-TR     a Turkish locale: i and I are two letters
                      santiago  TZ=America/Santiago: summer time begins at midnight
                      user      an ordinary user, on a copy of the tree (as root; else as the user who runs it)
                      bare      root without NET_ADMIN and SYS_ADMIN, as in a container (needs root)
                    with --shuffle each row has its own order (its said.txt contains the seed)
TEXT
}

# run_matrix ROWS SHUFFLE MAVEN-ARGS: ROWS with commas between them; empty: all. SHUFFLE: a seed, any, or empty: not shuffled.
run_matrix() {
  local rows row begun=$SECONDS rc=0 order=()
  IFS=, read -ra rows <<<"${1:-$(IFS=, && echo "${MATRIX_ROWS[*]}")}"
  case "$2" in
    '') ;;
    any) order=(--shuffle) ;;
    *) order=("--shuffle=$2") ;;
  esac
  shift 2
  for row in "${rows[@]}"; do
    [[ " ${MATRIX_ROWS[*]} " == *" $row "* ]] || { say_error "--matrix: $row (expected: ${MATRIX_ROWS[*]})" && exit 2; }
    [[ $row != *-* ]] || provide localedata || exit 3
    [ "$row" != bare ] || [ "$(id -u)" = 0 ] || { say_error "--matrix=bare: needs root, to drop its capabilities" && exit 3; }
  done
  rm -rf "$ROOT/target/matrix"
  mkdir -p "$ROOT/target/matrix"
  : >"$ROOT/target/test.log"
  say "${BOLD}Building, then testing in ${#rows[@]} environments${PLAIN}"
  run_maven -T 2 -Dmaven.test.skip.exec=true "$@" || fail_tests "$begun"
  for row in "${rows[@]}"; do
    run_row "$row" "${order[@]}" "$@" || rc=1
  done
  matrix_table "${rows[@]}" | tee "$ROOT/target/matrix/table.txt"
  [ "$rc" = 0 ] || fail_tests "$begun"
  say_good "All tests passed in each of ${#rows[@]} environments, in $((SECONDS - begun)) s."
}

# run_row ROW TEST-ARGS: fails when a test did, or when none ran.
run_row() {
  local row=$1 out="$ROOT/target/matrix/$1" begun=$SECONDS mark rc
  shift
  mkdir -p "$out"
  say "${BOLD}$row${PLAIN}"
  # A subshell: its end removes the settings of the row.
  (
    TREE=$ROOT ROW_COMMAND=(env -u CI -u KOMAINU_BUILT)
    set_row "$row" "$out" || exit 1
    mark=$(mktemp)
    "${ROW_COMMAND[@]}" "$TREE/komainu" test --built --strict -Dspotless.check.skip=true "$@" "${ROW_ARGS[@]}" 2>&1 | tee "$out/said.txt" | sed -u 's/^/  /'
    rc=${PIPESTATUS[0]}
    keep_reports "$mark" "$out"
    rm -f "$mark"
    exit "$rc"
  )
  rc=$?
  [ "$(count_elements "$out" testcase)" != 0 ] || { say_error "$row: no test ran" && rc=1; }
  [ "$rc" = 0 ] || : >"$out/failed"
  say_step "$row: $((SECONDS - begun)) s."
  return "$rc"
}

# set_row ROW DIRECTORY: adds to ROW_COMMAND and ROW_ARGS what makes the row's environment; may set TREE.
set_row() {
  ROW_ARGS=()
  case "$1" in
    *-*)
      # Compiled for the run, so that all programs that tests start use the language. JAVA_TOOL_OPTIONS would affect JVMs only, and each would print a message.
      local name=${1/-/_}
      mkdir -p "$ROOT/target/matrix/locales" && chmod 755 "$ROOT/target/matrix/locales"
      localedef -i "$name" -f UTF-8 "$ROOT/target/matrix/locales/$name.UTF-8" || return 1
      ROW_COMMAND+=("LOCPATH=$ROOT/target/matrix/locales" "LANG=$name.UTF-8" "LC_ALL=$name.UTF-8" LANGUAGE=)
      ;;
    santiago) ROW_COMMAND+=(TZ=America/Santiago) ;;
    bare) ROW_COMMAND+=(setpriv --bounding-set=-net_admin,-sys_admin --inh-caps=-net_admin,-sys_admin) ;;
    user) [ "$(id -u)" != 0 ] || lend_tree ;;
  esac
}

# lend_tree: copies the built tree and Maven's libraries for a new user; both are removed when this shell ends.
lend_tree() {
  local home library="$HOME/.m2/repository"
  [ -d "$library" ] || { say_error "Maven's libraries: $library (expected: a directory)" && return 1; }
  home=$(mktemp -d /tmp/komainu-matrix-XXXXXX) || return 1
  # shellcheck disable=SC2064
  trap "rm -rf '$home'; userdel '$MATRIX_USER' 2>/dev/null" EXIT
  id "$MATRIX_USER" >/dev/null 2>&1 || useradd --no-log-init --no-create-home --home-dir "$home" --shell /bin/bash "$MATRIX_USER" || return 1
  say_step "Copying the tree for $MATRIX_USER …"
  mkdir -p "$home/tree" "$home/.m2" &&
    tar -C "$ROOT" --exclude=./.git --exclude=./target --exclude=./data -cf - . | tar -C "$home/tree" -xpf - &&
    mkdir -p "$home/tree/target" &&
    cp -R --preserve=mode,timestamps "$library" "$home/.m2/repository" || return 1
  # These files name the server of each library, which may be unknown to these settings.
  find "$home/.m2/repository" -name _remote.repositories -delete
  chown -R "$MATRIX_USER:" "$home" && chmod 755 "$home"
  TREE=$home/tree ROW_ARGS=(-o)
  local become=(setpriv --reuid "$MATRIX_USER" --regid "$(id -g "$MATRIX_USER")" --init-groups)
  ROW_COMMAND+=("HOME=$home" "USER=$MATRIX_USER" "LOGNAME=$MATRIX_USER" "MAVEN_OPTS=-Duser.home=$home ${MAVEN_OPTS:-}" "KOMAINU_JAVA_HOME=$JDK" "${become[@]}")
  "${become[@]}" test -x "$JDK/bin/java" || { say_error "JDK: $JDK cannot be read by an ordinary user" && return 1; }
}

# keep_reports FILE DIRECTORY: copies the reports of TREE written after FILE, and the log, to DIRECTORY.
keep_reports() {
  local report module
  cp "$TREE/target/test.log" "$2/" 2>/dev/null
  find "$TREE" -maxdepth 6 \( -name node_modules -o -name .git -o -name matrix \) -prune -o -path '*/target/*-reports/TEST-*.xml' -newer "$1" -print |
    while IFS= read -r report; do
      module=${report#"$TREE"/} module=${module%%/target/*}
      mkdir -p "$2/$module" && cp "$report" "$2/$module/"
    done
}

# count_elements DIRECTORY ELEMENT…: counts these elements in the reports there.
count_elements() {
  local directory=$1
  shift
  find "$directory" -name 'TEST-*.xml' -print0 | xargs -0r cat | grep -caE "^ *<($(IFS='|' && echo "$*"))[ />]"
}

# matrix_table ROW…: prints the figures and, below, the failed tests and the reasons of skipped ones.
matrix_table() {
  local row out run failed skipped
  printf '\n%-10s %8s %8s %8s %8s\n' row run passed failed skipped
  for row in "$@"; do
    out="$ROOT/target/matrix/$row"
    run=$(count_elements "$out" testcase) failed=$(count_elements "$out" failure error) skipped=$(count_elements "$out" skipped)
    printf '%-10s %8d %8d %8d %8d%s\n' "$row" "$run" $((run - failed - skipped)) "$failed" "$skipped" \
      "$([ "$failed" = 0 ] && [ -e "$out/failed" ] && echo '  ended with an error: see its said.txt')"
  done
  for row in "$@"; do
    out="$ROOT/target/matrix/$row"
    failed=$(grep -rlaE --include='TEST-*.xml' '^ *<(failure|error)[ >]' "$out" | sed -E 's,.*/TEST-(.*)\.xml,  \1,' | LC_ALL=C sort)
    [ -z "$failed" ] || printf '\n%s, failed:\n%s\n' "$row" "$failed"
    skipped=$(find "$out" -name 'TEST-*.xml' -print0 | skip_reasons | by_reason)
    [ -z "$skipped" ] || printf '\n%s, skipped:\n%s\n' "$row" "$skipped"
  done
}
