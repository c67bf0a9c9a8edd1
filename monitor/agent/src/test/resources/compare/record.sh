#!/bin/bash
# Records real servers and clients in network namespaces of their own: record.sh DIRECTORY JAVA CLASSPATH
#
#   client 10.9.1.2 ── 10.9.1.1 router 10.9.2.1 ── 10.9.2.2 server   (fd09:1::2 … fd09:2::2)
#
# The router's queue towards the client overflows, so that the kernels really retransmit: the server's side sees segments
# twice, the client's side sees them late. Leaves client.pcap, server.pcap, any.pcap (SLL2), sll.pcap and local.pcap.
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
hold
C=${holders[0]} R=${holders[1]} S=${holders[2]}
at() {
  local who=$1
  shift
  nsenter -t "$who" -n "$@"
}

at "$R" ip link add c0 type veth peer name eth0 netns "$C"
at "$R" ip link add s0 type veth peer name eth0 netns "$S"
for who in $C $R $S; do at "$who" ip link set lo up; done
at "$R" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
for who in $C $R $S; do at "$who" sh -c 'for f in /proc/sys/net/ipv6/conf/*/accept_dad; do echo 0 >$f; done'; done
at "$R" ip addr add 10.9.1.1/24 dev c0
at "$R" ip addr add 10.9.2.1/24 dev s0
at "$R" ip addr add fd09:1::1/64 dev c0 nodad
at "$R" ip addr add fd09:2::1/64 dev s0 nodad
at "$C" ip addr add 10.9.1.2/24 dev eth0
at "$C" ip addr add fd09:1::2/64 dev eth0 nodad
at "$S" ip addr add 10.9.2.2/24 dev eth0
at "$S" ip addr add fd09:2::2/64 dev eth0 nodad
at "$R" ip link set c0 up
at "$R" ip link set s0 up
at "$C" ip link set eth0 up
at "$S" ip link set eth0 up
at "$C" ip route add default via 10.9.1.1
at "$S" ip route add default via 10.9.2.1
at "$C" ip -6 route add default via fd09:1::1
at "$S" ip -6 route add default via fd09:2::1
at "$R" tc qdisc add dev c0 root tbf rate 40mbit burst 6k limit 24k

mkdir -p www apache
head -c 200000 /dev/urandom >www/big
head -c 9000 /dev/zero | tr '\0' 'a' >www/text.txt
echo hello >www/index.html
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=guarded.example 2>/dev/null
cat >nginx.conf <<END
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log $dir/nginx.log;
events { worker_connections 400; }
http {
  access_log off;
  keepalive_timeout 1;
  gzip on;
  gzip_types text/plain;
  client_body_temp_path $dir/body; proxy_temp_path $dir/proxy; fastcgi_temp_path $dir/fastcgi;
  uwsgi_temp_path $dir/uwsgi; scgi_temp_path $dir/scgi;
  types { text/plain txt; text/html html; }
  server {
    listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;
    ssl_certificate $dir/cert.pem; ssl_certificate_key $dir/key.pem;
    root $dir/www;
    location = /empty { return 204; }
    location = /post { client_max_body_size 10; return 200 "got\n"; }
  }
}
END
cat >apache.conf <<END
ServerName guarded.example
ServerRoot $dir/apache
PidFile $dir/apache.pid
Listen 8080
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
ErrorLog $dir/apache.log
DocumentRoot $dir/www
KeepAliveTimeout 1
<Directory $dir/www>
  Require all granted
</Directory>
END
chmod -R a+rX "$dir"
dump() {
  local who=$1
  shift
  nsenter -t "$who" -n tcpdump --immediate-mode -U -n -B 8192 "$@" tcp 2>"dump.$2.err" &
  workers+=($!)
  until grep -q listening "dump.$2.err"; do kill -0 $!; done
}
dump "$C" -i eth0 -w client.pcap
mv dump.eth0.err dump.client.err
dump "$S" -i eth0 -w server.pcap
dump "$S" -i any -w any.pcap
mv dump.any.err dump.sll2.err
dump "$S" -i any -y LINUX_SLL -w sll.pcap
dump "$S" -i lo -w local.pcap
nsenter -t "$S" -n nginx -p "$dir" -c "$dir/nginx.conf" &
workers+=($!)
nsenter -t "$S" -n apache2 -X -f "$dir/apache.conf" &
workers+=($!)
for port in 80 8080; do
  until at "$S" bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null; do sleep 0.05; done
done

web=http://10.9.2.2
at "$C" curl -s -o /dev/null -o /dev/null -o /dev/null -o /dev/null -o /dev/null \
  $web/ $web/big $web/missing $web/empty $web/text.txt
at "$C" curl -s --compressed -o /dev/null -o /dev/null -o /dev/null $web/text.txt $web/ $web/text.txt
at "$C" curl -s -o /dev/null -o /dev/null -z '2030-01-01' "http://[fd09:2::2]/" "http://[fd09:2::2]/text.txt"
at "$C" curl -s -I $web/big $web:8080/big >/dev/null
at "$C" curl -s -k -o /dev/null -o /dev/null -o /dev/null https://10.9.2.2/ https://10.9.2.2/big https://10.9.2.2/text.txt
at "$C" curl -s -k --tls-max 1.2 -o /dev/null -o /dev/null https://10.9.2.2/ "https://[fd09:2::2]/big"
at "$C" curl -s -0 -o /dev/null $web:8080/text.txt
at "$C" curl -s -o /dev/null -d "$(head -c 3000 www/text.txt)" $web:8080/index.html
at "$C" curl -s -o /dev/null -H 'Expect: 100-continue' -T www/text.txt $web:8080/
at "$C" curl -s -o /dev/null $web:81/ || true
at "$S" ab -q -k -n 300 -c 7 http://127.0.0.1/ >/dev/null
at "$C" ab -q -n 120 -c 5 $web:8080/text.txt >/dev/null
at "$C" ab -q -k -n 16 -c 4 $web/big >/dev/null
at "$C" "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$classpath" dev.komainu.agent.compare.Visitor 10.9.2.2 80 fd09:2::2
# The last keep-alive connections time out; then whatever was captured is in the files.
sleep 1.3
