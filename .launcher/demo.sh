# The demo: a real web server with a real limit, and visitors. All figures that the console shows are measured.
# Apache prefork with eight processes when the machine has Apache (a small version of the thesis's experiment 3.4), else nginx
# with few connections, else a bundled server of eight threads.

DEMO_WORKERS=8
# Seconds of few visitors before and after each peak.
DEMO_QUIET=40
# A verification fits into the peak: 30 s before the change, 15 s to settle, 40 s after it.
DEMO_CENTRAL=(--komainu.verify.baseline=30s --komainu.verify.settle=15s --komainu.verify.after=40s)
# Seconds that an agent has to start the server which it stopped.
DEMO_RESTART=10

# Sets DEMO_SERVER_COMMAND and starts it as the part "demo-server". All accounts can read its files, and only their owner can write them, whatever the umask.
start_demo_server() {
  local mask rc
  mask=$(umask)
  umask 022
  make_demo_server
  rc=$?
  umask "$mask"
  return $rc
}

make_demo_server() {
  # Apache and nginx open their logs before they give up root. No other account may write there: a file that root opens must not be a link of another account.
  rm -rf "$DATA"/komainu-demo.?????? # of a launcher that was killed
  DEMO_DIR=$(mktemp -d "$DATA/komainu-demo.XXXXXX") && chmod 755 "$DEMO_DIR" || return 1
  if ! demo_is_readable "$DEMO_DIR"; then
    rm -rf "$DEMO_DIR"
    DEMO_DIR=$(mktemp -d /var/tmp/komainu-demo.XXXXXX) && chmod 755 "$DEMO_DIR" || return 1
    say "  The demo's files are in $DEMO_DIR: www-data, who serves them, cannot pass through to $DATA"
  fi
  mkdir -p "$DEMO_DIR"/{www/page,app,logs} || return 1
  demo_pages "$DEMO_DIR/www"
  local path="$PATH:/usr/sbin:/usr/local/sbin"
  if DEMO_PROGRAM=$(PATH=$path command -v apache2) && [ -e /usr/lib/apache2/modules/mod_mpm_prefork.so ]; then
    DEMO_KIND=apache
    demo_apache >"$DEMO_DIR/apache2.conf"
    DEMO_SERVER_COMMAND=("$DEMO_PROGRAM" -d "$DEMO_DIR" -f "$DEMO_DIR/apache2.conf" -D FOREGROUND)
  elif DEMO_PROGRAM=$(PATH=$path command -v nginx); then
    DEMO_KIND=nginx
    demo_nginx >"$DEMO_DIR/nginx.conf"
    DEMO_SERVER_COMMAND=("$DEMO_PROGRAM" -p "$DEMO_DIR" -c "$DEMO_DIR/nginx.conf" -g 'daemon off;' -e "$DEMO_DIR/logs/error.log")
  else
    DEMO_KIND=bundled
    part_command demo-origin
    DEMO_SERVER_COMMAND=("${JAVA_COMMAND[@]}" --port "$ORIGIN_PORT" --workers "$DEMO_WORKERS" --root "$DEMO_DIR/www")
  fi
  say_step "Starting the demo server ($DEMO_KIND) …"
  PART_ORDER+=(demo-server)
  launch demo-server "${DEMO_SERVER_COMMAND[@]}"
  wait_healthy demo-server "$ORIGIN_PORT" /page/1.html 30
}

demo_pages() {
  local i size
  for i in $(seq 1 200); do
    size=$((2000 + i * 7919 % 18000))
    {
      printf '<!doctype html><title>Page %d</title><p>' "$i"
      head -c "$size" /dev/zero | tr '\0' 'k'
    } >"$1/page/$i.html"
  done
  mkdir -p "$1/app"
  head -c 24576 /dev/zero | tr '\0' 'a' >"$1/app/answer"
}

