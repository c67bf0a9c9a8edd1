# Builds when a source is newer than the last build, and prints one line for each module.

STAMP="$ROOT/target/.built"
BUILD_LOG="$ROOT/target/build.log"

need_build_tools() {
  need_jdk
  provide mvn || exit 3
  if { ! have node || ! have npm; } && may_install && offers nodejs 20; then
    provide node npm
  fi
  if ! have node || ! have npm; then
    say_error "Node.js 20 or newer with npm: not found ($(node --version 2>/dev/null || echo none)). Fix: apt-get install -y nodejs (NodeSource's or Debian 13's packages; Debian 12's own is too old)"
    exit 3
  fi
}

sources_newer() {
  [ ! -e "$STAMP" ] && return 0
  [ -n "$(find "$ROOT/pom.xml" "$ROOT/monitor" "$ROOT/proxy-core" "$ROOT/admin-ui" "$ROOT/src" "$ROOT/docs/api" \
    \( -name target -o -name node_modules -o -name dist -o -name schema.d.ts -o -path '*/test/*' -o -path '*/e2e/*' \) -prune \
    -o -type f -newer "$STAMP" -print -quit)" ]
}

build_if_needed() {
  # The tests run the launcher on what Maven has just packaged.
  [ -n "${KOMAINU_BUILT:-}" ] && return 0
  sources_newer || return 0
  need_build_tools
  build_always
}

# A build runs code of Maven plugins and of the console's tools, with all rights of who builds.
tell_root_build() {
  [ "$(id -u)" = 0 ] || return 0
  say "Building as root: the tools of the build run with all rights of root. Safer: build as an ordinary user (./komainu build), then start as root."
}

# Maven copies resources and deletes none: a migration that moved to another directory would be there twice, and the service would not start.
drop_stale_resources() {
  rm -rf "$ROOT/src/target/classes/db"
}

build_always() {
  mkdir -p "$ROOT/target"
  drop_stale_resources
  local begun=$SECONDS mark
  mark=$(mktemp) # older than anything edited while the build runs
  tell_root_build
  say "${BOLD}Building Komainu${PLAIN} (the first time fetches libraries; log: target/build.log)"
  (cd "$ROOT" && mvn -B -ntp -Dstyle.color=never package -DskipTests "$@") 2>&1 | tee "$BUILD_LOG" |
    sed -un -e 's/^\[INFO\] Building \(.*[^ ]\) *\[\([0-9]*\)\/\([0-9]*\)\]$/  [\2\/\3] \1/p' -e '/^\[ERROR\].*\.\(java\|ts\|vue\)/p'
  if [ "${PIPESTATUS[0]}" != 0 ]; then
    grep '^\[ERROR\]' "$BUILD_LOG" | head -12 >&2
    rm -f "$mark"
    say_error "build failed (complete output: target/build.log)"
    exit 1
  fi
  mv "$mark" "$STAMP"
  practise
  say_step "Built in $((SECONDS - begun)) s."
}
