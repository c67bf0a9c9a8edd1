#!/bin/bash
# Records TLS and HTTP/2 of real servers and clients, with the keys: record-tls.sh DIRECTORY JAVA CLASSPATH
#
#   client 10.9.3.1 ── 10.9.3.2 server (nginx and Apache, a thinking origin behind both)
#
# The link carries 1,500 bytes a packet at 40 Mbit/s: records lie across segments. Leaves link.pcap (the client's end),
# local.pcap (the server's loopback, a record a packet) and keys.log (SSLKEYLOGFILE of all clients).
#
#   nginx    8443 tickets   8444 none   8445 HTTP/2   8446 early data   8447 P-384 only   8448 client certificate   8080 h2c
#   Apache   9443 tickets   9444 none   9445 HTTP/2                                                                 9080 h2c
set -eu
dir=$1 java=$2 classpath=$3
cd "$dir"
holders=() workers=()
finish() {
  kill "${workers[@]}" 2>/dev/null || true
  wait "${workers[@]}" 2>/dev/null || true
  kill -9 "${holders[@]}" 2>/dev/null || true
}
trap finish EXIT

hold() {
  unshare -n sleep 200 >/dev/null 2>&1 &
  holders+=($!)
  # Until it lives in a namespace of its own.
  until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
}
hold
hold
C=${holders[0]} S=${holders[1]}
at() {
  local who=$1
  shift
  nsenter -t "$who" -n "$@"
}
at "$S" ip link add eth0 type veth peer name eth0 netns "$C"
at "$C" ip addr add 10.9.3.1/24 dev eth0
at "$S" ip addr add 10.9.3.2/24 dev eth0
for who in $C $S; do
  at "$who" ip link set lo up
  at "$who" ip link set dev eth0 gso_max_segs 1
  at "$who" ip link set eth0 up
done
at "$S" tc qdisc add dev eth0 root tbf rate 40mbit burst 6k limit 2m

