# 1 s: which measured tables of docs/ speak of code that has changed since they were measured.
#
#   ./komainu bench check [--mark] [--markers] [--files]
#
#   --mark      write a note beside each stale table, and take it away where the table is fresh
#   --markers   only whether every measured table has a marker whose rooms exist; needs no history
#   --files     name the files that changed
#
# Exit code 0: every measured table has a marker whose rooms exist, stale or not.

perform() {
  python3 -B "$ROOT/.launcher/bench/check.py" --root "$ROOT" "$@"
}
