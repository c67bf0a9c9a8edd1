# 75 min: p99 of a peak of four times the rate that begins a minute after a restart, to the p99 of the same peak an hour later.
#
# The server is alone with its traffic on core 1, its callers and its origin are on core 0; a cache of 64 MB. When the server serves, base
# traffic begins: hits by Zipf's law on kept connections. 60 s later the peak is added for 20 s: new clients, new objects, and new clients with new
# objects, each at the base rate. All of it is in open loop, and 35 % of what a warm proxy carries of this mix in closed loop, which the bench measures
# first (an open loop costs more for each request: that is two thirds of a core). Then the process gets base traffic for --later minutes, and the same peak again with other new objects. Komainu with its default settings, with
# `warm-up: 20s`, and nginx; while one has its peak, the others have no traffic.
#
#   ./komainu bench proxy-restart [--later 60] [--runs 1] [--seconds 20] [--share 35] [--peers default,warm-up,nginx] [--out DIR]
#
# Exit code 0: the first p99 is within 1.5 of the later one, and no response was wrong, with both settings of Komainu; 1: not.

perform() {
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/restart.py" --java "${JAVA_COMMAND[*]@Q}" "$@"
}
