# 12 min: CPU per request of the proxy with one worker and with two, at the same rate.
#
# What two event loops share (counters, cache, bookkeeping, budgets of memory) costs more than what one has alone. The proxy runs on both
# cores with the caller and the origin. The rate is half of what one worker carries of this row. In each round each proxy is measured once; `one`
# and `again` are two proxies with the same settings, and their difference is the noise.
#
#   ./komainu bench proxy-workers [--rows hit-10k,pass-10k] [--runs 5] [--seconds 4] [--out DIR]

perform() {
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/workers.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
