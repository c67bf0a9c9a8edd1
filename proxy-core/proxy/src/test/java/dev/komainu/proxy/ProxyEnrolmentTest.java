package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A proxy that enrols: its names, its settings, its exit code. */
class ProxyEnrolmentTest {

    @TempDir
    Path data;

    private EnrollingCentre centre;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(new TestAuthority("Komainu authority"), Clock.systemUTC());
    }

    @AfterEach
    void tearDown() {
        centre.close();
    }

    private ProxySettings settings(Map<String, String> further) throws SettingMistakesException {
        return ProxySettings.read(GivenSettings.reader(
                Map.of(
                        "origin",
                        "http://h",
                        "node",
                        "web-01",
                        "listen",
                        "127.0.0.1:7680",
                        "data",
                        data.toString()),
                Map.of(),
                further));
    }

    private static PartIdentity open(ProxySettings settings) throws IOException {
        return PartIdentity.open(
                settings.data(), settings.central(), settings.names(), settings.enrolmentCode());
    }

    @Test
    void enrolment_hasTheNamesOfTheReports_andLaterSettingsNeedNeitherUrlNorToken()
            throws Exception {
        assertThat(settings(Map.of()).central()).isNull();
        open(settings(Map.of("central.enrolment-code", centre.code()))).close();
        assertThat(centre.requests("/api/v1/enrolments")).singleElement().satisfies(request -> {
            assertThat(request.text("kind")).isEqualTo("proxy");
            assertThat(request.text("source")).isEqualTo("proxy@web-01:7680");
            assertThat(request.text("node")).isEqualTo("web-01");
        });
        assertThat(settings(Map.of()).central()).hasToString(centre.uri().toString());
        assertThat(settings(Map.of("central.url", "https://localhost:7600")).central())
                .hasToString("https://localhost:7600");
    }

    @Test
    void centralService_withoutTokenCodeAndIdentity_isAMistake() {
        assertThatThrownBy(() -> settings(Map.of("central.url", "https://localhost:7600")))
                .isInstanceOfSatisfying(
                        SettingMistakesException.class,
                        mistakes -> assertThat(mistakes.mistakes())
                                .containsExactly("central.token-file: none (expected: a file with"
                                        + " the ingest token, beside central.url, or --enrol"
                                        + " CODE)"));
    }

    @Test
    void refusedCode_endsTheStartWithTheTextOfTheProblem() {
        centre.refuses(403, "enrolment-code-expired", "The code ended at 10:00");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new ProxyServer())
                            .execute(
                                    "--origin",
                                    "http://127.0.0.1:1",
                                    "--data",
                                    data.toString(),
                                    "--enrol",
                                    centre.code()))
                    .isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("refused by " + centre.uri() + ": The code ended at 10:00")
                .doesNotContain(EnrollingCentre.SECRET);
    }
}
