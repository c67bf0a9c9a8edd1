# 3 min: the proxy's HTTP/2 and TLS, as tools see them that this project did not write.
#
# h2spec (every case, none skipped) over clear text and over TLS, and testssl.sh: nothing weak, and the protocols, suites and groups of
# Mozilla's intermediate profile. What testssl.sh says of the certificate (made for this run), of DNS and of the origin's fields is left out.
# h2spec is taken from the PATH; otherwise Go's compiler makes it in target/bench.
#
#   ./komainu bench proxy-conformance [--out DIR]
#
# Exit code 0: all passed; 1: a finding; 3: a tool is missing.

perform() {
  local out="$ROOT/target/bench/proxy-conformance" h2spec tools="$ROOT/target/bench/tools"
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) need_value "$1" $# && out=$2 && shift ;;
      *) wrong_option "bench proxy-conformance" "$1" ;;
    esac
    shift
  done
  provide testssl || exit 3
  h2spec=$(command -v h2spec || echo "$tools/h2spec")
  if [ ! -x "$h2spec" ]; then
    have go || { say_error "missing: h2spec. Fix: install Go, or put h2spec 2.2 or newer into the PATH" && exit 3; }
    say_step "Compiling h2spec 2.2.1 …"
    GOBIN=$tools go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible || exit 3
  fi
  mkdir -p "$out" || exit 1
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/conformance.py" --java "${JAVA_COMMAND[*]@Q}" --h2spec "$h2spec" --out "$out"
}
