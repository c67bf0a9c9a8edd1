package dev.komainu.central.store;

import static dev.komainu.telemetry.kit.FreePort.freePort;

import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.telemetry.kit.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** Two shards with two replicas each, and ZooKeeper: five processes on loopback. */
public final class ClickHouseTestCluster implements AutoCloseable {

    public static final String NAME = "telemetry";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SHARDS = 2;
    private static final int REPLICAS = 2;
    private static @Nullable ClickHouseTestCluster shared;

    private final Path directory;
    private final int zooKeeperPort = freePort();
    private final List<ClickHouseServer> servers = new ArrayList<>();
    private @Nullable Process zooKeeper;

    private ClickHouseTestCluster() throws IOException {
        directory = Files.createTempDirectory("komainu-zookeeper");
        startZooKeeper();
        int[] ports = new int[SHARDS * REPLICAS];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = freePort();
        }
        for (int i = 0; i < ports.length; i++) {
            servers.add(ClickHouseServer.with("""
                    <tcp_port>%s</tcp_port>
                    <interserver_http_port>%s</interserver_http_port>
                    <interserver_http_host>127.0.0.1</interserver_http_host>
                    <zookeeper>
                      <node><host>127.0.0.1</host><port>%s</port></node>
                      <session_timeout_ms>4000</session_timeout_ms>
                    </zookeeper>
                    <macros><shard>s%s</shard><replica>r%s</replica></macros>
                    <remote_servers><telemetry>%s%s</telemetry></remote_servers>
                    """.formatted(
                            ports[i],
                            freePort(),
                            zooKeeperPort,
                            i / REPLICAS,
                            i % REPLICAS,
                            shard(ports[0], ports[1]),
                            shard(ports[2], ports[3]))));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    private static String shard(int... ports) {
        StringBuilder shard =
                new StringBuilder("<shard><internal_replication>true</internal_replication>");
        for (int port : ports) {
            shard.append("<replica><host>127.0.0.1</host><port>")
                    .append(port)
                    .append("</port><user>")
                    .append(ClickHouseServer.USER)
                    .append("</user><password>")
                    .append(ClickHouseServer.PASSWORD.replace("&", "&amp;"))
                    .append("</password></replica>");
        }
        return shard.append("</shard>").toString();
    }

    /** Returns a cluster that tests share, each with a database of its own. */
    static synchronized ClickHouseTestCluster shared() {
        ClickHouseTestCluster cluster = shared;
        if (cluster == null) {
            cluster = own();
            shared = cluster;
        }
        return cluster;
    }

    /** Starts a cluster of the caller's own. */
    public static ClickHouseTestCluster own() {
        try {
            return new ClickHouseTestCluster();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the ended ZooKeeper on its port, with its data. */
    public void startZooKeeper() {
        try {
            zooKeeper = new ProcessBuilder(
                            "setpriv",
                            "--pdeathsig",
                            "KILL",
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "-Xmx96m",
                            "-XX:TieredStopAtLevel=1",
                            "-Dzookeeper.admin.enableServer=false",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "org.apache.zookeeper.server.ZooKeeperServerMain",
                            Integer.toString(zooKeeperPort),
                            directory.resolve("data").toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("output").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await("ZooKeeper accepts connections")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> {
                    new Socket(InetAddress.getLoopbackAddress(), zooKeeperPort).close();
                    return true;
                });
    }

    public void freezeZooKeeper() {
        Signals.freeze(Objects.requireNonNull(zooKeeper));
    }

    public void thawZooKeeper() {
        Signals.thaw(Objects.requireNonNull(zooKeeper));
    }

    public void killZooKeeper() {
        Process running = Objects.requireNonNull(zooKeeper);
        running.destroyForcibly();
        running.onExit().join();
    }

    /** Returns a server; shards count from 0, replicas too. */
    public ClickHouseServer server(int shard, int replica) {
        return servers.get(shard * REPLICAS + replica);
    }

    List<ClickHouseServer> servers() {
        return servers;
    }

    public String newDatabase() {
        return servers.getFirst().newDatabase();
    }

    /** Returns the settings of a database on all servers, with these further ones. */
    ClickHouseSettings settings(String database, Map<String, String> further) {
        Map<String, String> all = new HashMap<>(Map.of("komainu.records.cluster", NAME));
        all.putAll(further);
        return ClickHouseServer.settings(url(database), servers.getFirst().passwordFile(), all);
    }

    public String url(String database) {
        return "http://"
                + servers.stream()
                        .map(each -> each.url("").replaceAll("http://|/", ""))
                        .collect(Collectors.joining(","))
                + "/" + database;
    }

    @Override
    public void close() {
        servers.forEach(ClickHouseServer::close);
        Process running = zooKeeper;
        if (running != null) {
            running.destroyForcibly();
            running.onExit().join();
        }
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            // A temporary directory of a test
        }
    }
}
