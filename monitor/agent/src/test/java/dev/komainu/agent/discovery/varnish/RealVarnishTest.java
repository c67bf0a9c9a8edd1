package dev.komainu.agent.discovery.varnish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reader's values, compared with Varnish's own effective values ({@code varnishadm
 * param.show}).
 */
class RealVarnishTest {

    private static final Pattern PARAMETER =
            Pattern.compile("^(\\w+)\\n +Value is: (\\S+)", Pattern.MULTILINE);

    @TempDir
    Path directory;

    @BeforeAll
    static void setUpAll() {
        RealServer.needs("/usr/sbin/varnishd", "varnish");
    }

    @Test
    void discovered_parameters_equalVarnishsEffectiveValues() throws Exception {
        Files.writeString(directory.resolve("more.vcl"), """
                backend second { .host = "127.0.0.3"; }
                """);
        Path vcl = Files.writeString(directory.resolve("main.vcl"), """
                vcl 4.1;
                # backend hidden { .host = "10.9.9.9"; }
                /* backend hidden { .host = "10.9.9.8"; } */
                backend first {
                    .host = "127.0.0.2";
                    .port = "8081";
                    .max_connections = 30;
                    .probe = { .url = "/x"; .interval = 60s; }
                }
                include "./more.vcl";
                sub vcl_recv {
                    set req.http.Authorization = {"Basic hunter2 backend x { "};
                    if (req.url == "/2") { set req.backend_hint = second; }
                }
                """);
        try (VarnishServer varnish = VarnishServer.start(
                directory, vcl, "thread_pool_min=10", "thread_pool_max=60", "listen_depth=333")) {
            DiscoveredServer server = varnish.server().discovered();
            assertThat(server.kind()).isEqualTo("varnish");
            assertThat(server.version()).matches("\\d+\\.\\d+\\.\\d+");
            String output = varnish.administrate("param.show", "-l");
            Map<String, String> reported = new HashMap<>();
            Matcher matcher = PARAMETER.matcher(output);
            while (matcher.find()) {
                reported.put(matcher.group(1), matcher.group(2));
            }
            Map<String, String> different = new TreeMap<>();
            int compared = 0;
            for (Setting setting : server.settings()) {
                String expected = reported.get(setting.name());
                if (expected != null) {
                    compared++;
                    if (!plain(expected).equals(plain(setting.value()))) {
                        different.put(
                                setting.name(), setting.value() + ", varnish reports " + expected);
                    }
                }
            }
            assertThat(different).isEmpty();
            assertThat(compared).as(output).isGreaterThan(20);
            // The values read from its command line and defaults equal its reports, so no run-time
            // value replaces them.
            assertThat(server.settings())
                    .extracting(Setting::source)
                    .noneMatch(source -> source.contains("changed"));
            assertThat(server.settings())
                    .contains(
                            new Setting("thread_pool_max", "60", "command line -p"),
                            new Setting("storage", "malloc 16m", "command line -s"),
                            new Setting("socket:backlog", "333", "kernel, ss -ltn"),
                            new Setting("backend max_connections", "30", vcl + ":4"));
            assertThat(server.upstreams())
                    .extracting(Upstream::address)
                    .containsExactly("127.0.0.2:8081", "127.0.0.3:80");
            assertThat(Readings.value(server.configuration(), "access-log"))
                    .isEqualTo("shared memory");
            assertThat(server.toString()).doesNotContain("hunter2");
        }
    }

    @Test
    void parameter_setAtRunTime_isReportedWithItsStartValue() throws Exception {
        try (VarnishServer varnish =
                        VarnishServer.start(directory, "thread_pool_min=10", "thread_pool_max=60");
                Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS)) {
            assertThat(discovery.scan().servers())
                    .anyMatch(server -> server.port() == varnish.port());

            varnish.administrate("param.set", "thread_pool_max", "70");

            assertThat(discovery.rescan().servers())
                    .filteredOn(server -> server.port() == varnish.port())
                    .singleElement()
                    .satisfies(server -> assertThat(server.settings())
                            .contains(new Setting(
                                    "thread_pool_max",
                                    "70",
                                    "command line -p (configured 60, changed at run time)")));
        }
    }

    private static String plain(String value) {
        return value.matches("\\d+\\.\\d*")
                ? String.valueOf(Double.parseDouble(value))
                : value.matches("\\d+") ? value + ".0" : value;
    }
}
