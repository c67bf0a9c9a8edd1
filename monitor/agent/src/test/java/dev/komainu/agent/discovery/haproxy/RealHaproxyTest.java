package dev.komainu.agent.discovery.haproxy;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.configuration.Upstream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reader's values, compared with HAProxy's own reports on its socket ({@code show info},
 * {@code show stat}).
 */
class RealHaproxyTest {

    @TempDir
    Path directory;

    @BeforeAll
    static void setUpAll() {
        RealServer.needs("/usr/sbin/haproxy", "haproxy");
    }

    @Test
    void discovered_filesAndADirectory_equalsHaproxysEffectiveValues() throws Exception {
        int port = freePort();
        Path main = Files.writeString(
                directory.resolve("main.cfg"), String.format(Locale.ROOT, """
                global
                    maxconn 3000
                    nbthread 2
                    stats socket %1$s/socket
                    tune.bufsize 32768
                defaults
                    mode http
                    timeout client 30s
                    timeout server 40000
                    timeout connect "5s"
                    option http-server-close
                    default-server maxconn 50
                userlist people
                    user admin insecure-password hunter2
                frontend in
                    bind 127.0.0.1:%2$d backlog 700 maxconn 900
                    .if version_atleast(2.5-dev1)
                    timeout http-keep-alive 4s
                    .else
                    timeout http-keep-alive 9s
                    .endif
                    use_backend other if { path /o }
                    default_backend "${BACKEND-app}"
                """, directory, port));
        Path more = Files.createDirectories(directory.resolve("conf.d"));
        Files.writeString(more.resolve("b.cfg"), """
                backend app
                    balance leastconn
                    http-request set-header Authorization "Basic hunter2"
                    server a 127.0.0.1:8081 maxconn 20
                    server b [::1]:8082
                    server c 127.0.0.1:8083 disabled
                backend other
                    no option http-server-close
                    server d 127.0.0.9:8084 # as usual
                """);
        Files.writeString(more.resolve("ignored.txt"), "nonsense\n");
        try (RealServer haproxy = RealServer.start(
                List.of("/usr/sbin/haproxy", "-db", "-f", main.toString(), "-f", more.toString()),
                directory,
                port,
                Map.of("BACKEND", "app"))) {
            DiscoveredServer server = haproxy.discovered();
            assertThat(server.kind()).isEqualTo("haproxy");
            assertThat(server.configuration().problems()).isEmpty();
            String info = request("show info");
            assertThat(info).contains("Maxconn: " + value(server, "maxconn") + "\n");
            assertThat(info).contains("Nbthread: " + value(server, "nbthread") + "\n");
            assertThat(info).contains("Version: " + server.version() + "\n");
            // Columns: proxy, server, current and highest queue, current and highest sessions, and
            // their limit.
            List<String[]> rows =
                    request("show stat").lines().map(line -> line.split(",")).toList();
            assertThat(limit(rows, "in", "FRONTEND")).isEqualTo(value(server, "frontend maxconn"));
            assertThat(limit(rows, "app", "a") + ", " + limit(rows, "app", "b") + ", "
                            + limit(rows, "other", "d"))
                    .isEqualTo(value(server, "server maxconn"));
            assertThat(value(server, "bind maxconn")).isEqualTo("900");
            assertThat(value(server, "backlog")).isEqualTo("700");
            assertThat(server.settings())
                    .anyMatch(
                            s -> s.name().equals("socket:backlog") && s.value().equals("700"));
            assertThat(value(server, "timeout client")).isEqualTo("30s");
            assertThat(value(server, "timeout server")).isEqualTo("40000");
            assertThat(value(server, "timeout http-keep-alive")).isEqualTo("4s");
            assertThat(value(server, "option")).isEqualTo("http-server-close");
            assertThat(value(server, "balance")).isEqualTo("leastconn");
            assertThat(value(server, "mode")).isEqualTo("http");
            assertThat(value(server, "access-log")).isEqualTo("off");
            assertThat(server.upstreams())
                    .extracting(Upstream::address)
                    .containsExactly("127.0.0.1:8081", "[::1]:8082", "127.0.0.9:8084");
            assertThat(server.toString()).doesNotContain("hunter2");
        }
    }

    @Test
    void discovered_emptyConfiguration_isCloseToHaproxysComputedDefaults() throws Exception {
        int port = freePort();
        Path main = Files.writeString(
                directory.resolve("main.cfg"), String.format(Locale.ROOT, """
                global
                    stats socket %1$s/socket
                listen in
                    bind 127.0.0.1:%2$d
                    timeout client 1s
                    timeout server 1s
                    timeout connect 1s
                    server a 127.0.0.1
                """, directory, port));
        try (RealServer haproxy = RealServer.start(
                List.of("/usr/sbin/haproxy", "-db", "-f", main.toString()),
                directory,
                port,
                Map.of())) {
            DiscoveredServer server = haproxy.discovered();
            List<String> info = new ArrayList<>(request("show info").lines().toList());
            double reported = number(info, "Maxconn");
            assertThat(Double.parseDouble(value(server, "maxconn")))
                    .isCloseTo(reported, within(reported * 0.02 + 20));
            assertThat(Double.parseDouble(value(server, "nbthread")))
                    .isEqualTo(number(info, "Nbthread"));
            assertThat(server.upstreams())
                    .extracting(Upstream::address)
                    .containsExactly("127.0.0.1:" + port);
            assertThat(value(server, "http-reuse")).isEqualTo("safe");
        }
    }

    private String request(String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.US_ASCII)));
            StringBuilder response = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                response.append(StandardCharsets.UTF_8.decode(buffer));
                buffer.clear();
            }
            return response.toString();
        }
    }

    private static String limit(List<String[]> rows, String proxy, String server) {
        return rows.stream()
                .filter(row -> row.length > 6 && row[0].equals(proxy) && row[1].equals(server))
                .map(row -> row[6])
                .findFirst()
                .orElse("absent");
    }

    private static double number(List<String> info, String name) {
        return info.stream()
                .filter(line -> line.startsWith(name + ": "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 2)))
                .findFirst()
                .orElseThrow();
    }

    private static String value(DiscoveredServer server, String name) {
        return Readings.value(server.configuration(), name);
    }
}
