# All tests: installs (as root) or names the programs that they need, then Maven runs unit, integration and browser tests.

run_tests() {
  local strict='' shuffle='' no_skips='' built='' matrix='' rows='' maven=()
  [ "${CI:-}" != true ] || no_skips=yes
  while [ $# -gt 0 ]; do
    case "$1" in
      --help | -h) test_usage && return 0 ;;
      --strict) strict=1 ;;
      --nightly) maven+=(-Dtest.nightly=true -Dtest.excluded= -Dtest.jvm.seconds=7200) ;;
      --shuffle) shuffle=any ;;
      --shuffle=*) shuffle=${1#*=} && need_seed "$shuffle" ;;
      --no-skips) no_skips=yes ;;
      --built) built=yes ;;
      --matrix) matrix=yes ;;
      --matrix=*) matrix=yes rows=${1#*=} ;;
      *) maven+=("$1") ;;
    esac
    shift
  done
  set -- "${maven[@]}"
  need_build_tools
  # The tests talk to real servers, read real packets and click in a real browser.
  provide libpcap nginx apache2 ab wrk tcpdump tcpreplay tshark tcptrace nghttp openssl chromium ip ps curl python3 nsenter tc localedata japanese-font || exit 3
  # Varnish brings a C compiler with it: 100 MB where there is none.
  local servers=(squid haproxy postgres clickhouse-server xz tomcat vsftpd omniNames nameclt websockets)
  have gcc && servers+=(varnishd)
  # Loss of power is tried on a file system of the tests' own, where there is a device for it.
  [ ! -e /dev/fuse ] || servers+=(cc fuse-headers)
  provide "${servers[@]}" || say "The tests of servers that are missing are skipped."
  [ -z "$matrix" ] || { run_matrix "$rows" "$shuffle" "$@" && return 0; }
  [ "$shuffle" != any ] || shuffle=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
  local begun=$SECONDS mark round rc skipped=0 again=() beside=() ways=()
  mkdir -p "$ROOT/target"
  : >"$ROOT/target/test.log"
  rm -rf "$ROOT/target/second-try.txt" "${ROOT:?}/$FIRST_FAILURES"
  mapfile -t ways < <(
    only_named "$@"
    [ -z "$shuffle" ] || shuffled_by "$shuffle"
  )
  [ -z "$strict" ] || ways+=("${STRICT[@]}")
  [ -z "$shuffle" ] || say "Shuffled; the same order again: ./komainu test --shuffle=$shuffle"
  mark=$(mktemp) round=$(mktemp)
  # Two modules at a time, with the console's own tests and the style; no Java test runs yet, so that none is disturbed.
  if [ -z "$built" ]; then
    say "${BOLD}Building, then testing${PLAIN}"
    drop_stale_resources
    if ! run_maven -T 2 -Dmaven.test.skip.exec=true "$@"; then
      rm -f "$mark" "$round"
      fail_tests "$begun"
    fi
    say_step "Built in $((SECONDS - begun)) s."
  fi
  # The build has checked the style already. Surefire reads the test classes in Maven's own JVM to hand them out (need_jdk sets it).
  networks_apart && beside=(-Dtest.forks=3 "-Dtest.jvm=$OWN_NETWORK" -Dit.forks=2 "-Dit.jvm=$OWN_HOST" -Dspotless.check.skip=true)
  while :; do
    touch "$round"
    run_maven -Dexec.skip=true "${beside[@]}" "${again[@]}" "${ways[@]}" "$@"
    rc=$?
    if [ -n "$strict" ]; then
      strict_verdict "$rc" "$mark"
      rc=$?
      keep_first_failures "$mark"
      break
    fi
    [ "$rc" = 0 ] && break
    keep_first_failures "$round"
    may_try_again "$round" || break
    say "${BOLD}Test classes that failed get a second try, then the remaining tests run.${PLAIN}"
    leave_out_passed "$mark"
    again=("-Dsurefire.excludesFile=$PASSED" "-Dfailsafe.excludesFile=$PASSED")
  done
  [ "$rc" = 0 ] && [ $# = 0 ] && [ -z "$built" ] && cp -p "$mark" "$STAMP"
  if [ "$rc" = 0 ] && named_but_absent "$mark" "$@"; then
    rc=1
  fi
  tell_skips "$mark" || skipped=1
  rm -f "$mark" "$round"
  tell_dead_jvms
  tell_second_tries "$rc"
  [ -z "$strict" ] || tell_strict_failures
  tell_first_failures
  [ "$rc" = 0 ] || [ -z "$shuffle" ] || say "The same order again: ./komainu test --shuffle=$shuffle"
  [ "$rc" = 0 ] || fail_tests "$begun"
  if [ -n "$no_skips" ] && [ "$skipped" = 1 ]; then
    say_error "tests were skipped (expected with --no-skips, or CI=true: none)"
    fail_tests "$begun"
  fi
  say_good "All tests passed in $((SECONDS - begun)) s."
}

test_usage() {
  cat <<'TEXT'
test [--strict] [--nightly] [--shuffle[=SEED]] [--no-skips] [--built] [--matrix[=ROW,…]] [MAVEN ARGS]
  all tests; e.g. ./komainu test -pl monitor/agent -am, or ./komainu test -Dtest=LiveIndicesTest
  --strict            no second try; every module is tested even when an earlier one failed, so that one run shows all failures
  --nightly           the long tests, too: properties that the usual tests hold with fewer cases, pages in every look
  --shuffle[=SEED]    test classes and their methods in random order; the seed is printed, and the same seed gives the same order
  -Dproperty.seed=N, -Dfuzz.seed=N   the inputs that failed; the failure prints them
  --no-skips          a skipped test is a failure; this is also the rule when CI=true is set in the environment
  --built             tests the last result of ./komainu test or build without a new build
TEXT
  matrix_help
}

fail_tests() {
  say_error "tests failed after $((SECONDS - $1)) s (complete output: target/test.log)"
  exit 1
}

# networks_apart: whether three test JVMs can run beside each other: two CPUs, memory (9 GB), and a network and processes for each. See docs/decisions/0058.
OWN_NETWORK="$ROOT/.launcher/own-network/bin/java"
OWN_HOST="$ROOT/.launcher/own-host/bin/java"
networks_apart() {
  [ "$(id -u)" = 0 ] && [ "$(nproc)" -ge 2 ] && awk '/^MemAvailable:/ { exit $2 < 9000000 }' /proc/meminfo || return 1
  export KOMAINU_JAVA_HOME=$JDK
  "$OWN_HOST" -version >>"$ROOT/target/test.log" 2>&1
}

# run_maven ARGS: writes all output to the log, and lines about tests also to the terminal.
run_maven() {
  (cd "$ROOT" && mvn -B -ntp -Dstyle.color=never verify "$@") 2>&1 | tee -a "$ROOT/target/test.log" |
    grep -a --line-buffered -E '^\[INFO\] Building .*\[[0-9]+/[0-9]+\]|Tests run:|^\[ERROR\]|passed,|BUILD|npm (ERR|error)|^Again: '
  return "${PIPESTATUS[0]}"
}
