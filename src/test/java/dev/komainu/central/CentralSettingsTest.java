package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.Spellings;
import dev.komainu.settings.kit.Spellings.Spelling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;

/**
 * Tests of the settings: all mistakes are reported at once, each with key, value, place and
 * expectation.
 */
class CentralSettingsTest {

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void read_severalMistakes_reportsAllOfThem() {
        environment.setProperty("komainu.stream.clients", "0");
        environment.setProperty("komainu.stream.heartbeat", "soon");
        environment.setProperty("komainu.access.sesion-idle", "7h");
        environment.setProperty("komainu.caches.file", " ");

        assertThat(mistakes())
                .hasSize(4)
                .contains("komainu.stream.clients: 0 in mockProperties (expected: 1 to 10,000)")
                .contains("komainu.stream.heartbeat: soon in mockProperties"
                        + " (expected: a duration such as 500ms, 10s, 5m, 1h, 30d)")
                .anyMatch(
                        line -> line.startsWith(
                                "komainu.access.sesion-idle in mockProperties: unknown setting"
                                        + " (nearest: komainu.access.session-idle; expected one of komainu.access.audit-days, "))
                .anyMatch(line -> line.startsWith("komainu.caches.file: "));
    }

    @Test
    void read_addressOfTheLease_isNotInClearTextBeyondThisMachine() {
        for (String right : List.of(
                "http://127.0.0.1:7600", "http://[::1]:7600", "https://centre-1.example:7600")) {
            environment.setProperty("komainu.lease.address", right);
            assertThat(CentralSettings.read(environment).lease().address()).isEqualTo(right);
        }
        for (String wrong : List.of(
                "http://10.0.0.5:7600",
                "http://centre-1.example:7600",
                "https://me@centre-1.example:7600",
                "https://centre-1.example:7600/path",
                "centre-1.example:7600")) {
            environment.setProperty("komainu.lease.address", wrong);
            assertThat(mistakes())
                    .as(wrong)
                    .singleElement()
                    .asString()
                    .startsWith("komainu.lease.address: ");
        }
    }

    @Test
    void read_rightValues_areAccepted() {
        environment.setProperty("komainu.stream.clients", " 5 ");
        environment.setProperty("komainu.stream.heartbeat", "90s");
        environment.setProperty("komainu.store.memory", "64MB");
        environment.setProperty("komainu.secure-cookie", "true");
        environment.setProperty("komainu.hosts", "a.example, b.example");
        environment.setProperty("komainu.alerts.url", "https://komainu.example/");

        CentralSettings read = CentralSettings.read(environment);

        assertThat(read.stream().clients()).isEqualTo(5);
        assertThat(read.stream().heartbeat()).isEqualTo(Duration.ofSeconds(90));
        assertThat(read.store().memory()).isEqualTo(DataSize.ofMegabytes(64));
        assertThat(read.guard().secureCookie()).isTrue();
        assertThat(read.guard().hosts()).containsExactly("a.example", "b.example");
        assertThat(read.alerts().url()).isEqualTo("https://komainu.example");
    }

    @Test
    void read_nothing_isTheDefaults() {
        CentralSettings read = CentralSettings.read(environment);

        assertThat(read.address() + " " + read.port()).isEqualTo("127.0.0.1 7600");
        assertThat(read.data()).isAbsolute().endsWithRaw(Path.of("data", "central"));
        assertThat(read.guard().hosts()).isEmpty();
        assertThat(read.access().bootstrapTokens()).isNull();
        assertThat(read.caches().file()).isNull();
        assertThat(read.alerts().url()).isEqualTo("http://127.0.0.1:7600");
    }

    /** A list in Spring's form of {@code application.yml}. */
    @Test
    void read_list_isAsOneText() {
        environment.setProperty("komainu.hosts[0]", "a.example");
        environment.setProperty("komainu.hosts[1]", "b.example");

        assertThat(CentralSettings.read(environment).guard().hosts())
                .containsExactly("a.example", "b.example");
    }

    @Test
    void read_listOfWrongMembers_reportsEach() {
        environment.setProperty("komainu.hosts[0]", "a.example:80");
        environment.setProperty("komainu.store.threads[0]", "1");
        environment.setProperty("komainu.store.threads[1]", "2");
        environment.setProperty("komainu.colours[0]", "red");

        assertThat(mistakes())
                .hasSize(3)
                .contains(
                        "komainu.hosts: a.example:80 in mockProperties (expected: a host name without port)")
                .contains("komainu.store.threads: 1,2 in mockProperties (expected: a whole number)")
                .anyMatch(line ->
                        line.startsWith("komainu.colours in mockProperties: unknown setting"));
    }

