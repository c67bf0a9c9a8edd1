package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.settings.SettingTree;
import dev.komainu.settings.kit.Spellings;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ProxySettingsTest {

    private static ProxySettings read(
            Map<String, ?> file, Map<String, String> environment, Map<String, String> line)
            throws SettingMistakesException {
        return ProxySettings.read(GivenSettings.reader(file, environment, line));
    }

    @Test
    void read_commandLineBeatsEnvironmentBeatsFile() throws Exception {
        Map<String, Object> file = Map.of(
                "routes", List.of(Map.of("prefix", "/", "origin", "http://127.0.0.1:1")),
                "cache", Map.of("memory", "10MB"),
                "connections", Map.of("max", 11),
                "workers", 3);
        ProxySettings settings = read(
                file,
                Map.of("KOMAINU_CACHE_MEMORY", "20MB", "KOMAINU_WORKERS", "4"),
                Map.of("workers", "5"));
        assertThat(settings.cache().memoryBytes()).isEqualTo(20L << 20);
        assertThat(settings.workers()).isEqualTo(5);
        assertThat(settings.connections().maxConnections()).isEqualTo(11);
        assertThat(settings.routes()).hasSize(1);
    }

    @Test
    void read_manyInvalidValues_reportsThemTogether() {
        SettingMistakesException problems = catchThrowableOfType(
                SettingMistakesException.class,
                () -> read(
                        Map.of("cahce", Map.of("memory", "1MB")),
                        Map.of(),
                        Map.of(
                                "workers",
                                "0",
                                "cache.memory",
                                "3",
                                "cache.policy",
                                "fifo",
                                "upstream.max-open",
                                "x",
                                "listen",
                                "nowhere")));
        assertThat(problems.mistakes())
                .contains(
                        "workers: 0 (expected: 1 to 256)",
                        "cache.memory: 3 (expected: 1MB to 1TB)",
                        "cache.policy: fifo (expected: w-tinylfu or lru)",
                        "upstream.max-open: x (expected: a whole number)",
                        "listen: nowhere (expected: ADDRESS:PORT)")
                .anyMatch(problem -> problem.startsWith("cahce.memory: unknown setting"))
                .anyMatch(problem -> problem.startsWith("origin: none"));
    }

    @Test
    void read_poolsWithoutPrefixes_orOutOfRange_areRefused() {
        SettingMistakesException problems = catchThrowableOfType(
                SettingMistakesException.class,
                () -> read(
                        Map.of(),
                        Map.of(),
                        Map.of(
                                "origin",
                                "http://127.0.0.1:1",
                                "cache.partition",
                                "basic",
                                "cache.priority",
                                "/a*",
                                "cache.partition-floor",
                                "0",
                                "cache.partition-damping",
                                "101")));
        assertThat(problems.mistakes())
                .containsExactlyInAnyOrder(
                        "cache.priority: /a* (expected: /PATH, HOST or HOST/PATH; /* at the end: only URLs directly there)",
                        "cache.priority: empty (expected: at least one URL prefix, because cache.partition is basic)",
                        "cache.partition-floor: 0 (expected: 1 to 80, percent)",
                        "cache.partition-damping: 101 (expected: 1 to 100, percent)");
    }

    @Test
    void read_forwardWithoutAllowList_isRefused() {
        SettingMistakesException problems = catchThrowableOfType(
                SettingMistakesException.class,
                () -> read(Map.of(), Map.of(), Map.of("forward.enabled", "true")));
        assertThat(problems.mistakes())
                .singleElement()
                .asString()
                .startsWith("forward.allow: empty");
    }

    @Test
    void spellings_areReadAsInEveryPart() throws Exception {
        for (Spellings.Spelling one : Spellings.of("size")) {
            hold("cache.memory", one, settings -> settings.cache().memoryBytes());
        }
        for (Spellings.Spelling one : Spellings.of("duration")) {
            hold(
                    "connections.idle-timeout",
                    one,
                    settings -> settings.connections().idleTimeout().toMillis());
        }
        for (Spellings.Spelling one : Spellings.of("truth")) {
            hold("cache.store-cookies", one, settings -> settings.cache().storeCookies());
        }
        for (Spellings.Spelling one : Spellings.of("share")) {
            hold("cache.max-object-share", one, settings -> settings.cache().maxObjectShare());
        }
        for (Spellings.Spelling one : Spellings.of("address")) {
            hold("listen", one, settings -> {
                InetSocketAddress address = settings.listen();
                String host = address.getAddress().getHostAddress();
                return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
            });
        }
    }

    private static void hold(
            String key, Spellings.Spelling one, Function<ProxySettings, Object> value)
            throws Exception {
        Map<String, String> given = Map.of("origin", "http://127.0.0.1:1", key, one.text());
        if (one.value() == null) {
            SettingMistakesException problems = catchThrowableOfType(
                    SettingMistakesException.class, () -> read(Map.of(), Map.of(), given));
            assertThat(problems.mistakes())
                    .anyMatch(problem ->
                            problem.startsWith(key + ": " + one.text() + " (expected: "));
        } else {
            assertThat(value.apply(read(Map.of(), Map.of(), given)))
                    .as(one.text())
                    .hasToString(one.value());
        }
    }

    @Test
    void effective_listsEachSettingWithItsSource_andReadsBackTheSame() throws Exception {
        SettingReader values = new SettingReader(List.of(
                SettingSource.commandLine(Map.of("origin", "http://127.0.0.1:1")),
                SettingSource.environment(Map.of("KOMAINU_CACHE_MEMORY", "20MB"), "KOMAINU_"),
                SettingTree.of(Map.of("cache", Map.of("memory", "10MB", "policy", "lru")))));
        ProxySettings settings = ProxySettings.read(values);

        assertThat(values.effective())
                .extracting(EffectiveSetting::line)
                .contains(
                        "cache.memory: 20MB  # $KOMAINU_CACHE_MEMORY",
                        "cache.policy: lru  # file",
                        "origin: http://127.0.0.1:1  # command line",
                        "control.listen: 127.0.0.1:7681  # default",
                        "connections.idle-timeout: 60s  # default");
        Map<String, String> written = new HashMap<>();
        values.effective().forEach(one -> {
            if (!one.value().equals("none")) {
                written.put(one.key(), one.value());
            }
        });
        assertThat(read(Map.of(), Map.of(), written)).isEqualTo(settings);
    }
}
