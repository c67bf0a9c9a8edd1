# The demo's scenes: each is a real server with one real limit, and visitors who need more than it gives at the peak. Each sets DEMO_KIND (the
# server), DEMO_SERVER_COMMAND and DEMO_LIMIT (the limit, for people).

# What each scene needs to be installed.
scene_programs() {
  case "$1" in
    connections) echo nginx ;;
    origin) echo nginx php-fpm ;;
    *) echo apache2 ;;
  esac
}

is_scene() { case "$1" in workers | cpu | connections | origin | memory) return 0 ;; *) return 1 ;; esac; }

# The visitors: requests per second of pages (cached for a minute) and of the application, quiet and at the peak.
scene_load() {
  case "$1" in
    memory) echo --application 8,40 --peak-query keep=24 ;;
    *) echo --application 8,60 ;;
  esac
}

# Without Apache a server stands in: nginx with few connections, else a bundled server of few threads.
scene_workers() {
  if program_at apache2; then
    DEMO_KIND=apache DEMO_LIMIT="$DEMO_WORKERS processes, 0.2 s for each request"
    demo_apache "$DEMO_WORKERS" "$(lua_answer 'r.usleep(200000)')" >"$DEMO_DIR/apache2.conf"
    apache_command
  elif program_at nginx; then
    scene_connections
  else
    DEMO_KIND=bundled DEMO_LIMIT="$DEMO_WORKERS threads"
    part_command demo-origin
    DEMO_SERVER_COMMAND=("${JAVA_COMMAND[@]}" --port "$ORIGIN_PORT" --workers "$DEMO_WORKERS" --root "$DEMO_DIR/www")
  fi
}

scene_connections() {
  program_at nginx || missing_program nginx || return 1
  DEMO_KIND=nginx DEMO_LIMIT='128 connections, held for 3 s by each response'
  demo_nginx 'worker_connections 128' 'limit_rate 8k;' >"$DEMO_DIR/nginx.conf"
  nginx_command
}

# nginx is the server that visitors see; a pool of few PHP processes behind it, at a Unix socket as in Debian, serves them.
scene_origin() {
  program_at nginx || missing_program nginx || return 1
  local pool
  pool=$(ls /usr/sbin/php-fpm* 2>/dev/null | head -1)
  [ -n "$pool" ] || missing_program php-fpm || return 1
  DEMO_KIND='nginx before php-fpm' DEMO_LIMIT='4 PHP processes, 0.2 s for each request'
  printf '<?php usleep(200000); header("Cache-Control: no-store"); echo "<!doctype html><title>answer</title>";\n' >"$DEMO_DIR/app/answer.php"
  demo_nginx 'worker_connections 1024' "fastcgi_pass unix:$DEMO_DIR/pool.sock; fastcgi_param SCRIPT_FILENAME $DEMO_DIR/app/answer.php;
      fastcgi_param REQUEST_METHOD \$request_method; fastcgi_param QUERY_STRING \$query_string; fastcgi_read_timeout 60s;" >"$DEMO_DIR/nginx.conf"
  cat >"$DEMO_DIR/fpm.conf" <<TEXT
[global]
error_log = $DEMO_DIR/logs/fpm.log
daemonize = no
[www]
$(as_root && printf 'user = www-data\ngroup = www-data\n')
listen = $DEMO_DIR/pool.sock
listen.mode = 0666
pm = static
pm.max_children = 4
TEXT
  PART_ORDER+=(demo-pool)
  DEMO_POOL_COMMAND=("$pool" --nodaemonize --fpm-config "$DEMO_DIR/fpm.conf" -c /dev/null)
  launch demo-pool "${DEMO_POOL_COMMAND[@]}"
  nginx_command
}

scene_cpu() {
  program_at apache2 || missing_program apache2 || return 1
  DEMO_KIND=apache DEMO_LIMIT='a CPU quota of 0.1 core, as a container has; 5 ms of CPU time for each request'
  demo_apache 64 "$(lua_answer 'local ending, x = os.clock() + 0.005, 0
  while os.clock() < ending do for i = 1, 5000 do x = (x + i) % 7919 end end')" >"$DEMO_DIR/apache2.conf"
  control_group cpu || return 1
  if [ -e "$DEMO_GROUP/cpu.max" ]; then
    echo '10000 100000' >"$DEMO_GROUP/cpu.max"
  else
    echo 100000 >"$DEMO_GROUP/cpu.cfs_period_us" && echo 10000 >"$DEMO_GROUP/cpu.cfs_quota_us"
  fi || return 1
  apache_command
}

scene_memory() {
  program_at apache2 || missing_program apache2 || return 1
  DEMO_KIND=apache DEMO_LIMIT='60 processes in 500 MB; at the peak each of them grows to 24 MB'
  demo_apache 60 "$(lua_answer 'if string.find(r.args or "", "keep=24") and not kept then kept = string.rep("k", 24 * 1048576) end
  r.usleep(20000)')" >"$DEMO_DIR/apache2.conf"
  control_group memory || return 1
  echo $((500 << 20)) >"$DEMO_GROUP/$([ -e "$DEMO_GROUP/memory.max" ] && echo memory.max || echo memory.limit_in_bytes)" || return 1
  apache_command
}

