# 5 min: the proxy's HTTP/2, TLS and cache, as tools see them that this project did not write.
#
# h2spec (every case, none skipped) over clear text and over TLS, and testssl.sh: nothing weak, and the protocols, suites and groups of
# Mozilla's intermediate profile. What testssl.sh says of the certificate (made for this run), of DNS and of the origin's fields is left out.
# h2spec is taken from the PATH; otherwise Go's compiler makes it in target/bench.
#
# cache-tests is the public suite of HTTP cache tests (http-tests/cache-tests), over HTTP/1.1 and over HTTP/2 with one client (undici). A test
# must pass unless docs/decisions/0040-parts-and-the-cache-tests.md names it, and its result must not depend on the protocol.
#
#   ./komainu bench proxy-conformance [--only LIST] [--cache-tests REPOSITORY] [--out DIR]
#
#   --only LIST                parts, separated by commas (default: h2spec,testssl,cache-tests)
#   --cache-tests REPOSITORY   a clone of the suite for a machine without access to its repository; must contain the commit below
#
# Exit code 0: all passed; 1: a finding; 3: a tool is missing.

CACHE_TESTS=b55b8bda3dbb8c927c04e85bd8d496a8caa3e4ba
UNDICI=7.30.2

perform() {
  local out="$ROOT/target/bench/proxy-conformance" only=h2spec,testssl,cache-tests repository=https://github.com/http-tests/cache-tests.git part
  local tools="$ROOT/target/bench/tools" h2spec arguments=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) need_value "$1" $# && out=$2 && shift ;;
      --only) need_value "$1" $# && only=$2 && shift ;;
      --cache-tests) need_value "$1" $# && repository=$2 && shift ;;
      *) wrong_option "bench proxy-conformance" "$1" ;;
    esac
    shift
  done
  for part in ${only//,/ }; do
    case "$part" in
      h2spec)
        h2spec=$(command -v h2spec || echo "$tools/h2spec")
        if [ ! -x "$h2spec" ]; then
          have go || { say_error "missing: h2spec. Fix: install Go, or put h2spec 2.2 or newer into the PATH" && exit 3; }
          say_step "Compiling h2spec 2.2.1 …"
          GOBIN=$tools go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible || exit 3
        fi
        arguments+=(--h2spec "$h2spec")
        ;;
      testssl)
        provide testssl || exit 3
        arguments+=(--testssl)
        ;;
      cache-tests)
        provide_cache_tests "$tools/cache-tests" "$repository" || exit 3
        arguments+=(--cache-tests "$tools/cache-tests")
        ;;
      *) say_error "--only: $part (expected: h2spec, testssl, cache-tests)" && exit 2 ;;
    esac
  done
  mkdir -p "$out" || exit 1
  PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/.launcher/bench/peers/conformance.py" --java "${JAVA_COMMAND[*]@Q}" --out "$out" "${arguments[@]}"
}

# provide_cache_tests DIRECTORY REPOSITORY: the suite at its commit, and the client, which the suite finds in the directory above its own.
provide_cache_tests() {
  provide node npm git || return 3
  mkdir -p "$1" || return 1
  if [ "$(cat "$1/commit" 2>/dev/null)" != "$CACHE_TESTS" ]; then
    say_step "Fetching http-tests/cache-tests at ${CACHE_TESTS:0:7} …"
    rm -rf "$1/suite" "$1/repository"
    mkdir "$1/suite" && git init -q --bare "$1/repository" || return 1
    if ! git -C "$1/repository" fetch -q --depth 1 "$2" "$CACHE_TESTS"; then
      say_error "missing: http-tests/cache-tests at $CACHE_TESTS ($2 does not give it). Fix: --cache-tests REPOSITORY, a clone that contains this commit; without the suite: --only h2spec,testssl"
      return 3
    fi
    git -C "$1/repository" archive FETCH_HEAD test-engine tests package.json | tar -x -C "$1/suite" || return 1
    rm -rf "$1/repository"
    echo "$CACHE_TESTS" >"$1/commit"
  fi
  if [ "$(node -p 'require(process.argv[1]).version' "$1/node_modules/undici/package.json" 2>/dev/null)" != "$UNDICI" ] &&
    ! npm install --silent --no-save --prefix "$1" "undici@$UNDICI" >&2; then
    say_error "missing: undici $UNDICI (npm does not give it). Fix: npm install --prefix $1 undici@$UNDICI; without the suite: --only h2spec,testssl"
    return 3
  fi
}
