package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingReaderTest {

    private static final Setting<Duration> IDLE =
            Setting.duration("idle.timeout", "100ms", "1h").byDefault("60s").effect("how long");
    private static final Setting<Integer> WORKERS = Setting.integer("workers", 1, 256)
            .byDefault("processors", () -> 7)
            .atStart("loops run")
            .effect("loops");
    private static final Setting<InetSocketAddress> LISTEN =
            Setting.address("listen").formerly("bind").effect("where");
    private static final Setting<List<Integer>> PORTS =
            Setting.integer("ports", 1, 65_535).list().byDefault("443").effect("which");

    private static SettingReader reader(SettingSource... sources) {
        SettingReader reader = new SettingReader(List.of(sources));
        reader.get(IDLE);
        reader.get(WORKERS);
        reader.find(LISTEN);
        reader.get(PORTS);
        return reader;
    }

    private static List<String> mistakes(SettingReader reader) {
        reader.refuseUnknown();
        try {
            reader.finish();
            return List.of();
        } catch (SettingMistakesException e) {
            return e.mistakes();
        }
    }

    @Test
    void get_notWritten_isTheDefault() {
        SettingReader reader = SettingReader.ofDefaults();
        assertThat(reader.get(IDLE)).isEqualTo(Duration.ofMinutes(1));
        assertThat(reader.get(WORKERS)).isEqualTo(7);
        assertThat(reader.get(WORKERS, 3)).isEqualTo(3);
        assertThat(reader.get(PORTS)).containsExactly(443);
        assertThat(reader.find(LISTEN)).isNull();
    }

    @Test
    void get_inSeveralPlaces_theFirstCounts_andItsPlaceIsReported() {
        SettingSource line = SettingSource.commandLine(Map.of("idle.timeout", "1s"));
        SettingSource environment = SettingSource.environment(
                Map.of("KOMAINU_IDLE_TIMEOUT", "2s", "KOMAINU_WORKERS", "2"), "KOMAINU_");
        SettingSource file = SettingTree.of(
                Map.of("idle", Map.of("timeout", "3s"), "workers", 3, "ports", List.of(1, 2)));
        SettingReader reader = reader(line, environment, file);
        assertThat(reader.get(IDLE)).isEqualTo(Duration.ofSeconds(1));
        assertThat(reader.get(WORKERS)).isEqualTo(2);
        assertThat(reader.get(PORTS)).containsExactly(1, 2);
        assertThat(reader.effective().stream().map(EffectiveSetting::line))
                .containsExactly(
                        "idle.timeout: 1s  # command line",
                        "listen: none  # default",
                        "ports: 1,2  # file",
                        "workers: 2  # $KOMAINU_WORKERS");
    }

    @Test
    void finish_reportsAllMistakes_eachWithPlaceAndExpectation() {
        SettingSource environment =
                SettingSource.environment(Map.of("KOMAINU_WORKERS", "many"), "KOMAINU_");
        SettingSource file = SettingTree.of(Map.of(
                "idle.timeout", "2h", "ports", List.of(0, 5, 70_000), "listen", Map.of("port", 5)));
        assertThat(mistakes(reader(environment, file)))
                .containsExactly(
                        "idle.timeout: 2h (expected: 100ms to 1h)",
                        "workers: many in $KOMAINU_WORKERS (expected: a whole number)",
                        "listen: {port=5} (expected: a single value)",
                        "ports: 0 (expected: 1 to 65,535)",
                        "ports: 70000 (expected: 1 to 65,535)");
    }

    @Test
    void refuseUnknown_namesTheNearest_andTheNewNameOfARenamedOne() {
        assertThat(mistakes(reader(SettingTree.of(Map.of("idle", Map.of("timeuot", "3s"))))))
                .containsExactly(
                        "idle.timeuot: unknown setting (nearest: idle.timeout; expected one of idle.timeout, listen,"
                                + " ports, workers)");
        assertThat(mistakes(reader(SettingTree.of(Map.of("bind", "127.0.0.1:80")))))
                .containsExactly("bind: renamed (expected: listen)");
        assertThat(mistakes(reader(SettingTree.of(
                        Map.of("idle.timeout", "3s", "idle", Map.of("timeout", "4s"))))))
                .containsExactly(
                        "idle.timeout: written twice (expected: once, as a tree or with dots)");
        assertThat(mistakes(reader(SettingTree.of(Map.of("idle", 5)))))
                .containsExactly("idle: 5 (expected: a map of settings)");
    }

    @Test
    void refuseUnknown_anEmptyMap_isNothing() {
        assertThat(mistakes(reader(SettingTree.of(Map.of("idle", Map.of()))))).isEmpty();
        assertThat(mistakes(reader(SettingTree.of(Map.of("idel", Map.of())))).getFirst())
                .startsWith("idel: unknown setting");
    }

    @Test
    void check_ofAValueFromElsewhere_namesTheRange() {
        List<String> mistakes = new ArrayList<>();
        WORKERS.check(256, mistakes);
        IDLE.check(Duration.ofHours(1), mistakes);
        assertThat(mistakes).isEmpty();
        WORKERS.check(257, mistakes);
        IDLE.check(Duration.ofMillis(99), mistakes);
        assertThat(mistakes)
                .containsExactly(
                        "workers: 257 (expected: 1 to 256)",
                        "idle.timeout: 99ms (expected: 100ms to 1h)");
    }

    @Test
    void none_isAbsent_onlyWithoutADefault() {
        SettingReader reader = reader(SettingTree.of(Map.of("listen", "none", "workers", "none")));
        assertThat(reader.find(LISTEN)).isNull();
        reader.require(LISTEN, "an address");
        assertThat(mistakes(reader))
                .containsExactly(
                        "workers: none (expected: a whole number)",
                        "listen: none (expected: an address)");
    }

    @Test
    void members_areReadSeparately_withTheirPlace() {
        Setting<List<String>> list = Setting.text("serve", "maps").list().effect("what");
        SettingReader reader = new SettingReader(List.of(SettingTree.of(Map.of(
                "serve", List.of(Map.of("workers", 5), Map.of("workers", 0, "x", 1), "y")))));
        List<Integer> members = reader.members(list, one -> {
            one.require(LISTEN, "an address");
            return one.find(WORKERS);
        });
        assertThat(members).hasSize(2).contains(5);
        assertThat(mistakes(reader))
                .containsExactly(
                        "serve[0].listen: none (expected: an address)",
                        "serve[1].listen: none (expected: an address)",
                        "serve[1].workers: 0 (expected: 1 to 256)",
                        "serve[1].x: unknown setting (expected one of workers)",
                        "serve[2]: y (expected: a map of settings)");
    }

    @Test
    void below_readsAnotherPartsSettings_underAKey() {
        SettingSource environment =
                SettingSource.environment(Map.of("KOMAINU_ORGANIZER_WORKERS", "9"), "KOMAINU_");
        SettingReader reader = new SettingReader(List.of(
                environment,
                SettingTree.of(Map.of("organizer", Map.of("idle", Map.of("timeout", "0"))))));
        assertThat(reader.has("organizer")).isTrue();
        SettingReader inside = reader.below("organizer", "a cluster is joined at the start");
        assertThat(inside.get(WORKERS)).isEqualTo(9);
        inside.get(IDLE);
        inside.mistake(WORKERS, 9, "fewer");
        assertThat(mistakes(reader))
                .containsExactly(
                        "organizer.idle.timeout: 0 (expected: 100ms to 1h)",
                        "organizer.workers: 9 in $KOMAINU_ORGANIZER_WORKERS (expected: fewer)");
    }

    @Test
    void declaration_withADefaultOutOfRange_isRefusedAtOnce() {
        assertThatThrownBy(() -> Setting.integer("x", 1, 5).byDefault("6"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static final Setting<List<Integer>> EVEN = Setting.integer("even", 0, 100)
            .range("even numbers")
            .that(number -> number % 2 == 0)
            .option("--even")
            .words()
            .effect("which");
    private static final Setting<Boolean> LOOKS =
            Setting.truth("looks", "auto", "never").byDefault("auto").effect("whether");
    private static final Setting<URI> URL = Setting.url("central.url").effect("where");

    @Test
    void words_areDividedByCommasAndBlanks_inAFileToo() {
        assertThat(new SettingReader(List.of(SettingSource.commandLine(Map.of("even", " 2,4  6 "))))
                        .get(EVEN))
                .containsExactly(2, 4, 6);
        assertThat(new SettingReader(List.of(SettingTree.of(Map.of("even", List.of("2, 4", 6)))))
                        .get(EVEN))
                .containsExactly(2, 4, 6);
    }

    @Test
    void mistakes_ofAnOption_nameIt() {
        SettingReader reader = new SettingReader(
                List.of(SettingSource.commandLine(Map.of("even", "2,3,x", "looks", "seldom"))));
        reader.find(EVEN);
        reader.get(LOOKS);
        reader.mistake(LOOKS, "with a window");
        assertThat(mistakes(reader))
                .containsExactly(
                        "even: 3 in --even (expected: even numbers)",
                        "even: x in --even (expected: a whole number)",
                        "looks: seldom in the command line (expected: auto or never)",
                        "looks: seldom in the command line (expected: with a window)");
    }

    @Test
    void environment_withTwoVariablesForAKey_refusesAThird() {
        SettingSource environment = SettingSource.environment(
                Map.of(
                        "KOMAINU_CENTRAL_URL",
                        "http://[::1",
                        "KOMAINU_CENTRAL_NAME",
                        "x",
                        "KOMAINU_AGENT_LOOKS",
                        "NEVER"),
                key -> key.startsWith("central.")
                        ? List.of(
                                SettingSource.variable("KOMAINU_", key),
                                SettingSource.variable("KOMAINU_AGENT_", key))
                        : List.of(SettingSource.variable("KOMAINU_AGENT_", key)),
                Set.of("KOMAINU_AGENT_", "KOMAINU_CENTRAL_"));
        SettingReader reader = new SettingReader(List.of(environment));
        assertThat(reader.get(LOOKS)).isFalse();
        assertThat(reader.find(URL)).isNull();
        assertThat(mistakes(reader))
                .containsExactly(
                        "central.url: http://[::1 in $KOMAINU_CENTRAL_URL"
                                + " (expected: http://HOST:PORT or https://HOST:PORT)",
                        "$KOMAINU_CENTRAL_NAME: unknown setting (expected one of central.url, looks)");
    }

    @Test
    void isGiven_none_isNot() {
        SettingReader reader = reader(SettingTree.of(Map.of("listen", "none", "workers", 3)));
        assertThat(reader.isGiven(LISTEN)).isFalse();
        assertThat(reader.isGiven(WORKERS)).isTrue();
    }
}