mkdir -p www apache
head -c 200000 /dev/urandom >www/big
echo hello >www/text.txt
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=guarded.example 2>/dev/null
cat >nginx.conf <<END
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log $dir/nginx.log;
events { worker_connections 400; }
http {
  access_log off;
  client_max_body_size 1m;
  client_body_temp_path $dir/body; proxy_temp_path $dir/proxy; fastcgi_temp_path $dir/fastcgi;
  uwsgi_temp_path $dir/uwsgi; scgi_temp_path $dir/scgi;
  ssl_certificate $dir/cert.pem;
  ssl_certificate_key $dir/key.pem;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:all:1m;
  root $dir/www;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  upstream origin { server 127.0.0.1:9000; keepalive 16; }
  server { listen 8443 ssl; location /think { proxy_pass http://origin; } }
  server { listen 8444 ssl; ssl_session_tickets off; location /think { proxy_pass http://origin; } }
  server { listen 8445 ssl http2; location /think { proxy_pass http://origin; } }
  server { listen 8446 ssl; ssl_early_data on; location /think { proxy_pass http://origin; } }
  server { listen 8447 ssl; ssl_ecdh_curve P-384; location /think { proxy_pass http://origin; } }
  server { listen 8448 ssl; ssl_verify_client optional_no_ca; ssl_client_certificate $dir/cert.pem;
           location /think { proxy_pass http://origin; } }
  server { listen 8080 http2; location /think { proxy_pass http://origin; } }
}
END
{
  for module in mpm_event authz_core ssl socache_shmcb proxy proxy_http http2; do
    echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
  done
  cat <<END
ServerName guarded.example
ServerRoot $dir/apache
PidFile $dir/apache.pid
ErrorLog $dir/apache.log
Mutex file:$dir/apache
DocumentRoot $dir/www
SSLSessionCache shmcb:$dir/apache/sessions(512000)
ProxyPass /think http://127.0.0.1:9000/think
<Directory $dir/www>
  Require all granted
</Directory>
Listen 9443
Listen 9444
Listen 9445
Listen 9080
<VirtualHost *:9080>
  Protocols h2c http/1.1
</VirtualHost>
END
  for site in '9443>' '9444> SSLSessionTickets off' '9445> Protocols h2 http/1.1'; do
    cat <<END
<VirtualHost *:${site%%>*}>
  SSLEngine on
  SSLCertificateFile $dir/cert.pem
  SSLCertificateKeyFile $dir/key.pem
  ${site#*>}
</VirtualHost>
END
  done
} >apache.conf
chmod -R a+rX "$dir"

nsenter -t "$S" -n "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dsun.net.httpserver.nodelay=true -cp "$classpath" \
  dev.komainu.agent.compare.ThinkingServer 9000 &
workers+=($!)
nsenter -t "$S" -n nginx -p "$dir" -c "$dir/nginx.conf" &
workers+=($!)
nsenter -t "$S" -n apache2 -DFOREGROUND -f "$dir/apache.conf" &
workers+=($!)
dump() {
  local who=$1 interface=$2 file=$3
  nsenter -t "$who" -n tcpdump --immediate-mode -U -n -B 16384 -s 0 -i "$interface" -w "$file.pcap" \
    'tcp and not port 9000' 2>"dump.$file.err" &
  workers+=($!)
  until grep -qs listening "dump.$file.err"; do kill -0 $!; done
}
for port in 8443 9443 9000; do
  patience=200
  until at "$S" bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null; do
    patience=$((patience - 1))
    if [ $patience = 0 ]; then
      echo "port $port: nobody listens after 10 s"
      exit 1
    fi
    sleep 0.05
  done
done
dump "$C" eth0 link
dump "$S" lo local

export SSLKEYLOGFILE=$dir/keys.log
touch keys.log
# Clients that come to nothing are found by what the captures then lack.
get() { at "$who" curl -sk -o /dev/null --resolve "guarded.example:$port:$server" "$@" || true; }
# converse PORT OPTIONS -- STEPS: each step is a target, asked for once the answer before it is here; "update" asks for new
# keys (RFC 8446 4.6.3), "silence" lets tickets come first, "early" waits for an answer to early data.
converse() {
  local port=$1 options=() step
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  coproc TLS {
    at "$who" timeout 10 openssl s_client -connect "$server:$port" -servername guarded.example -keylogfile keys.log \
      -quiet -no_ign_eof "${options[@]}" 2>/dev/null
  }
  local from=${TLS[0]} to=${TLS[1]} talk=$!
  for step in "$@"; do
    case $step in
      update) echo K >&"$to" && sleep 0.05 ;;
      silence) sleep 0.1 ;;
      early) answer <&"$from" ;;
      *) request "$step" >&"$to" && answer <&"$from" ;;
    esac
  done
  exec {to}>&- || true
  wait "$talk" || true
}
# In one piece: a last line of its own would be a record as long as an alert.
request() { cat <<<"GET $1 HTTP/1.1"$'\r\nHost: guarded.example\r\n\r'; }
answer() {
  local line length=0
  while read -r -t 5 line && [ "$line" != $'\r' ]; do
    case $line in [Cc]ontent-[Ll]ength:*) length=${line//[!0-9]/} ;; esac
  done
  head -c "$length" >/dev/null
}

keep_alive() {
  local site=https://guarded.example:$port
  local think=$site/think
  get --http1.1 "$@" "$think?ms=0&bytes=100" -o /dev/null "$think?ms=40&bytes=3000" -o /dev/null "$site/text.txt" \
    -o /dev/null "$site/big"
  get --http1.1 "$@" "$site/text.txt" -o /dev/null "$think?ms=5&bytes=400000"
  get --http1.1 "$@" --data-binary @www/big -H 'Expect:' "$think?ms=10"
  get --http1.1 "$@" --data-binary @www/text.txt "$think?ms=10" -o /dev/null "$think?ms=50"
  get --http1.1 "$@" -I "$site/big"
}
resumed() {
  local name=session.$who.$port$1 version=$1
  converse "$port" "$version" -sess_out "$name" -- '/think?ms=30'
  converse "$port" "$version" -sess_in "$name" -- '/think?ms=0' silence '/think?ms=20'
  converse "$port" "$version" -sess_in "$name" -- silence /text.txt
  converse "$port" "$version" -sess_in "$name" -- '/think?ms=60'
}
early() {
  converse 8446 -tls1_3 -sess_out "early.$who" -- /text.txt
  request '/think?ms=30' >"early.$who.txt"
  converse 8446 -tls1_3 -sess_in "early.$who" -early_data "early.$who.txt" -- early /text.txt
}
retry() { converse 8447 -tls1_3 -groups X25519:P-384 -- '/think?ms=10' silence /text.txt; }
key_update() { converse 8443 -tls1_3 -- /text.txt update '/think?ms=20' update /text.txt; }
http2() {
  local site=https://guarded.example:$port
  get --http2 "$@" "$site/think?ms=30"
  get --http2 "$@" "$site/think?ms=10" -o /dev/null "$site/think?ms=40&bytes=200000"
  get --http2 "$@" --no-progress-meter --parallel "$site/think?ms=20&bytes=5000" -o /dev/null "$site/think?ms=60" -o /dev/null "$site/big"
  get --http2 "$@" --data-binary @www/text.txt "$site/think?ms=40"
}
http2_in_the_clear() {
  local site=http://guarded.example:$port bare=http://$server:$port
  get --http2-prior-knowledge "$site/think?ms=30"
  get --http2-prior-knowledge "$site/think?ms=10" -o /dev/null "$site/think?ms=40&bytes=200000" -o /dev/null "$site/text.txt"
  get --http2-prior-knowledge --data-binary @www/big "$site/think?ms=10"
  get --http2-prior-knowledge -I "$site/text.txt"
  at "$who" timeout 5 nghttp -n "$bare/think?ms=80&bytes=5000" "$bare/think?ms=20" "$bare/think?ms=50&bytes=30" \
    "$bare/missing/thing" >/dev/null 2>&1 || true
  at "$who" h2load -n 60 -c 3 -m 10 "$bare/think?ms=5&bytes=20000" "$bare/text.txt" >/dev/null 2>&1 || true
}
visit() {
  who=$1 server=$2
  early &
  retry &
  key_update &
  for port in 8443 8444 9443; do
    for version in -tls1_2 -tls1_3; do resumed $version & done
  done
  for port in 8443 8444 9443 9444; do
    keep_alive --tls-max 1.2
    keep_alive --tlsv1.3
  done
  port=8443
  keep_alive --tlsv1.3 --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256
  keep_alive --tlsv1.3 --tls13-ciphers TLS_AES_128_GCM_SHA256
  keep_alive --tls-max 1.2 --ciphers ECDHE-RSA-CHACHA20-POLY1305
  keep_alive --tls-max 1.2 --ciphers ECDHE-RSA-AES128-SHA
  port=8448
  for version in '--tls-max 1.2' --tlsv1.3; do
    # shellcheck disable=SC2086
    get --http1.1 $version --cert cert.pem --key key.pem "https://guarded.example:$port/think?ms=20" \
      -o /dev/null "https://guarded.example:$port/think?ms=10"
  done
  for port in 8445 9445; do
    http2 --tls-max 1.2
    http2 --tlsv1.3
  done
  for port in 8080 9080; do http2_in_the_clear; done
  get --http2 "http://guarded.example:9080/think?ms=30" -o /dev/null "http://guarded.example:9080/think?ms=5"
  wait
}
visit "$C" 10.9.3.2 &
visits=$!
visit "$S" 127.0.0.1 &
wait $visits $!
# The last packets are captured, and written packet by packet.
sleep 0.3
