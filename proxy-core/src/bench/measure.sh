#!/bin/bash
# CPU per request of one server, which must run already, alone on core 1: measure.sh NAME URL PID WARM_UP_SECONDS
# For each path one warm-up, then three runs of 8 s; CPU time is what /proc/PID/stat gained (user + system).
name=$1; base=$2; pid=$3; warm=$4
tick=$((1000000 / $(getconf CLK_TCK)))
cpu() { awk '{print $14 + $15}' "/proc/$pid/stat"; }
for path in 10k 1k pass10k; do
  taskset -c 0 wrk -t1 -c64 -d"${warm}s" "$base/$path" > /dev/null
  for run in 1 2 3; do
    before=$(cpu); out=$(taskset -c 0 wrk -t1 -c64 -d8s --latency "$base/$path"); after=$(cpu)
    echo "$out" | awk -v name="$name $path" -v micros=$(((after - before) * tick)) '
      /requests in/ {n = $1} /^Requests.sec/ {rate = $2} /^ +50%/ {half = $2} /^ +99%/ {most = $2}
      /Non-2xx|Socket errors/ {wrong = $0}
      END {printf "%s requests/s=%s p50=%s p99=%s cpuMicros=%.1f %s\n", name, rate, half, most, micros / n, wrong}'
  done
done
