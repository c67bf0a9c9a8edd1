# What this machine has: JDK, Maven, npm, libpcap, servers, free ports.

JAVA_LEVEL=25

# Prints the home of a JDK of the right level, also where `java` on the PATH is older.
find_jdk() {
  local home
  for home in "${KOMAINU_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /opt/jdk* /opt/java/*; do
    if [ -n "$home" ] && [ -x "$home/bin/javac" ] && grep -qs "^JAVA_VERSION=\"$JAVA_LEVEL[.\"+]" "$home/release"; then
      readlink -f "$home"
      return 0
    fi
  done
  home=$(command -v javac 2>/dev/null) && home=$(dirname "$(dirname "$(readlink -f "$home")")") &&
    grep -qs "^JAVA_VERSION=\"$JAVA_LEVEL[.\"+]" "$home/release" && printf '%s\n' "$home"
}

# Maven runs on this JDK too: the style check parses sources with the parser of Maven's own JVM, and an older one refuses newer syntax.
need_jdk() {
  JDK=$(find_jdk) && export JAVA_HOME=$JDK && return 0
  if may_install && offers "$(package_of jdk)" "$JAVA_LEVEL" && provide jdk; then
    JDK=$(find_jdk) && export JAVA_HOME=$JDK && return 0
  fi
  say_error "JDK $JAVA_LEVEL: none found (looked at KOMAINU_JAVA_HOME, JAVA_HOME, /usr/lib/jvm, ~/.sdkman, ~/.jdks). Fix: $(remedy_jdk)"
  exit 3
}

remedy_jdk() { printf 'apt-get install -y temurin-%s-jdk (Adoptium'"'"'s Debian packages), or unpack any JDK %s and set KOMAINU_JAVA_HOME' "$JAVA_LEVEL" "$JAVA_LEVEL"; }

# Prints the name of the Debian package of a program.
package_of() {
  case "$1" in
    jdk) echo "openjdk-$JAVA_LEVEL-jdk-headless" ;;
    mvn) echo maven ;;
    npm | node) echo "nodejs npm" ;;
    libpcap) echo libpcap0.8 ;;
    postgres) echo postgresql ;;
    ab) echo apache2-utils ;;
    promtool) echo prometheus ;;
    nghttp | h2load) echo nghttp2-client ;;
    apache2) echo apache2 ;;
    nginx) echo nginx-light ;;
    localedata) echo locales ;;
    japanese-font) echo fonts-noto-cjk ;;
    tomcat) echo "tomcat10-common libtomcat10-java" ;;
    varnishd) echo varnish ;;
    uwsgi) echo "uwsgi-core uwsgi-plugin-python3" ;;
    ip | tc) echo iproute2 ;;
    ps) echo procps ;;
    cc) echo "gcc libc6-dev" ;;
    fuse-headers) echo "libfuse3-dev fuse3" ;;
    openssl-headers) echo libssl-dev ;;
    nghttp2-headers) echo libnghttp2-dev ;;
    omniNames) echo omniorb-nameserver ;;
    nameclt | catior) echo omniorb ;;
    websockets) echo "python3 python3-websockets" ;;
    gnuplot) echo gnuplot-nox ;;
    testssl) echo testssl.sh ;;
    xz) echo xz-utils ;;
    taskset | nsenter | prlimit) echo util-linux ;;
    *) echo "$1" ;;
  esac
}

