package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.agent.evidence.EvidenceSettings;
import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.Spellings;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.record.Endpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentSettingsTest {

    @Test
    void read_layers_commandLineOverEnvironmentOverFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("agent.yaml"), """
                node: from-file
                print: true
                ports: [80, 443]
                capture:
                  snaplen: 512
                  buffer: 8MB
                host:
                  interval: 1m
                """);
        AgentSettings settings = GivenSettings.read(
                Map.of("node", "from-option"),
                Map.of(
                        "KOMAINU_AGENT_NODE",
                        "from-environment",
                        "KOMAINU_AGENT_HOST_INTERVAL",
                        "2s",
                        "PATH",
                        "/bin"),
                file,
                "here");
        assertThat(settings.node()).isEqualTo("from-option");
        assertThat(settings.host().interval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.ports()).containsExactlyInAnyOrder(80, 443);
        assertThat(settings.snaplen()).isEqualTo(512);
        assertThat(settings.bufferBytes()).isEqualTo(8 << 20);
    }

    @Test
    void read_nothingButPrint_givesDefaults() throws Exception {
        AgentSettings settings =
                GivenSettings.read(Map.of("print", "true"), Map.of(), null, "here");
        assertThat(settings.node()).isEqualTo("here");
        assertThat(settings.mode()).isEqualTo(AgentSettings.Mode.BOTH);
        assertThat(settings.snaplen()).isEqualTo(1024);
        assertThat(settings.bufferBytes()).isEqualTo(64 << 20);
        assertThat(settings.captureThreads()).isEqualTo(1);
        assertThat(settings.central()).isNull();
        assertThat(settings.host().interval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.host().doubtInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.host().doubts()).isTrue();
    }

    @Test
    void read_manyMistakes_areToldTogetherWithTheirPlaces(@TempDir Path directory)
            throws Exception {
        Path file = Files.writeString(
                directory.resolve("agent.yaml"),
                "print: maybe\ncapture:\n  snaplen: 7\nspeed: 9\n");
        SettingMistakesException thrown = problems(
                Map.of("ports", "80,99999", "mode", "sideways", "central.url", "ftp://somewhere"),
                Map.of(
                        "KOMAINU_AGENT_HOST_INTERVAL",
                        "0s",
                        "KOMAINU_AGENT_CAPTURE_THREADS",
                        "9",
                        "KOMAINU_AGENT_NOPE",
                        "1"),
                file);
        assertThat(thrown.mistakes())
                .anyMatch(p -> p.equals("print: maybe in " + file + ":1 (expected: true or false)"))
                .anyMatch(p -> p.equals(
                        "capture.snaplen: 7 in " + file + ":3 (expected: 96 to 65,535 bytes)"))
                .anyMatch(p -> p.equals(
                        "capture.threads: 9 in $KOMAINU_AGENT_CAPTURE_THREADS (expected: 1 to 8)"))
                .anyMatch(p -> p.startsWith("speed in " + file + ":4: unknown setting"))
                .anyMatch(p -> p.equals("ports: 99999 in --port (expected: 1 to 65,535)"))
                .anyMatch(p -> p.equals(
                        "mode: sideways in --host-only, --capture-only (expected: one of both, host-only,"
                                + " capture-only)"))
                .anyMatch(p ->
                        p.startsWith("central.url: ftp://somewhere in --central (expected: http"))
                .anyMatch(p -> p.equals(
                        "host.interval: 0s in $KOMAINU_AGENT_HOST_INTERVAL (expected: 1s to 5m)"))
                .anyMatch(p -> p.startsWith("$KOMAINU_AGENT_NOPE: unknown setting"));
    }

    @Test
    void read_fileWithTags_makesNoObjects(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("agent.yaml"),
                "print: true\nnode: !!java.net.URL [\"http://x\"]\n");
        assertThat(problems(Map.of("print", "true"), Map.of(), file).mistakes())
                .singleElement()
                .asString()
                .startsWith("--config: " + file + ":2");
    }

    @Test
    void read_brokenFile_namesTheLine(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("agent.yaml"), "print: true\nnode: [\n");
        assertThat(problems(Map.of("print", "true"), Map.of(), file).mistakes())
                .singleElement()
                .asString()
                .startsWith("--config: " + file + ":");
    }

    @Test
    void read_listsOfLogsAndProxies_areReadEntryByEntry(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("agent.yaml"), """
                print: true
                access-log: off
                origin-sides: [10.0.0.5:80, "10.0.0.6:80=10.0.0.9:8080", "10.0.0.6:80=10.0.0.10:8080"]
                access-logs:
                  - service: web-01:80
                    file: /var/log/nginx/access.log
                    format: '$remote_addr, [$time_local] "$request" $request_time'
                  - {service: 3128, file: /var/log/squid/access.log, format: squid}
                proxies:
                  - client: 10.0.0.7:3128
                    origins: [192.0.2.1:80, "[2001:db8::1]:443"]
                """);
        OutsideSettings outside =
                GivenSettings.read(Map.of(), Map.of(), file, "here").outside();

        assertThat(outside.readsAccessLogs()).isFalse();
        assertThat(outside.accessLogs())
                .containsExactly(
                        new OutsideSettings.GivenLog(
                                "web-01:80",
                                Path.of("/var/log/nginx/access.log"),
                                "$remote_addr, [$time_local] \"$request\" $request_time"),
                        new OutsideSettings.GivenLog(
                                "3128", Path.of("/var/log/squid/access.log"), "squid"));
        assertThat(outside.proxies())
                .containsExactlyInAnyOrder(
                        new OutsideSettings.GivenProxy(Endpoint.parse("10.0.0.5:80"), List.of()),
                        new OutsideSettings.GivenProxy(
                                Endpoint.parse("10.0.0.6:80"),
                                List.of(
                                        Endpoint.parse("10.0.0.9:8080"),
                                        Endpoint.parse("10.0.0.10:8080"))),
                        new OutsideSettings.GivenProxy(
                                Endpoint.parse("10.0.0.7:3128"),
                                List.of(
                                        Endpoint.parse("192.0.2.1:80"),
                                        Endpoint.parse("[2001:db8::1]:443"))));
    }

    @Test
    void read_listsWithMistakes_areToldWithTheirPlaces(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("agent.yaml"),
                "print: true\naccess-log: sometimes\naccess-logs:\n  - {file: /x, colour: red}\nproxies:\n  - client: web\n");
        assertThat(problems(Map.of("origin-sides", "1.2.3.4=x"), Map.of(), file).mistakes())
                .anyMatch(p ->
                        p.equals("access-log: sometimes in " + file + ":2 (expected: auto or off)"))
                .anyMatch(p ->
                        p.equals("access-logs[0].service: none (expected: a service's id or port)"))
                .anyMatch(p ->
                        p.startsWith("access-logs[0].colour in " + file + ":4: unknown setting"))
                .anyMatch(p -> p.startsWith(
                        "proxies[0].client: web in " + file + ":6 (expected: ADDRESS:PORT"))
                .anyMatch(p -> p.startsWith(
                        "origin-sides: 1.2.3.4 in --origin-side (expected: ADDRESS:PORT"));
    }

    @Test
    void read_nowhereToReport_isSaid() {
        assertThat(problems(Map.of(), Map.of(), null).mistakes())
                .containsExactly(
                        "central.url: none (expected: where to report, --enrol CODE, or --print to see the records here)");
    }

    private static SettingMistakesException problems(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file) {
        return catchThrowableOfType(
                SettingMistakesException.class,
                () -> GivenSettings.read(options, environment, file, "here"));
    }

    @Test
    void read_hostLessOftenThanInDoubt_doubtIsNoLonger() throws Exception {
        AgentSettings settings = GivenSettings.read(
                Map.of(
                        "print",
                        "true",
                        "host.interval",
                        "2s",
                        "host.doubt-interval",
                        "5s",
                        "host.doubt",
                        "never"),
                Map.of(),
                null,
                "here");
        assertThat(settings.host().doubtInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.host().doubts()).isFalse();
    }

    @Test
    void read_hostSettingsWrong_tellWhatIsExpected() {
        assertThat(problems(
                                Map.of(
                                        "print",
                                        "true",
                                        "host.doubt",
                                        "often",
                                        "host.doubt-interval",
                                        "2m"),
                                Map.of("KOMAINU_AGENT_HOST_SYSTEM_CALLS", "yes"),
                                null)
                        .mistakes())
                .anyMatch(p ->
                        p.contains("host.doubt: often") && p.contains("(expected: auto or never)"))
                .anyMatch(p ->
                        p.contains("host.doubt-interval: 2m") && p.contains("(expected: 1s to 1m)"))
                .anyMatch(p -> p.contains("host.system-calls: yes")
                        && p.contains("(expected: auto or never)"));
    }

    @Test
    void spellings_areReadAsInEveryPart() throws Exception {
        for (Spellings.Spelling one : Spellings.of("size")) {
            hold("capture.buffer", one, settings -> settings.bufferBytes());
        }
        for (Spellings.Spelling one : Spellings.of("duration")) {
            hold("host.interval", one, settings -> settings.host().interval().toMillis());
        }
        for (Spellings.Spelling one : Spellings.of("truth")) {
            hold("privacy.mask-clients", one, settings -> settings.privacy().maskClients());
        }
        for (Spellings.Spelling one : Spellings.of("address")) {
            hold("services", one, settings -> written(settings.services().getFirst()));
        }
    }

    private static String written(Endpoint endpoint) {
        String host = endpoint.address().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + endpoint.port();
    }

    private static void hold(
            String key, Spellings.Spelling one, Function<AgentSettings, Object> value)
            throws Exception {
        Map<String, String> given = Map.of("print", "true", key, one.text());
        if (one.value() == null) {
            assertThat(problems(given, Map.of(), null))
                    .hasMessageContaining(key + ": " + one.text() + " in ");
        } else {
            assertThat(value.apply(GivenSettings.read(given, Map.of(), null, "here")))
                    .as(one.text())
                    .hasToString(one.value());
        }
    }

    @Test
    void read_aListOfTheFile_mayBeDividedByCommasAndBlanks(@TempDir Path directory)
            throws Exception {
        Path file = Files.writeString(
                directory.resolve("agent.yaml"),
                "print: true\nports: ['80, 81', 82]\ninterfaces: lo eth0\n");
        AgentSettings settings =
                GivenSettings.read(Map.of("also-ports", "1, 2 3"), Map.of(), file, "here");
        assertThat(settings.ports()).containsExactlyInAnyOrder(80, 81, 82);
        assertThat(settings.interfaces()).containsExactly("lo", "eth0");
        assertThat(settings.alsoPorts()).containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    void read_theCentralService_isInTheVariablesOfAllPrograms_first(@TempDir Path directory)
            throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "kmn_any");
        AgentSettings settings = GivenSettings.read(
                Map.of(),
                Map.of(
                        "KOMAINU_CENTRAL_URL",
                        "http://a:1",
                        "KOMAINU_AGENT_CENTRAL_URL",
                        "http://b:1",
                        "KOMAINU_AGENT_CENTRAL_TOKEN_FILE",
                        token.toString()),
                null,
                "here");
        assertThat(settings.central()).hasToString("http://a:1");
        assertThat(settings.tokenFile()).isEqualTo(token);
        assertThat(problems(
                                Map.of("print", "true"),
                                Map.of("KOMAINU_CENTRAL_NOPE", "1", "KOMAINU_URL", "x"),
                                null)
                        .mistakes())
                .singleElement()
                .asString()
                .startsWith("$KOMAINU_CENTRAL_NOPE: unknown setting");
    }

    @Test
    void read_severalCentralServices_areAddresses_inOneTextOrAList_andAreOneInstallation(
            @TempDir Path directory) throws Exception {
        String token = Files.writeString(directory.resolve("token"), "kmn_any").toString();
        String both = "https://a:1,https://b:2";
        Path list = Files.writeString(
                directory.resolve("list.yaml"),
                "central:\n  url: [https://a:1, https://b:2]\n  token-file: " + token + "\n");
        SettingReader reader = GivenSettings.reader(Map.of(), Map.of(), list);
        assertThat(AgentSettings.read(reader, "here").central()).hasToString(both);
        assertThat(reader.effective())
                .extracting(EffectiveSetting::line)
                .contains("central.url: " + both + "  # file");
        assertThat(GivenSettings.read(
                                Map.of(),
                                Map.of(
                                        "KOMAINU_CENTRAL_URL",
                                        "https://a:1 https://b:2",
                                        "KOMAINU_CENTRAL_TOKEN_FILE",
                                        token,
                                        "KOMAINU_AGENT_CHANGES_ALLOW",
                                        "yes"),
                                null,
                                "here")
                        .central())
                .hasToString(both);
        assertThat(problems(
                                Map.of(
                                        "central.url",
                                        "https://a:1, http://b:2",
                                        "central.token-file",
                                        token),
                                Map.of(),
                                null)
                        .mistakes())
                .contains(
                        "central.url: http://b:2, address 2 at character 14 in --central (expected:"
                                + " several addresses all with https, or all http of this host)");
    }

    @Test
    void read_aCentralServiceWithoutToken_orWithoutWhereToReport_isSaid() {
        assertThat(problems(Map.of("central.url", "https://a:1"), Map.of(), null)
                        .mistakes())
                .containsExactly(
                        "central.token-file: none (expected: --enrol CODE, or a file holding a token with scope"
                                + " ingest, since central.url is given)");
        assertThat(problems(Map.of("central.url", "none"), Map.of(), null).mistakes())
                .containsExactly(
                        "central.url: none in --central (expected: where to report, --enrol CODE, or --print to"
                                + " see the records here)");
    }

    @Test
    void read_anEnrolmentCode_needsNeitherUrlNorToken_andNamesTheCentralService() throws Exception {
        String code = "https://central.example:7600#" + "s".repeat(32) + "." + "A".repeat(43);
        AgentSettings settings = GivenSettings.read(
                Map.of("central.enrolment-code", code), Map.of(), null, "web-01");
        assertThat(settings.central()).hasToString("https://central.example:7600");
        assertThat(settings.names())
                .isEqualTo(new PartNames(PartNames.Kind.AGENT, "agent@web-01", "web-01"));
        assertThat(GivenSettings.read(
                                Map.of(
                                        "central.url",
                                        "https://10.0.0.5:7600",
                                        "mode",
                                        "capture-only"),
                                Map.of("KOMAINU_CENTRAL_ENROLMENT_CODE", code),
                                null,
                                "web-01")
                        .central())
                .as("the given address goes before the one of the code")
                .hasToString("https://10.0.0.5:7600");
        assertThat(problems(
                                Map.of("central.enrolment-code", "https://central.example:7600"),
                                Map.of(),
                                null)
                        .mistakes())
                .containsExactly(
                        "central.enrolment-code: character 29: the end in --enrol (expected:"
                                + " #SECRET.FINGERPRINT; in a shell the whole code in quotes)");
    }

    @Test
    void read_aProbe_reportsUnderTheSameNamesAsAnotherKind() throws Exception {
        assertThat(GivenSettings.read(
                                Map.of("print", "true", "mode", "capture-only"),
                                Map.of(),
                                null,
                                "web-01")
                        .names())
                .isEqualTo(new PartNames(PartNames.Kind.PROBE, "agent@web-01", "web-01"));
    }

    @Test
    void read_changes_needACentralServiceThatCannotBeAnother(@TempDir Path directory)
            throws Exception {
        String token = Files.writeString(directory.resolve("token"), "kmn_any").toString();
        Map<String, String> https =
                Map.of("central.url", "https://a:1", "central.token-file", token);
        Map<String, String> http = Map.of("central.url", "http://a:1", "central.token-file", token);
        assertThat(GivenSettings.read(
                                https, Map.of("KOMAINU_AGENT_CHANGES_ALLOW", "yes"), null, "here")
                        .changes())
                .isEqualTo(new ChangeSettings(true, null, Set.of()));
        ChangeSettings restricted = GivenSettings.read(
                        https,
                        Map.of(
                                "KOMAINU_AGENT_CHANGES_ALLOW",
                                "yes",
                                "KOMAINU_AGENT_CHANGES_PORTS",
                                "80 443"),
                        null,
                        "here")
                .changes();
        assertThat(restricted.permits(80, "worker_connections")).isTrue();
        assertThat(restricted.permits(81, "worker_connections")).isFalse();
        assertThat(restricted.permits(80, "sysctl:net.core.somaxconn")).isFalse();
        assertThat(problems(http, Map.of("KOMAINU_AGENT_CHANGES_ALLOW", "yes"), null)
                        .mistakes())
                .containsExactly(
                        "changes.allow: yes in $KOMAINU_AGENT_CHANGES_ALLOW (expected: the order key itself, as"
                                + " GET /api/v1/order-key tells it, since http://a:1 may be anybody)");
        assertThat(problems(Map.of("print", "true", "changes.allow", "true"), Map.of(), null)
                        .mistakes())
                .containsExactly(
                        "changes.allow: true in --allow-changes (expected: with central.url or an identity, and"
                                + " not with --capture-only)");
        assertThat(problems(https, Map.of("KOMAINU_AGENT_CHANGES_ALLOW", "no key"), null)
                        .mistakes())
                .containsExactly(
                        "changes.allow: no key in $KOMAINU_AGENT_CHANGES_ALLOW (expected: no, yes, the central"
                                + " service's order key or a file holding it)");
    }

    @Test
    void read_evidence_needsADirectory_andWindowsWholeSeconds(@TempDir Path directory)
            throws Exception {
        Map<String, String> given =
                Map.of("print", "true", "dump.file", directory + "/a.pcap", "dump.size", "2MB");
        assertThat(GivenSettings.read(given, Map.of(), null, "here").evidence())
                .isEqualTo(new EvidenceSettings(directory.resolve("a.pcap"), 2 << 20, 0));
        assertThat(problems(
                                Map.of(
                                        "print",
                                        "true",
                                        "dump.file",
                                        directory.toString(),
                                        "capture.window",
                                        "1500ms"),
                                Map.of(),
                                null)
                        .mistakes())
                .containsExactlyInAnyOrder(
                        "dump.file: " + directory
                                + " in --dump (expected: a file in a directory that exists)",
                        "capture.window: 1500ms in --window (expected: 1s to 60s, whole seconds)");
    }

    @Test
    void effective_tellsEachSettingWithItsSource() throws Exception {
        SettingReader reader = GivenSettings.reader(
                Map.of("print", "true"), Map.of("KOMAINU_AGENT_HOST_INTERVAL", "2s"), null);
        AgentSettings.read(reader, "here");
        assertThat(reader.effective())
                .extracting(EffectiveSetting::line)
                .contains(
                        "print: true  # command line",
                        "host.interval: 2s  # $KOMAINU_AGENT_HOST_INTERVAL",
                        "node: here  # default",
                        "discovery.interval: 10s  # default",
                        "central.url: none  # default");
    }
}
