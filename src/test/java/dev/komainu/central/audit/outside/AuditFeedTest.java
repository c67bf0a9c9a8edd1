package dev.komainu.central.audit.outside;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.audit.AuditDatabase;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests of a feed: order, retries, the bounded backlog, and a webhook of a real server. */
class AuditFeedTest {

    private Instant now = Instant.parse("2026-11-26T07:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Sink sink = new Sink();
    private AuditDatabase database;
    private AuditLog log;

    /** A sink that can be down, and can refuse one entry. */
    private static final class Sink implements AuditSink {
        private final List<Long> got = new ArrayList<>();
        private boolean down;
        private long refuses = -1;

        @Override
        public String name() {
            return "syslog";
        }

        @Override
        public String place() {
            return "here";
        }

        @Override
        public void send(AuditEntry entry, String signature)
                throws IOException, RefusedEntryException {
            if (down) {
                throw new IOException("down");
            }
            if (entry.sequence() == refuses) {
                throw new RefusedEntryException("HTTP 400");
            }
            assertThat(signature).isEqualTo("signed " + entry.sequence());
            got.add(entry.sequence());
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    @BeforeEach
    void setUp() {
        database = new AuditDatabase().migrated();
        log = database.log(AuditDatabase.settings(10_000, 10, Path.of("unused")), clock);
    }

    @AfterEach
    void tearDown() {
        database.close();
    }

    private AuditFeed feed(AuditSink to, int backlog) {
        return new AuditFeed(
                to,
                log.rows(),
                database.jdbc,
                entry -> "signed " + entry.sequence(),
                backlog,
                clock,
                meters);
    }

    private void append(int rows) {
        for (int i = 0; i < rows; i++) {
            log.append(AuditDatabase.draft("admin", "action"));
        }
    }

    private double dropped(String reason) {
        return meters.counter("komainu.audit.dropped", "sink", "syslog", "reason", reason)
                .count();
    }

    @Test
    void newSink_getsEntriesFromNowOn_inOrder() {
        append(3);
        AuditFeed feed = feed(sink, 1_000);
        append(250);

        assertThat(feed.runDue()).isEmpty();

        assertThat(sink.got).hasSize(250).isSorted().startsWith(4L).endsWith(253L);
        assertThat(feed.state().waiting()).isZero();
    }

    @Test
    void sinkThatIsDown_isTriedAgainLater_andLosesNothing() {
        AuditFeed feed = feed(sink, 100);
        append(2);
        sink.down = true;
        assertThat(feed.runDue()).contains(Duration.ofSeconds(1));
        append(1);
        assertThat(feed.runDue()).as("not before the pause is over").isPresent();
        assertThat(feed.state().trouble()).isEqualTo("down");
        assertThat(feed.state().waiting()).isEqualTo(3);

        sink.down = false;
        assertThat(feed.runDue()).as("an entry does not shorten the pause").isPresent();
        assertThat(sink.got).isEmpty();
        now = now.plusSeconds(1);
        assertThat(feed.runDue()).isEmpty();

        assertThat(sink.got).containsExactly(1L, 2L, 3L);
        assertThat(feed.state().trouble()).isNull();
        assertThat(feed.state().dropped()).isZero();
    }

    @Test
    void restart_continuesAfterTheNewestEntrySent() {
        AuditFeed before = feed(sink, 100);
        append(2);
        before.runDue();
        append(2);

        feed(sink, 100).runDue();

        assertThat(sink.got).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void sinkThatIsDownForLong_dropsTheOldestAndCountsThem() {
        AuditFeed feed = feed(sink, 100);
        append(130);

        feed.runDue();

        assertThat(sink.got).hasSize(100).startsWith(31L);
        assertThat(dropped("backlog")).isEqualTo(30);
        assertThat(feed.state().dropped()).isEqualTo(30);
    }

    @Test
    void entriesRemovedByAgeBeforeTheyWereSent_areCounted() {
        AuditFeed feed = feed(sink, 100);
        append(5);
        now = now.plus(Duration.ofDays(40));
        append(1);
        log.removeOld(30);

        feed.runDue();

        assertThat(sink.got).containsExactly(6L, 7L);
        assertThat(dropped("removed")).isEqualTo(5);
    }

    @Test
    void entryThatIsRefused_doesNotKeepTheOthersBack() {
        AuditFeed feed = feed(sink, 100);
        append(3);
        sink.refuses = 2;

        assertThat(feed.runDue()).isEmpty();

        assertThat(sink.got).containsExactly(1L, 3L);
        assertThat(dropped("refused")).isEqualTo(1);
    }

    @Test
    void webhook_ofARealServer_getsEntriesWithASignatureOfTheBody() throws Exception {
        List<String> bodies = new CopyOnWriteArrayList<>();
        List<String> signatures = new CopyOnWriteArrayList<>();
        List<Integer> answers = new CopyOnWriteArrayList<>(List.of(503, 200, 200));
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", exchange -> {
            bodies.add(
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            signatures.add(exchange.getRequestHeaders().getFirst("Komainu-Signature"));
            exchange.sendResponseHeaders(answers.removeFirst(), -1);
            exchange.close();
        });
        server.start();
        try {
            URI address = URI.create(
                    "http://127.0.0.1:" + server.getAddress().getPort() + "/hook?key=secret");
            AuditFeed feed = feed(
                    new WebhookSink(address, "the-secret", Duration.ofSeconds(30), clock), 100);
            append(2);
            assertThat(feed.runDue()).isPresent();
            now = now.plusSeconds(1);
            assertThat(feed.runDue()).isEmpty();

            assertThat(bodies).hasSize(3);
            JsonNode body = JsonMapper.shared().readTree(bodies.get(2));
            assertThat(body.get("kind").asString()).isEqualTo("audit");
            assertThat(body.get("signature").asString()).isEqualTo("signed 2");
            assertThat(body.get("entry").get("sequence").asLong()).isEqualTo(2);
            assertThat(body.get("entry").get("hash").asString())
                    .isEqualTo(log.rows().head().hash());
            String signed = now.getEpochSecond() + "." + bodies.get(2);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(
                    new SecretKeySpec("the-secret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            assertThat(signatures.get(2))
                    .isEqualTo("t=" + now.getEpochSecond() + ",v1="
                            + HexFormat.of()
                                    .formatHex(
                                            mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
            assertThat(feed.state().place()).doesNotContain("secret");
        } finally {
            server.stop(0);
        }
    }
}