as_root() { [ "$(id -u)" = 0 ]; }

# program_at NAME: sets DEMO_PROGRAM to the program's path.
program_at() {
  DEMO_PROGRAM=$(PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v "$1") || return 1
  [ "$1" != apache2 ] || { [ -e /usr/lib/apache2/modules/mod_mpm_prefork.so ] && [ -e /usr/lib/apache2/modules/mod_lua.so ]; }
}

missing_program() {
  say_error "the scene needs $1. Fix: sudo $(install_command "$1")"
  return 1
}

apache_command() {
  DEMO_SERVER_COMMAND=("$DEMO_PROGRAM" -d "$DEMO_DIR" -f "$DEMO_DIR/apache2.conf" -D FOREGROUND)
  [ -z "$DEMO_GROUP" ] ||
    DEMO_SERVER_COMMAND=(/bin/sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$DEMO_GROUP" "${DEMO_SERVER_COMMAND[@]}")
}

nginx_command() {
  DEMO_SERVER_COMMAND=("$DEMO_PROGRAM" -p "$DEMO_DIR" -c "$DEMO_DIR/nginx.conf" -g 'daemon off;' -e "$DEMO_DIR/logs/error.log")
}

# control_group CONTROLLER: makes the demo's control group, version 1 or 2, and sets DEMO_GROUP.
control_group() {
  local base=/sys/fs/cgroup
  if [ -e $base/cgroup.controllers ]; then
    echo "+$1" >$base/cgroup.subtree_control 2>/dev/null
  else
    base+=/$1
  fi
  DEMO_GROUP=$base/komainu-demo-$$
  mkdir "$DEMO_GROUP" 2>/dev/null && [ -w "$DEMO_GROUP/cgroup.procs" ] && return 0
  DEMO_GROUP=''
  say_error "the scene needs a control group in $base (expected: root, and control groups that this machine may make)"
  return 1
}

remove_control_group() {
  [ -z "${DEMO_GROUP:-}" ] || rmdir "$DEMO_GROUP" 2>/dev/null
  DEMO_GROUP=''
}

# lua_answer CODE: writes the application, which does this for each request; prints its path.
lua_answer() {
  cat >"$DEMO_DIR/app/answer.lua" <<TEXT
kept = kept or nil
function handle(r)
  $1
  r.content_type = "text/html"
  r.headers_out["Cache-Control"] = "no-store"
  r:puts("<!doctype html><title>answer</title>\n")
  return apache2.OK
end
TEXT
  echo "$DEMO_DIR/app/answer.lua"
}

# demo_apache PROCESSES PROGRAM: the configuration.
demo_apache() {
  local modules=/usr/lib/apache2/modules name
  cat <<TEXT
# Komainu's demo server: prefork with $1 processes. Change it by the console, or here and then: kill -USR1 \$(cat $DEMO_DIR/logs/pid)
ServerName 127.0.0.1
Listen 127.0.0.1:$ORIGIN_PORT
$(for name in mpm_prefork authz_core mime headers lua; do echo "LoadModule ${name}_module $modules/mod_$name.so"; done)
$(as_root && printf 'User www-data\nGroup www-data')
PidFile $DEMO_DIR/logs/pid
ErrorLog $DEMO_DIR/logs/error.log
LogFormat "%h %l %u %t \"%r\" %>s %b %D" timed
CustomLog $DEMO_DIR/logs/access.log timed
Mutex file:$DEMO_DIR/logs
TypesConfig /etc/mime.types
StartServers $1
MinSpareServers $1
MaxSpareServers $1
ServerLimit 256
MaxRequestWorkers $1
KeepAlive Off
DocumentRoot $DEMO_DIR/www
Header set Cache-Control "public, max-age=60" "expr=%{REQUEST_URI} =~ m#^/page/#"
LuaScope thread
LuaMapHandler ^/app/ $2 handle
<Directory $DEMO_DIR>
  Require all granted
</Directory>
TEXT
}

# demo_nginx EVENTS APPLICATION: the configuration.
demo_nginx() {
  cat <<TEXT
# Komainu's demo server. Change it by the console, or here and then: kill -HUP \$(cat $DEMO_DIR/logs/pid)
worker_processes 1;
pid $DEMO_DIR/logs/pid;
error_log $DEMO_DIR/logs/error.log;
$(as_root && echo 'user www-data;')
events { $1; }
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
    # Without a rate below: 24 kilobytes. At 8 KB a second each response holds a connection for three seconds.
    location /app/ {
      add_header Cache-Control no-store;
      $2
    }
  }
}
TEXT
}
