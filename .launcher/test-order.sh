# Two ways to find tests that pass by chance: --strict, without a second try; --shuffle, in another order.

# Every module is tested even when an earlier one failed, so that one run shows all failures; the launcher decides on the result, not Maven.
STRICT=(-Dmaven.test.failure.ignore=true)

# strict_verdict CODE FILE: 0 when Maven's CODE is, no class failed since FILE, and no test JVM died.
strict_verdict() {
  [ "$1" = 0 ] || return 1
  # Not grep -q in a pipe: it ends at the first failure, and the pipe then counts as failed and the verdict as none (pipefail).
  [ -z "$(verdicts_since "$2" | grep '^failed ')" ] && ! grep -qaE "$JVM_DIED|$TESTS_FAILED" "$ROOT/target/test.log"
}

# tell_strict_failures: each class that failed.
tell_strict_failures() {
  local list="$ROOT/$FIRST_FAILURES/classes.txt"
  [ -e "$list" ] || return 0
  say "Test classes that failed: $(cut -d ' ' -f 1 "$list" | sort -u | wc -l) (no second try: --strict)"
  sed 's/^/  /' "$list"
}

# need_seed SEED
need_seed() {
  [[ $1 =~ ^[0-9]{1,18}$ ]] && return 0
  say_error "--shuffle: '$1' (expected: a seed of 1 to 18 digits)"
  exit 2
}

# shuffled_by SEED: Maven's arguments for test classes, and the methods in them, in the random order that SEED gives.
shuffled_by() {
  printf '%s\n' -Dsurefire.runOrder=random "-Dsurefire.runOrder.random.seed=$1" -Dfailsafe.runOrder=random "-Dfailsafe.runOrder.random.seed=$1" \
    "-Djunit.jupiter.execution.order.random.seed=$1" '-Djunit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random' \
    '-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random'
}

# only_named MAVEN ARGS: further arguments for Maven when tests are named: modules without such a test continue, and integration tests run
# only when they are named.
only_named() {
  local arg unit='' integration=''
  for arg; do
    case $arg in
      -Dtest=*) unit=1 ;;
      -Dit.test=*) integration=1 ;;
    esac
  done
  [ -n "$unit$integration" ] || return 0
  printf '%s\n' -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
  [ -n "$integration" ] || printf '%s\n' -DskipITs
  [ -n "$unit" ] || printf '%s\n' -Dtest=NoUnitTest
}

# named_but_absent FILE MAVEN ARGS: whether tests were named and none ran since FILE: a misspelled name must not count as success.
named_but_absent() {
  local mark=$1
  shift
  [ -n "$(only_named "$@")" ] && [ -z "$(verdicts_since "$mark")" ] || return 1
  say_error "no test of that name ran: $*"
}