demo_apache() {
  cat >"$DEMO_DIR/app/answer" <<'TEXT'
#!/bin/sh
# An application that waits for its database: 0.2 s during which one server process is busy.
sleep 0.2
printf 'Content-Type: text/html\r\nCache-Control: no-store\r\n\r\n<!doctype html><title>answer</title>\n'
TEXT
  chmod 755 "$DEMO_DIR/app/answer"
  cat <<TEXT
# Komainu's demo server: prefork with so few processes that the peak saturates it. Raise MaxRequestWorkers to see
# the effect, then: kill -USR1 \$(cat $DEMO_DIR/logs/pid)
ServerName 127.0.0.1
Listen 127.0.0.1:$ORIGIN_PORT
LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule cgi_module /usr/lib/apache2/modules/mod_cgi.so
$([ "$(id -u)" = 0 ] && printf 'User www-data\nGroup www-data')
PidFile $DEMO_DIR/logs/pid
ErrorLog $DEMO_DIR/logs/error.log
LogFormat "%h %l %u %t \"%r\" %>s %b %D" timed
CustomLog $DEMO_DIR/logs/access.log timed
Mutex file:$DEMO_DIR/logs
TypesConfig /etc/mime.types
StartServers $DEMO_WORKERS
MinSpareServers $DEMO_WORKERS
MaxSpareServers $DEMO_WORKERS
ServerLimit 64
MaxRequestWorkers $DEMO_WORKERS
KeepAlive Off
DocumentRoot $DEMO_DIR/www
Header set Cache-Control "public, max-age=60" "expr=%{REQUEST_URI} =~ m#^/page/#"
ScriptAlias /app/ $DEMO_DIR/app/
<Directory $DEMO_DIR>
  Require all granted
</Directory>
TEXT
}

demo_nginx() {
  cat <<TEXT
# Komainu's demo server: so few connections that the peak saturates it. Raise worker_connections to see the effect,
# then: kill -HUP \$(cat $DEMO_DIR/logs/pid)
worker_processes 1;
pid $DEMO_DIR/logs/pid;
error_log $DEMO_DIR/logs/error.log;
$([ "$(id -u)" = 0 ] && echo 'user www-data;')
events { worker_connections 128; }
http {
  access_log $DEMO_DIR/logs/access.log;
  client_body_temp_path $DEMO_DIR/logs/body; proxy_temp_path $DEMO_DIR/logs/proxy; fastcgi_temp_path $DEMO_DIR/logs/fcgi;
  uwsgi_temp_path $DEMO_DIR/logs/uwsgi; scgi_temp_path $DEMO_DIR/logs/scgi;
  keepalive_timeout 0;
  default_type text/html;
  server {
    listen 127.0.0.1:$ORIGIN_PORT;
    root $DEMO_DIR/www;
    location /page/ { add_header Cache-Control "public, max-age=60"; }
    # 24 kilobytes at 8 KB a second: each response holds a connection for three seconds.
    location /app/ { add_header Cache-Control no-store; limit_rate 8k; }
  }
}
TEXT
}

demo_story() {
  say "  Demo      a limited server ($DEMO_KIND) on 127.0.0.1:$ORIGIN_PORT, visitors through the proxy: quiet for $DEMO_QUIET s, a"
  say "            peak above its capacity for $DEMO_PEAK s, quiet again. At the peak: Overview, Diagnose, Apply; the verdict comes after a minute."
  [ "$DEMO_KIND" != bundled ] && say "            Its configuration: $(ls "$DEMO_DIR"/*.conf)"
}

# Started by root, the servers read the pages as www-data, who must be able to pass through every directory above.
demo_is_readable() {
  [ "$(id -u)" != 0 ] || ! id www-data >/dev/null 2>&1 ||
    setpriv --reuid www-data --regid www-data --clear-groups test -r "$1" 2>/dev/null
}

remove_demo_dir() {
  case "${DEMO_DIR:-}" in */komainu-demo.*) rm -rf "$DEMO_DIR" ;; esac
}

# Whether the agent restarts the demo server by an order of the console, or has just done so. The new process becomes the part.
demo_server_is_restarted() {
  local pid
  pid=$(cat "$DEMO_DIR/logs/pid" 2>/dev/null)
  if [ -n "$pid" ] && [ "$pid" != "${PART_PID[demo-server]}" ] && kill -0 "$pid" 2>/dev/null; then
    PART_PID[demo-server]=$pid DEMO_ENDED=''
    echo "$pid" >"$DATA/run/demo-server.pid"
    return 0
  fi
  [ -n "$DEMO_CHANGES" ] || return 1
  DEMO_ENDED=${DEMO_ENDED:-$SECONDS}
  [ $((SECONDS - DEMO_ENDED)) -lt "$DEMO_RESTART" ] && return 0
  DEMO_ENDED=''
  return 1
}