    @Test
    void read_variablesOfTheProcess_unknownOnesAreNoMistake() {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "systemEnvironment",
                        Map.of("KOMAINU_ACCESS_SESSION_IDLE", "0s", "KOMAINU_JAVA_HOME", "/jdk")));
        ConfigurationPropertySources.attach(environment);

        assertThat(mistakes())
                .containsExactly(
                        "komainu.access.session-idle: 0s in systemEnvironment (expected: 1m to 30d)");
    }

    @Test
    void read_severalPlaces_theFirstApplies() {
        environment.setProperty("komainu.stream.queue", "100");
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "commandLineArgs", Map.of("komainu.stream.queue", "200")));

        assertThat(CentralSettings.read(environment).stream().queue()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"90", "6m", "0s", "-5s", "PT", ""})
    void read_durationWithoutUnitOrOutOfRange_isAMistake(String text) {
        environment.setProperty("komainu.stream.heartbeat", text);

        assertThat(mistakes())
                .singleElement()
                .asString()
                .startsWith("komainu.stream.heartbeat: " + text + " in mockProperties (expected: ");
    }

    @ParameterizedTest
    @CsvSource({
        ":7600, 0.0.0.0, 7600, https://0.0.0.0:7600",
        "*:7600, 0.0.0.0, 7600, https://0.0.0.0:7600",
        "0.0.0.0:80, 0.0.0.0, 80, https://0.0.0.0:80",
        "localhost:0, localhost, 0, http://localhost:0",
        "[::1]:7601, ::1, 7601, http://[::1]:7601"
    })
    void listen_asInEveryProgram_isAddressAndPort(
            String text, String address, String port, String url) {
        environment.setProperty("komainu.listen", text);

        CentralSettings read = CentralSettings.read(environment);

        assertThat(read.address()).isEqualTo(address);
        assertThat(read.port()).isEqualTo(port);
        assertThat(read.alerts().url()).isEqualTo(url);
    }

    @Test
    void spellings_areReadAsInEveryPart() throws IOException {
        for (Spelling one : Spellings.of("size")) {
            hold(one, "komainu.store.memory", read -> read.store().memory().toBytes());
        }
        for (Spelling one : Spellings.of("duration")) {
            hold(one, "komainu.verify.settle", read -> read.verify().settle().toMillis());
        }
        for (Spelling one : Spellings.of("truth")) {
            hold(one, "komainu.secure-cookie", read -> read.guard().secureCookie());
        }
        for (Spelling one : Spellings.of("address")) {
            hold(one, "komainu.listen", CentralSettingsTest::bound);
        }
    }

    /** Returns the listen address. */
    private static String bound(CentralSettings read) {
        try {
            String address = InetAddress.getByName(read.address()).getHostAddress();
            return (address.contains(":") ? "[" + address + "]" : address) + ":" + read.port();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void hold(Spelling one, String key, Function<CentralSettings, Object> value) {
        MockEnvironment given = new MockEnvironment().withProperty(key, one.text());
        if (one.value() == null) {
            assertThat(mistakes(given))
                    .singleElement()
                    .asString()
                    .startsWith(key + ": " + one.text() + " in mockProperties (expected: ");
        } else {
            assertThat(value.apply(CentralSettings.read(given)))
                    .as(one.text())
                    .hasToString(one.value());
        }
    }

    @Test
    void effective_listsEachSettingWithItsSource() throws SettingMistakesException {
        environment.setProperty("komainu.stream.queue", "100");
        environment.setProperty("komainu.hosts[0]", "a.example");
        SettingReader reader = new SettingReader(List.of(new SpringSettingSource(environment)));

        CentralSettings.read(reader);

        assertThat(reader.effective())
                .extracting(EffectiveSetting::line)
                .contains(
                        "komainu.alerts.url: http://127.0.0.1:7600  # default",
                        "komainu.caches.file: none  # default",
                        "komainu.data: data/central  # default",
                        "komainu.hosts: a.example  # mockProperties",
                        "komainu.store.memory: 96MB  # default",
                        "komainu.stream.queue: 100  # mockProperties");
    }

    @Test
    void read_mistakes_areTheCauseForSpring() {
        environment.setProperty("komainu.stream.queue", "1");

        assertThatThrownBy(() -> CentralSettings.read(environment))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(SettingMistakesException.class);
    }

    private List<String> mistakes() {
        return mistakes(environment);
    }

    private static List<String> mistakes(MockEnvironment given) {
        RuntimeException thrown =
                catchThrowableOfType(RuntimeException.class, () -> CentralSettings.read(given));
        return ((SettingMistakesException) Objects.requireNonNull(thrown.getCause())).mistakes();
    }
}
