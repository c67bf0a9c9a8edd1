# Stacks of JFR's samples, one a line, outermost frame first, with their count: what flame graph programs read. Usage:
#   jfr print --stack-depth 64 --events ExecutionSample,CPUTimeSample FILE.jfr | awk -f .launcher/folded-stacks.awk
/^jdk\./ { depth = 0; inside = 0 }
/stackTrace = \[/ { inside = 1; next }
inside && /^ *\]/ {
  stack = frame[depth]
  for (i = depth - 1; i > 0; i--) stack = stack ";" frame[i]
  if (depth) count[stack]++
  inside = 0
}
inside && /\(/ { sub(/^ +/, ""); sub(/\(.*/, ""); frame[++depth] = $0 }
END { for (stack in count) print stack, count[stack] }
