# The complete reports of test classes that failed first: target/first-failures/MODULE/ keeps them before a second try overwrites
# them. Also the failures that get no second try. See docs/decisions/0047.

FIRST_FAILURES=target/first-failures

# keep_first_failures FILE: copies the reports of the classes that failed since FILE, with what Surefire wrote beside them, and what JVMs that
# died left behind. A copy that is there stays: the first failure counts. classes.txt has a line a class: its name, method and message.
keep_first_failures() {
  local verdict class report module kept file
  while read -r verdict class report; do
    [ "$verdict" = failed ] || continue
    kept=$(kept_for "$report")
    [ -e "$kept/${report##*/}" ] && continue
    mkdir -p "$kept"
    printf '%s %s\n' "$class" "$(first_failure "$report")" >>"$ROOT/$FIRST_FAILURES/classes.txt"
    file=${report##*/TEST-} file=${report%/*}/${file%.xml}
    cp -p "$report" "$kept/"
    for file in "$file.txt" "$file-output.txt"; do
      [ ! -e "$file" ] || cp -p "$file" "$kept/"
    done
  done < <(verdicts_since "$1")
  find "$ROOT" -maxdepth 6 \( -name node_modules -o -name .git \) -prune -o \
    -path '*/target/*-reports/*' \( -name '*.dump' -o -name '*.dumpstream' \) -newer "$1" -print |
    while IFS= read -r file; do
      kept=$(kept_for "$file")
      mkdir -p "$kept" && cp -p "$file" "$kept/"
    done
}

# kept_for REPORT: where a module's reports are kept.
kept_for() {
  local module=${1%/target/*}
  module=${module#"$ROOT"}
  printf '%s/%s%s\n' "$ROOT" "$FIRST_FAILURES" "$module"
}

# draws_its_inputs CLASS REPORT: whether one of the failed tests is a property or a fuzzer. Its second try would draw other inputs, and pass.
# A property is recognized by jqwik's frames in its stack; when the stack is cut off (StackOverflowError), by its annotation in the source.
draws_its_inputs() {
  case ${1##*.} in
    *FuzzTest) return 0 ;;
  esac
  awk '
    /^ *<(failure|error)[ >]/ { inside = 1 }
    inside && /^[ \t]*at net\.jqwik\.engine\./ { found = 1; exit }
    /<\/(failure|error)>/ { inside = 0 }
    END { exit !found }' "$2" && return 0
  local source module=${2%/target/*}
  for source in "$module/src/test/java/${1//.//}.java" "$module/test/java/${1//.//}.java"; do
    [ -e "$source" ] || continue
    awk '
      NR == FNR {
        if (/^ *<testcase /) { method = $0; sub(/.* name="/, "", method); sub(/["(\[{].*/, "", method) }
        if (/^ *<(failure|error)[ >]/) failed[method] = 1
        next
      }
      /^ *@Property/ { property = 1; next }
      /^ *@/ || !/\(/ { next }
      {
        name = $0; sub(/ *\(.*/, "", name); sub(/.* /, "", name)
        if (property && name in failed) found = 1
        property = 0
      }
      END { exit !found }' "$2" "$source" && return 0
  done
  return 1
}

# tell_first_failures: prints the folder, and the command that repeats a failed property or fuzzer with the same inputs.
tell_first_failures() {
  [ -d "$ROOT/$FIRST_FAILURES" ] || return 0
  say "Complete reports of the first failures: $FIRST_FAILURES/"
  grep -ahoE 'Again: \./komainu test .*' "$ROOT/target/test.log" | LC_ALL=C sort -u | sed 's/^/  /'
}
