# The second try of test classes that failed. Classes that passed are left out, so Maven continues where it stopped. Each class with a second
# try is listed at the end, and target/second-try.txt keeps its first failure. See docs/decisions/0047.

SECOND_TRIES=3           # classes in one run; when more fail, it is not chance
PASSED=target/passed.txt # in each module: its classes that need not run again, as Surefire's excludesFile

# Patterns of the output when a test JVM ended itself at its time limit (monitor/test-seeds), when one died, and when tests failed.
JVM_TOO_LONG='This test JVM has run for [0-9]+ s, its limit'
JVM_DIED="The forked VM terminated|$JVM_TOO_LONG"
TESTS_FAILED='^\[ERROR\] (There (are test failures|was a failure)|Tests run: .*(Failures|Errors): [1-9])'

# verdicts_since FILE: "passed CLASS REPORT" or "failed CLASS REPORT" for each report of a test class written after FILE.
# The counts at a report's head leave out nested classes, so its elements are asked. A report that breaks off (its JVM died) is
# neither: the class runs again, and Maven's own verdict is valid.
verdicts_since() {
  local report class
  find "$ROOT" -maxdepth 6 \( -name node_modules -o -name .git \) -prune -o -path '*/target/*-reports/TEST-*.xml' -newer "$1" -print |
    while IFS= read -r report; do
      class=${report##*/TEST-} class=${class%.xml}
      if grep -qaE '^ *<(failure|error)[ >]' "$report"; then
        printf 'failed %s %s\n' "${class%%\$*}" "$report"
      elif tail -n 1 "$report" | grep -qa '</testsuite>'; then
        printf 'passed %s %s\n' "${class%%\$*}" "$report"
      fi
    done | LC_ALL=C sort
}

# leave_out_passed FILE: writes PASSED in every module from the reports written after FILE. A class belongs to its module: one of the same name
# in another module still runs.
leave_out_passed() {
  local pom module
  find "$ROOT" -maxdepth 3 \( -name node_modules -o -name target \) -prune -o -name pom.xml -print | while IFS= read -r pom; do
    module=${pom%/pom.xml}
    mkdir -p "$module/target"
    # The first line is Surefire's own default, which a file replaces.
    verdicts_since "$1" | awk -v reports="$module/target/" '
      BEGIN { print "**/*$*" }
      index(substr($0, length($1 $2) + 3), reports) == 1 { verdict[$2] = verdict[$2] $1 }
      END { for (class in verdict) if (verdict[class] !~ /failed/) { path = class; gsub(/\./, "/", path); print path ".java" } }
    ' >"$module/$PASSED"
  done
}

# first_failure REPORT: the first failing method and its message, on one line.
first_failure() {
  awk '
    /^ *<testcase / { method = $0; sub(/.* name="/, "", method); sub(/".*/, "", method) }
    /^ *<(failure|error)[ >]/ {
      said = $0
      if (!sub(/.* message="/, "", said)) sub(/.* type="/, "", said)
      sub(/".*/, "", said)
      gsub(/&#10;|&#13;/, " ", said); gsub(/&lt;/, "<", said); gsub(/&gt;/, ">", said); gsub(/&quot;/, "\"", said); gsub(/&amp;/, "\\&", said)
      print substr(method ": " said, 1, 400)
      exit
    }' "$1"
}

# may_try_again FILE: notes the classes that failed since FILE. Refuses when none did (something else is broken), when one of them
# had its second try, when they are too many, when it drew its inputs at random, or when a test JVM died: then its missing results are unknown.
may_try_again() {
  local notes="$ROOT/target/second-try.txt" verdict class report before='' twice='' drawn=''
  if grep -qaE "$JVM_DIED" "$ROOT/target/test.log"; then
    return 1
  fi
  [ -e "$notes" ] && before=$(cut -d ' ' -f 1 "$notes")
  local found=0
  while read -r verdict class report; do
    [ "$verdict" = failed ] || continue
    found=1
    draws_its_inputs "$class" "$report" && drawn=$class
    if grep -qxF -- "$class" <<<"$before"; then
      twice=$class
    else
      printf '%s %s\n' "$class" "$(first_failure "$report")" >>"$notes"
    fi
  done < <(verdicts_since "$1")
  [ "$found" = 1 ] || return 1
  if [ -n "$twice" ]; then
    say_error "$twice: failed twice"
    return 1
  fi
  if [ -n "$drawn" ]; then
    say_error "$drawn: a property or fuzzer failed, and has no second try: it would draw other inputs"
    return 1
  fi
  local classes
  classes=$(second_tries)
  if [ "$classes" -gt "$SECOND_TRIES" ]; then
    say_error "test classes that failed: $classes (expected: at most $SECOND_TRIES for a second try)"
    return 1
  fi
}

# second_tries: prints the number of classes with a second try.
second_tries() { cut -d ' ' -f 1 "$ROOT/target/second-try.txt" 2>/dev/null | sort -u | wc -l; }

# tell_second_tries CODE: lists them, also when all tests passed in the end (CODE 0).
tell_second_tries() {
  local classes
  classes=$(second_tries)
  [ "$classes" = 0 ] && return 0
  if [ "$1" = 0 ]; then
    say "Test classes that needed a second try: $classes (target/second-try.txt)"
  else
    say "Test classes that failed at first: $classes (target/second-try.txt)"
  fi
  sed 's/^/  /' "$ROOT/target/second-try.txt"
}

# tell_dead_jvms: reports a test JVM that reached its time limit, because no test report contains this.
tell_dead_jvms() {
  ! grep -qaE "$JVM_TOO_LONG" "$ROOT/target/test.log" ||
    say_error "a test JVM ran into its limit of 30 minutes and ended: a test hangs (stack traces of its threads: target/test.log)"
}
