# A list of what is missing on this machine, with the commands that install it.

doctor() {
  local install=''
  for option in "$@"; do
    case "$option" in
      --install) install=yes ;;
      --help | -h)
        say "doctor [--install]   lists what is missing on this machine, and the command that installs it; --install runs it (root)."
        return 0
        ;;
      *) wrong_option doctor "$option" ;;
    esac
  done
  local broken=0
  local -a for_run=(mvn libpcap) for_tests=(nginx apache2 squid haproxy postgres clickhouse-server xz tomcat gunicorn php-fpm uwsgi ab wrk promtool tcpdump tcpreplay tshark tcptrace nghttp openssl chromium ip ps curl vsftpd omniNames nameclt websockets localedata japanese-font fuse-headers)
  local -a for_benches=(cc gnuplot python3 taskset)
  [ -n "$install" ] && provide "${for_run[@]}" "${for_tests[@]}" "${for_benches[@]}"

  say "${BOLD}To build and run${PLAIN}"
  local jdk
  if jdk=$(find_jdk); then
    check_line ok "JDK $JAVA_LEVEL" "$jdk"
  else
    check_line missing "JDK $JAVA_LEVEL" "$(remedy_jdk)"
    broken=3
  fi
  check mvn "Maven" "$(mvn -v 2>/dev/null | head -1 | tr -d '\033' | sed 's/\[[0-9]*m//g')" || broken=3
  check node "Node.js 20+" "$(node --version 2>/dev/null)" || broken=3
  check npm "npm" "$(npm --version 2>/dev/null)" || broken=3
  check libpcap "libpcap (without it: no packet indices)" "$(ldconfig -p 2>/dev/null | sed -n 's/.*libpcap.so[^ ]* .*=> //p' | head -1)"
  if holds 13; then
    check_line ok "capture permission" "NET_RAW"
  elif have capture; then
    check_line ok "capture permission" "cap_net_raw on ${jdk:-JDK}/bin/java"
    check_line missing "no capability on a shared java (each user's Java programs have it)" "sudo setcap -r ${jdk:-JDK}/bin/java"
  else
    check_line missing "capture permission (without it: no packet indices)" "sudo ./komainu up, or for the agent alone: sudo KOMAINU_RUN_AS=$(id -un) ./komainu agent …, or a unit (docs/security.md)"
  fi
  say "${BOLD}For the tests, and for a demo with a real server${PLAIN}"
  local tool
  for tool in "${for_tests[@]}"; do check "$tool" "$tool" "$(command -v "$tool" || ls "/usr/sbin/$tool"* /usr/lib/postgresql/*/bin/"$tool" 2>/dev/null)"; done
  say "${BOLD}For the papers' experiments (bench)${PLAIN}"
  for tool in "${for_benches[@]}"; do check "$tool" "$tool" "$(command -v "$tool")"; done
  doctor_lines
  return $broken
}

# Optional settings of the kernel for lines between organizers.
doctor_lines() {
  say "${BOLD}For lines between organizers${PLAIN}"
  if [ "$(cat /proc/sys/net/ipv4/tcp_slow_start_after_idle 2>/dev/null)" = 0 ]; then
    check_line ok "no slow start after idle" "net.ipv4.tcp_slow_start_after_idle = 0"
  else
    check_line missing "no slow start after idle (otherwise idle lines start slowly again)" "sudo sysctl -w net.ipv4.tcp_slow_start_after_idle=0"
  fi
  if grep -qsw bbr /proc/sys/net/ipv4/tcp_available_congestion_control; then
    check_line ok "congestion control BBR" "$(cat /proc/sys/net/ipv4/tcp_available_congestion_control)"
  else
    check_line missing "congestion control BBR (otherwise packet loss reduces the rate of a line to a fraction)" "sudo modprobe tcp_bbr"
  fi
}

check() {
  if have "$1"; then
    check_line ok "$2" "$3"
  else
    check_line missing "$2" "$(install_command "$1")"
    return 1
  fi
}

check_line() {
  if [ "$1" = ok ]; then
    printf '  %sok%s       %-44s %s\n' "$GREEN" "$PLAIN" "$2" "$3"
  else
    printf '  %smissing%s  %-44s fix: %s\n' "$RED" "$PLAIN" "$2" "$3"
  fi
}
