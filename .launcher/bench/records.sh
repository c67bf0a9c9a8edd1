# 10 min: the stores of telemetry beside each other, DuckDB files and a ClickHouse server
# Batches of 5,000 connections and 50 windows of 50 services over a day, then the questions of the console: the same records, the same code
# of the questions, one store after the other. ClickHouse is Debian's, on loopback, with its data in the stage's directory. It needs the tests'
# classes (./komainu test -Dtest=none, or any run of the tests). KOMAINU_BENCH_RECORDS sets the number of connections.

RECORDS=${KOMAINU_BENCH_RECORDS:-3000000}

perform() {
  have clickhouse-server || provide clickhouse-server || exit 3
  [ -d "$ROOT/src/target/test-classes" ] || { say_error "bench records: no src/target/test-classes. Fix: ./komainu test -Dtest=StoredPositionsTest"; exit 3; }
  local port=18999 class=dev.komainu.central.store.StoreFigures server
  local path="$ROOT/src/target/classes:$ROOT/src/target/test-classes:$ROOT/src/target/lib/*"
  mkdir -p "$WORK/clickhouse" "$OUT"
  cat >"$WORK/clickhouse/config.xml" <<XML
<yandex>
  <logger><level>warning</level><log>$WORK/clickhouse/log</log></logger>
  <http_port>$port</http_port><listen_host>127.0.0.1</listen_host>
  <path>$WORK/clickhouse/data/</path><tmp_path>$WORK/clickhouse/tmp/</tmp_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
  <compression><case><min_part_size>0</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method></case></compression>
</yandex>
XML
  cat >"$WORK/clickhouse/users.xml" <<XML
<yandex><profiles><default/></profiles><quotas><default/></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
XML
  setpriv --pdeathsig KILL /usr/sbin/clickhouse-server --config-file="$WORK/clickhouse/config.xml" >"$WORK/clickhouse/output" 2>&1 &
  server=$!
  local tries=0
  until [ "$(http_status "$port" /ping)" = 200 ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { say_error "bench records: clickhouse-server does not respond: $WORK/clickhouse/log"; exit 1; }
    sleep 0.2
  done
  say_step "DuckDB …"
  "$JDK/bin/java" -Xmx512m --enable-native-access=ALL-UNNAMED -cp "$path" "$class" "$WORK/duckdb" "$RECORDS" >"$WORK/duckdb.out" || exit 1
  say_step "ClickHouse …"
  "$JDK/bin/java" -Xmx512m --enable-native-access=ALL-UNNAMED -cp "$path" "$class" "http://127.0.0.1:$port/bench" "$RECORDS" >"$WORK/clickhouse.out" || exit 1
  local used
  used=$(awk '{ printf "%.0f", ($14 + $15) / 100 }' "/proc/$server/stat")
  kill "$server"
  {
    printf '# %s connections on DuckDB and ClickHouse\n\n| | DuckDB | ClickHouse |\n|---|---|---|\n' "$RECORDS"
    # The other lines are the store's log.
    paste <(grep -P '\t' "$WORK/duckdb.out") <(grep -P '\t' "$WORK/clickhouse.out") | awk -F '\t' '{ printf "| %s | %s | %s |\n", $1, $2, $4 }'
    printf '| CPU of the server, s | – | %s |\n' "$used"
  } | tee "$OUT/results.md"
}
