package dev.komainu.agent.discovery.squid;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.configuration.Upstream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader's values, compared with Squid's own effective values ({@code mgr:config}). */
class RealSquidTest {

    private static final Map<String, Double> UNITS = Map.of(
            "second",
            1d,
            "minute",
            60d,
            "hour",
            3_600d,
            "day",
            86_400d,
            "byte",
            1d,
            "kb",
            1_024d,
            "mb",
            1_048_576d,
            "millisecond",
            0.001);

    @TempDir
    Path directory;

    @BeforeAll
    static void setUpAll() {
        RealServer.needs("/usr/sbin/squid", "squid");
    }

    @Test
    void discovered_values_equalSquidsEffectiveValues() throws Exception {
        int port = freePort();
        Path main = Files.writeString(
                directory.resolve("squid.conf"), String.format(Locale.ROOT, """
                http_port 127.0.0.1:%2$d
                pid_filename %1$s/squid.pid
                cache_log %1$s/cache.log
                coredump_dir %1$s
                pinger_enable off
                visible_hostname test.local
                shutdown_lifetime 0 seconds
                cache_mem 8 MB   # small
                max_filedescriptors 512
                cachemgr_passwd hunter2 shutdown
                cachemgr_passwd none config
                http_access allow localhost
                include %1$s/more.d/*.conf
                if ${process_number} = 2
                read_timeout 3 minutes
                else
                read_timeout 7 minutes
                endif
                """, directory, port));
        Files.createDirectories(directory.resolve("more.d"));
        Files.writeString(
                directory.resolve("more.d/a.conf"),
                String.format(Locale.ROOT, """
                client_idle_pconn_timeout 30 seconds
                logformat slim %%ts %%>a "%%rm"
                access_log stdio:%1$s/access.log logformat=slim
                cache_peer 127.0.0.1 parent 8081 0 no-query login=user:hunter2
                cache_dir ufs %1$s/cache 10 2 2
                quick_abort_max 32 KB
                """, directory).replace("%%", "%"));
        RealServer.openToAll(directory);
        RealServer.run(List.of("/usr/sbin/squid", "-N", "-z", "-f", main.toString()));
        try (RealServer squid = RealServer.start(
                List.of("/usr/sbin/squid", "-N", "-f", main.toString()),
                directory,
                port,
                Map.of())) {
            DiscoveredServer server = squid.discovered();
            assertThat(server.kind()).isEqualTo("squid");
            assertThat(server.version()).matches("\\d\\.\\d+.*");
            Map<String, String> reported = reported(squid.get("/squid-internal-mgr/config"));
            Map<String, String> different = new TreeMap<>();
            int compared = 0;
            for (var setting : server.settings()) {
                String expected = reported.get(setting.name());
                if (expected != null && !setting.name().equals("cache_dir")) {
                    compared++;
                    if (!amount(expected).equals(amount(setting.value()))) {
                        different.put(
                                setting.name(), setting.value() + ", squid reports " + expected);
                    }
                }
            }
            assertThat(different).isEmpty();
            assertThat(compared).isGreaterThan(30);
            assertThat(value(server, "read_timeout")).isEqualTo("7 minutes");
            assertThat(value(server, "cache_dir")).isEqualTo("ufs 10 MB");
            assertThat(value(server, "backlog"))
                    .isEqualTo("128")
                    .isEqualTo(value(server, "socket:backlog"));
            assertThat(server.accessLogs())
                    .extracting(AccessLogPlace::path, AccessLogPlace::format)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple(
                            directory + "/access.log", "%ts %>a %rm"));
            assertThat(server.upstreams())
                    .extracting(Upstream::address)
                    .containsExactly("127.0.0.1:8081");
            assertThat(server.toString()).doesNotContain("hunter2");
        }
    }

    @Test
    void read_documentedConfigurationOfThePackage_returnsItsDefaults() {
        var read = Readings.read(
                new SquidReader(),
                "squid",
                "5.7",
                3128,
                List.of("squid", "-f", "/etc/squid/squid.conf"));
        assertThat(read.problems()).isEmpty();
        assertThat(Readings.value(read, "mode")).isEqualTo("forward");
        assertThat(read.accessLogs())
                .extracting(AccessLogPlace::path)
                .containsExactly("/var/log/squid/access.log");
    }

    private static Map<String, String> reported(String page) {
        Map<String, String> reported = new HashMap<>();
        page.lines().forEach(line -> {
            String[] words = line.strip().split("\\s+", 2);
            if (words.length == 2) {
                reported.putIfAbsent(words[0], words[1]);
            }
        });
        return reported;
    }

    /** Returns seconds or bytes when the text is a quantity with a unit, else the text. */
    private static String amount(String text) {
        String[] words = text.strip().toLowerCase(Locale.ROOT).split("\\s+");
        if (words.length == 2 && words[0].matches("-?[0-9.]+")) {
            Double unit = UNITS.get(words[1].replaceFirst("s$", ""));
            if (unit != null) {
                return String.valueOf(Double.parseDouble(words[0]) * unit);
            }
        }
        return words.length == 1 && words[0].matches("-?[0-9.]+")
                ? String.valueOf(Double.parseDouble(words[0]))
                : String.join(" ", words);
    }

    private static String value(DiscoveredServer server, String name) {
        return Readings.value(server.configuration(), name).equals("absent")
                ? server.settings().stream()
                        .filter(setting -> setting.name().equals(name))
                        .findFirst()
                        .map(setting -> setting.value())
                        .orElse("absent")
                : Readings.value(server.configuration(), name);
    }
}
