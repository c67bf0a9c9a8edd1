# 4 min (paper: --minutes 15): the same with Squid, disk cache in memory, as the thesis compared tmproxy with it
# Thesis section 5.3.4.1, figures 5.6 and 5.7. Everything is as in thesis-5, except for the proxy: Debian's Squid with no
# memory cache and 256 MB of disk cache on a file system in memory. Its own count is its access log.

. "$ROOT/.launcher/bench/thesis-5.sh"
PROXY=squid
CLIENT_FIGURE="5.6" ORIGIN_FIGURE="5.7"

start_squid() {
  provide squid || exit 3
  local place="$WORK/squid-$1"
  mkdir -p "$place/cache" && chmod 755 "$place"
  mounted "$place/cache"
  mkdir "$place/logs" && chown proxy:proxy "$place/cache" "$place/logs"
  cat >"$place/squid.conf" <<TEXT
visible_hostname proxy
http_port 10.91.0.1:7680 accel no-vhost defaultsite=10.92.0.10:8080
cache_peer 10.92.0.10 parent 8080 0 no-query no-digest no-netdb-exchange originserver name=origin
http_access allow all
icp_port 0
pinger_enable off
cache_effective_user proxy
cache_mem 0 MB
cache_dir ufs $place/cache 256 16 64
maximum_object_size_in_memory 0 KB
cache_store_log none
cache_log $place/logs/cache.log
access_log stdio:$place/logs/access.log squid
pid_filename $place/logs/squid.pid
coredump_dir $place/logs
max_filedescriptors 16384
server_persistent_connections off
shutdown_lifetime 1 second
TEXT
  on proxy squid -N -z -f "$place/squid.conf" >"$place/made.txt" 2>&1 || { tail -3 "$place/made.txt" >&2; exit 1; }
  start "proxy-$1" proxy squid -N -f "$place/squid.conf"
  saying 'Accepting reverse-proxy' "$place/logs/cache.log" 30
}

own_count_of_squid() {
  awk '{ asked++ } $4 ~ /_HIT\// { hits++ } END { print asked + 0, hits + 0 }' "$WORK/squid-$1/logs/access.log"
}
