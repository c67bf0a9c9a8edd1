package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.settings.kit.WrittenSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The organizer beside a server restarts, while the requesting organizer continues. */
class RestartTest {

    private static final String FROM_PAGE = "Referer: http://test.example/page";

    @TempDir
    Path directory;

    private ScriptedOrigin origin;
    private int seed;
    private Organizer reader;
    private Organizer web;

    @BeforeEach
    void setUp() throws Exception {
        seed = freePort();
        origin = new ScriptedOrigin()
                .ok("/page", "Content-Type: text/html\r\nCache-Control: no-store\r\n", "<html>")
                .ok("/a", "Cache-Control: max-age=60\r\n", "aaa");
        reader = Organizer.start(settings("reader", seed, ""));
        startWeb();
    }

    private void startWeb() throws Exception {
        web = Organizer.start(settings(
                "web",
                freePort(),
                "{prefix: test.example/, server: \"127.0.0.1:" + origin.port() + "\"}"));
        long life = web.membership().own().incarnation();
        until(() -> reader.membership().table().announcements().stream()
                .anyMatch(one ->
                        one.member().equals(new MemberId("web")) && one.incarnation() == life));
    }

    private OrganizerSettings settings(String member, int listen, String serve) throws Exception {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        String yaml = String.format(
                Locale.ROOT,
                """
                member: %s
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                front: {listen: "127.0.0.1:%d"}
                detect: 10s
                lines.patience: 1m
                secret-file: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                control: {listen: none}
                data: %s
                serve: [%s]
                """,
                member,
                listen,
                freePort(),
                freePort(),
                secret,
                seed,
                directory.resolve(member),
                serve);
        return OrganizerSettings.read(WrittenSettings.reader(yaml));
    }

    @AfterEach
    void tearDown() throws IOException {
        web.close();
        reader.close();
        origin.close();
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(60)).until(condition::getAsBoolean);
    }

    private static long count(Organizer at, PageCounts.Kind kind) {
        return at.front().pageCounts().of(kind);
    }

    private void learn() throws IOException {
        for (int i = 0; i < 2; i++) {
            try (RawClient client = new RawClient(web.front().address())) {
                assertThat(client.get("/page").status()).isEqualTo(200);
                assertThat(client.get("/a", FROM_PAGE).body()).isEqualTo("aaa");
            }
        }
    }

    @Test
    void firstPageAfterARestart_comesWithWhatItNeeds() throws Exception {
        learn();
        web.close();
        startWeb();
        assertThat(origin.count("/a")).isEqualTo(2);
        try (RawClient client = new RawClient(reader.front().address())) {
            assertThat(client.get("/page").body()).isEqualTo("<html>");
            until(() -> count(reader, PageCounts.Kind.TAKEN) == 1);
            assertThat(client.get("/a", FROM_PAGE).body()).isEqualTo("aaa");
        }
        assertThat(count(reader, PageCounts.Kind.USED)).isOne();
        assertThat(origin.count("/a")).as("once more, unasked").isEqualTo(3);
    }

    @Test
    void damagedFile_isLeft_pagesAreLearntAgain_andKeptAgain() throws Exception {
        learn();
        web.close();
        Path file = directory.resolve("web").resolve("pages");
        byte[] whole = Files.readAllBytes(file);
        whole[whole.length / 2] ^= 1;
        Files.write(file, whole);
        startWeb();
        assertThat(count(web, PageCounts.Kind.FILE_DAMAGED)).isOne();
        assertThat(web.front().pageFigures().pages()).isZero();
        learn();
        web.close();
        startWeb();
        assertThat(count(web, PageCounts.Kind.FILE_DAMAGED)).isZero();
        assertThat(web.front().pageFigures().objects()).isOne();
    }
}
