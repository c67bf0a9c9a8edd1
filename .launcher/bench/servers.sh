# The servers of the experiments, as Debian packages them, with configurations from here: a process for each connection
# (Apache prefork), events and threads (Apache event), one process for all (nginx with one worker).

SERVER_PORT=8080

# pages COUNT MEAN-BYTES: WORK/www/page/N.html, exponential sizes, the same in every run.
pages() {
  mkdir -p "$WORK/www/page" "$WORK/logs" && chmod 777 "$WORK/logs"
  python3 -B - "$WORK/www/page" "$1" "$2" <<'TEXT'
import random, sys
where, count, mean = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(1)
for n in range(1, count + 1):
    with open(f"{where}/{n}.html", "w") as page:
        page.write("k" * max(128, int(chance.expovariate(1 / mean))))
TEXT
}

# apache MPM KEEPALIVE-SECONDS MOST-CONNECTIONS: writes WORK/apache.conf. 0 seconds: no keep-alive.
apache() {
  local mpm=$1 keep=$2 most=$3
  {
    cat <<TEXT
ServerName bench
Listen $SERVER_PORT
LoadModule mpm_${mpm}_module /usr/lib/apache2/modules/mod_mpm_$mpm.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
User www-data
Group www-data
PidFile $WORK/logs/apache.pid
Mutex file:$WORK/logs
ErrorLog $WORK/logs/apache-error.log
# The arrival of the request and its duration as Apache measures it, both in microseconds.
LogFormat "%{usec}t %D %>s %B %m" bench
CustomLog $WORK/logs/apache-access.log bench
TypesConfig /etc/mime.types
DocumentRoot $WORK/www
<Directory $WORK/www>
  Require all granted
</Directory>
KeepAlive $([ "$keep" = 0 ] && echo Off || echo On)
KeepAliveTimeout $((keep > 0 ? keep : 1))
MaxKeepAliveRequests 0
ListenBacklog 4096
TEXT
    case "$mpm" in
      # Debian's defaults except for the maximum: the number of children follows the load.
      prefork) printf 'StartServers 5\nMinSpareServers 5\nMaxSpareServers 10\nServerLimit %d\nMaxRequestWorkers %d\n' "$most" "$most" ;;
      event) printf 'StartServers 2\nServerLimit %d\nThreadsPerChild 50\nMaxRequestWorkers %d\nAsyncRequestWorkerFactor 20\n' $((most / 50)) $((most / 50 * 50)) ;;
    esac
  } >"$WORK/apache.conf"
  SERVER_COMMAND=(apache2 -d "$WORK" -f "$WORK/apache.conf" -D FOREGROUND)
}

# single_nginx KEEPALIVE-SECONDS MOST-CONNECTIONS: one worker, as the thesis's chamomile was one process.
single_nginx() {
  cat >"$WORK/nginx.conf" <<TEXT
worker_processes 1;
worker_rlimit_nofile $(($2 * 2));
pid $WORK/logs/nginx.pid;
error_log $WORK/logs/nginx-error.log;
user www-data;
events { worker_connections $2; }
http {
  log_format bench '\$msec \$request_time \$status \$body_bytes_sent';
  access_log $WORK/logs/nginx-access.log bench;
  client_body_temp_path $WORK/logs/body; proxy_temp_path $WORK/logs/proxy; fastcgi_temp_path $WORK/logs/fcgi;
  uwsgi_temp_path $WORK/logs/uwsgi; scgi_temp_path $WORK/logs/scgi;
  keepalive_timeout $1;
  keepalive_requests 1000000;
  sendfile on;
  default_type text/html;
  server { listen $SERVER_PORT backlog=4096; root $WORK/www; }
}
TEXT
  SERVER_COMMAND=(nginx -p "$WORK" -c "$WORK/nginx.conf" -e "$WORK/logs/nginx-error.log" -g 'daemon off;')
}
