# 1 s: which measured tables of docs/ describe code that has changed since they were measured
#
#   ./komainu bench check [--mark] [--markers] [--files]
#
#   --mark      writes a note beside each stale table, and removes it where the table is fresh
#   --markers   only checks that every measured table has a marker whose rooms exist; needs no history
#   --files     names the files that changed
#
# Exit code 0: every measured table has a marker whose rooms exist, stale or not.

perform() {
  python3 -B "$ROOT/.launcher/bench/check.py" --root "$ROOT" "$@"
}
