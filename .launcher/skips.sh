# Tests that were skipped, with their reasons. Each run prints them at its end, because a skipped test proves nothing.

# skip_reasons: a line for each skipped test in the reports named on standard input (zeros between them).
skip_reasons() {
  xargs -0r awk '
    /^ *<skipped/ {
      said = $0
      # As an attribute, or before the stack trace behind the name of the exception.
      if (sub(/.* message="/, "", said)) sub(/".*/, "", said)
      else if (!sub(/.*<!\[CDATA\[[A-Za-z0-9_.$]+: /, "", said)) said = "no reason given"
      sub(/\]\]>.*/, "", said)
      sub(/^Assumption failed: /, "", said)
      gsub(/&#10;|&#13;/, " ", said); gsub(/&lt;/, "<", said); gsub(/&gt;/, ">", said); gsub(/&quot;/, "\"", said); gsub(/&apos;|&#39;/, "\047", said); gsub(/&amp;/, "\\&", said)
      print substr(said, 1, 300)
    }'
}

# by_reason: reasons on standard input, each once, with its count, the most frequent first.
by_reason() { LC_ALL=C sort | LC_ALL=C uniq -c | LC_ALL=C sort -k1,1nr -k2 | sed -E 's/^ *([0-9]+) (.*)/\1\t\2/' | awk -F '\t' '{ printf "  %5d  %s\n", $1, $2 }'; }

# tell_skips FILE: prints the number of skipped tests in reports written after FILE, and the reasons. Fails when there were any.
tell_skips() {
  local reasons
  reasons=$(find "$ROOT" -maxdepth 6 \( -name node_modules -o -name .git -o -name matrix \) -prune -o -path '*/target/*-reports/TEST-*.xml' -newer "$1" -print0 | skip_reasons)
  [ -n "$reasons" ] || return 0
  say "Tests skipped: $(wc -l <<<"$reasons")"
  by_reason <<<"$reasons"
  return 1
}
