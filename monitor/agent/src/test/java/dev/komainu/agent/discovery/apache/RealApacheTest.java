package dev.komainu.agent.discovery.apache;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Debian's own layout with a few more lines, compared with Apache's own reports
 * ({@code DUMP_INCLUDES}, mod_info, its log).
 */
class RealApacheTest {

    private static final Pattern INCLUDED =
            Pattern.compile("^\\s*\\((?:\\*|\\d+)\\) (\\S+)$", Pattern.MULTILINE);

    @TempDir
    Path directory;

    @BeforeAll
    static void setUpAll() {
        RealServer.needs("/etc/apache2/apache2.conf", "apache2");
    }

    @Test
    void discovered_debianLayout_equalsApachesEffectiveValues() throws Exception {
        Path root = directory.resolve("apache2");
        RealServer.run(List.of("cp", "-a", "/etc/apache2", root.toString()));
        int port = freePort();
        Files.createDirectories(directory.resolve("run"));
        Files.createDirectories(directory.resolve("log"));
        Files.writeString(
                root.resolve("ports.conf"), "Listen 127.0.0.1:" + port + "\nListenBacklog 222\n");
        Path mpm = Files.writeString(root.resolve("mods-available/mpm_event.conf"), """
                Define per_child 25
                <IfVersion >= 2.4>
                ThreadsPerChild ${per_child}
                </IfVersion>
                <IfVersion < 2.4>
                ThreadsPerChild 3
                </IfVersion>
                MaxRequestWorkers 70
                """);
        Files.deleteIfExists(root.resolve("sites-enabled/000-default.conf"));
        Files.writeString(
                root.resolve("sites-enabled/a.conf"),
                String.format(Locale.ROOT, """
                <VirtualHost *:%1$d>
                    KeepAliveTimeout 9
                    CustomLog ${APACHE_LOG_DIR}/a.log combined
                    DocumentRoot %2$s
                    <Location /server-info>
                        SetHandler server-info
                        Require all granted
                    </Location>
                    <IfModule proxy_module>
                    <Proxy balancer://group>
                        BalancerMember http://127.0.0.1:8081 route=a
                        BalancerMember http://[::1]:8082
                    </Proxy>
                    ProxyPass /server-info !
                    ProxyPass /app balancer://group/
                    ProxyPass /other http://user:hunter2@app.test:8083/x
                    </IfModule>
                </VirtualHost>
                <VirtualHost *:99>
                    CustomLog ${APACHE_LOG_DIR}/b.log combined
                    KeepAliveTimeout 77
                </VirtualHost>
                """, port, directory));
        Files.writeString(root.resolve("conf-enabled/0.conf"), """
                ServerName test.local
                LoadModule info_module /usr/lib/apache2/modules/mod_info.so
                LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
                LoadModule slotmem_shm_module /usr/lib/apache2/modules/mod_slotmem_shm.so
                LoadModule proxy_balancer_module /usr/lib/apache2/modules/mod_proxy_balancer.so
                LoadModule lbmethod_byrequests_module /usr/lib/apache2/modules/mod_lbmethod_byrequests.so
                LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
                ServerLimit 8
                Timeout 44
                """);
        Map<String, String> environment = Map.of(
                "APACHE_RUN_USER", "www-data",
                "APACHE_RUN_GROUP", "www-data",
                "APACHE_PID_FILE", directory.resolve("run/pid").toString(),
                "APACHE_RUN_DIR", directory.resolve("run").toString(),
                "APACHE_LOCK_DIR", directory.resolve("run").toString(),
                "APACHE_LOG_DIR", directory.resolve("log").toString());
        RealServer.openToAll(directory);
        List<String> command =
                List.of("/usr/sbin/apache2", "-d", root.toString(), "-f", "apache2.conf");
        List<String> startCommand = new ArrayList<>(List.of("setsid"));
        startCommand.addAll(command);
        startCommand.addAll(List.of("-D", "FOREGROUND"));
        try (RealServer apache = RealServer.start(startCommand, directory, port, environment)) {
            DiscoveredServer server = apache.discovered();
            assertThat(server.configuration().problems()).isEmpty();
            assertThat(value(server, "MPM")).isEqualTo("event");
            // "AH00513: … MaxRequestWorkers of 70 is not an integer multiple of ThreadsPerChild of
            // 25, decreasing to …50"
            assertThat(server.settings())
                    .contains(
                            new Setting(
                                    "MaxRequestWorkers",
                                    "50",
                                    mpm.toString().replace("mods-available", "mods-enabled")
                                            + ":8 (70, changed by whole children of 25 threads, ServerLimit 8)"));
            assertThat(Files.readString(directory.resolve("log/error.log"))
                            + Files.readString(directory.resolve("output.log")))
                    .containsPattern(
                            "MaxRequestWorkers of 70 is not an integer multiple.*\\s*.*50");
            String info = apache.get("/server-info?server").replaceAll("<[^>]*>|&nbsp;", "");
            assertThat(info)
                    .containsPattern("Timeouts:\\s*connection: " + value(server, "Timeout")
                            + "\\s+keep-alive: 9")
                    .contains("Apache/" + server.version());
            assertThat(value(server, "KeepAliveTimeout")).isEqualTo("9");
            assertThat(server.settings())
                    .anyMatch(
                            s -> s.name().equals("socket:backlog") && s.value().equals("222"));
            assertThat(server.accessLogs())
                    .extracting(AccessLogPlace::path)
                    .containsExactly(directory.resolve("log/a.log").toString());
            assertThat(server.accessLogs().getFirst().format())
                    .startsWith("%h %l %u %t \"%r\" %>s %O");
            assertThat(server.upstreams())
                    .extracting(Upstream::address)
                    .containsExactly("127.0.0.1:8081", "[::1]:8082", "app.test:8083");
            assertThat(server.toString()).doesNotContain("hunter2");
            assertThat(server.configuration().files())
                    .extracting(ConfigurationFile::path)
                    .containsExactlyInAnyOrderElementsOf(included(command, environment));
        }
    }

    private static List<String> included(List<String> command, Map<String, String> environment) {
        List<String> dumpCommand = new ArrayList<>(List.of("env"));
        environment.forEach((name, value) -> dumpCommand.add(name + "=" + value));
        dumpCommand.addAll(command);
        dumpCommand.addAll(List.of("-t", "-D", "DUMP_INCLUDES"));
        List<String> files = new ArrayList<>();
        Matcher matcher = INCLUDED.matcher(RealServer.run(dumpCommand));
        while (matcher.find()) {
            files.add(matcher.group(1));
        }
        return files;
    }

    private static String value(DiscoveredServer server, String name) {
        return Readings.value(server.configuration(), name);
    }
}