have() {
  case "$1" in
    jdk) find_jdk >/dev/null ;;
    libpcap) ldconfig -p 2>/dev/null | grep -q 'libpcap\.so' || ls /usr/lib/*/libpcap.so* >/dev/null 2>&1 ;;
    capture) holds 13 || getcap "${JDK:-$(find_jdk)}/bin/java" 2>/dev/null | grep -q cap_net_raw ;;
    openssl-headers) [ -e /usr/include/openssl/ssl.h ] ;;
    nghttp2-headers) [ -e /usr/include/nghttp2/nghttp2.h ] ;;
    fuse-headers) [ -e /usr/include/fuse3/fuse.h ] && command -v fusermount3 >/dev/null 2>&1 ;;
    websockets) /usr/bin/python3 -c 'import websockets' 2>/dev/null ;;
    japanese-font) [ -e /usr/share/fonts/opentype/noto ] || fc-list :lang=ja 2>/dev/null | grep -q . ;;
    localedata) [ -e /usr/share/i18n/locales/fa_IR ] || [ -e /usr/share/i18n/locales/fa_IR.gz ] ;;
    postgres) ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ;;
    tomcat) [ -e /usr/share/tomcat10/bin/bootstrap.jar ] ;;
    php-fpm) ls /usr/sbin/php-fpm* >/dev/null 2>&1 ;;
    uwsgi) command -v uwsgi-core >/dev/null 2>&1 && ls /usr/lib/uwsgi/plugins/python3* >/dev/null 2>&1 ;;
    node) command -v node >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0] >= 20 ? 1 : 0' 2>/dev/null)" = 1 ] ;;
    # Debian keeps servers in sbin, which a user's PATH may lack.
    *) command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] ;;
  esac
}

# holds BIT: whether this process has a capability, by its number in capabilities(7): 12 NET_ADMIN, 13 NET_RAW, 21 SYS_ADMIN. Root in a
# container lacks some.
holds() {
  local mask
  mask=$(awk '/^CapEff:/ { print $2 }' /proc/self/status 2>/dev/null)
  [ $((0x${mask:-0} >> $1 & 1)) = 1 ]
}

install_command() {
  local thing packages=''
  for thing in "$@"; do packages+=" $(package_of "$thing")"; done
  printf 'apt-get install -y --no-install-recommends%s' "$packages"
}

# Whether packages can be installed: as root, on Debian, and the user has not forbidden it.
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -z "${KOMAINU_NO_INSTALL:-}" ]; }

# offers PACKAGE MAJOR: whether Debian's registries have this package in this version or a newer one.
offers() {
  local major
  apt-get update >/dev/null 2>&1
  major=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p')
  [ "${major:-0}" -ge "$2" ]
}

# Installs the Debian packages of the named programs that are missing; prints the command when it has no permission.
provide() {
  local thing missing=()
  for thing in "$@"; do have "$thing" || missing+=("$thing"); done
  [ ${#missing[@]} = 0 ] && return 0
  if ! may_install; then
    say_error "missing: ${missing[*]}. Fix: sudo $(install_command "${missing[@]}")"
    return 3
  fi
  say_step "Installing ${missing[*]} …"
  local begun=$SECONDS
  # A fresh package must not start its service: policy-rc.d is Debian's own switch for that.
  local policy=/usr/sbin/policy-rc.d made=''
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && made=yes
  fi
  local log
  log=$(mktemp)
  (apt-get update && DEBIAN_FRONTEND=noninteractive $(install_command "${missing[@]}")) >"$log" 2>&1
  local rc=$?
  [ -n "$made" ] && rm -f "$policy"
  if [ $rc != 0 ]; then
    tail -5 "$log" >&2
    say_error "missing: ${missing[*]} (apt-get failed). Fix: $(install_command "${missing[@]}")"
  fi
  rm -f "$log"
  for thing in "${missing[@]}"; do have "$thing" || return 3; done
  say "  installed in $((SECONDS - begun)) s"
}

port_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# http_status PORT PATH: the status of a GET on loopback, without needing curl; 000 when there is no response.
http_status() {
  local line
  {
    exec 3<>"/dev/tcp/127.0.0.1/$1" &&
      printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$2" "$1" >&3 &&
      IFS= read -r -t 3 line <&3 && exec 3>&-
  } 2>/dev/null
  line=${line:-HTTP/1.1 000}
  line=${line#* }
  printf '%s\n' "${line%% *}"
}
