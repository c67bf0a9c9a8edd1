package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of every kind of client stream: the results of a client must not depend on its
 * protocol.
 */
abstract class ClientStreamContract {

    /**
     * A response.
     *
     * @param status 0 when none arrived
     * @param whole whether it ended as announced
     */
    record Reply(
            int status,
            java.util.function.UnaryOperator<String> field,
            String body,
            boolean whole) {
        String field(String name) {
            return field.apply(name);
        }
    }

    /** A client on one connection. */
    interface Visitor extends AutoCloseable {

        Reply ask(String method, String path, String... fields) throws IOException;

        /**
         * Sends an upload.
         *
         * @param counted whether the length is announced; otherwise the end marks it
         */
        Reply upload(String path, boolean counted, String... parts) throws IOException;

        /**
         * Sends a body of unknown length and a field line behind it, announced by {@code Trailer}.
         */
        Reply uploadWithTrailer(String path, String body, String name, String value)
                throws IOException;

        /** Returns the trailers of the last response. */
        List<String> trailers();

        /** Sends the beginning of an upload, less than its announced length, and leaves. */
        void uploadHalfAndLeave(String path) throws IOException;

        /** Sends these requests at once, then reads their responses. */
        List<Reply> together(String... paths) throws IOException;

        /**
         * Sends a request that is not cacheable, and leaves without its response after the origin
         * received it.
         */
        void requestAndLeave(String path, CountDownLatch asked)
                throws IOException, InterruptedException;

        @Override
        void close() throws IOException;
    }

    private static final String FRESH = "Cache-Control: max-age=60\r\n";

    private ScriptedOrigin origin;
    private ProxyFixture proxy;

    abstract Visitor visitor(InetSocketAddress proxy) throws IOException;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture("origin", origin.url(), "cache.memory", "16MB");
    }

    @AfterEach
    void tearDown() throws IOException {
        proxy.close();
        origin.close();
    }

    private Visitor visitor() throws IOException {
        return visitor(proxy.proxy.address());
    }

    @Test
    void miss_thenHit_bringTheSame() throws IOException {
        for (int size : new int[] {0, 1, 2048, 2049, 70_000, 1_000_000}) {
            String body = "b".repeat(size);
            origin.ok("/" + size, FRESH + "ETag: \"e\"\r\n", body);
            try (Visitor visitor = visitor()) {
                Reply miss = visitor.ask("GET", "/" + size);
                assertThat(miss.status()).isEqualTo(200);
                assertThat(miss.body()).isEqualTo(body);
                assertThat(miss.field("Cache-Status")).contains("fwd=miss");
                Reply hit = visitor.ask("GET", "/" + size);
                assertThat(hit.body()).isEqualTo(body);
                assertThat(hit.whole()).isTrue();
                assertThat(hit.field("Cache-Status")).contains("; hit");
                assertThat(hit.field("Content-Length")).isEqualTo(Integer.toString(size));
                assertThat(hit.field("Age")).isNotEmpty();
                assertThat(origin.count("/" + size)).isEqualTo(1);
            }
        }
    }

    @Test
    void pass_reachesTheOriginEachTime() throws IOException {
        origin.ok("/p", "Cache-Control: no-store\r\n", "p".repeat(300_000));
        try (Visitor visitor = visitor()) {
            assertThat(visitor.ask("GET", "/p").body()).hasSize(300_000);
            assertThat(visitor.ask("GET", "/p").body()).hasSize(300_000);
            assertThat(origin.count("/p")).isEqualTo(2);
        }
    }

    @Test
    void body_ofUnknownLength_isWhole() throws IOException {
        origin.respond(
                "/chunked",
                "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
        origin.on("/close", (request, socket, out) -> {
            out.write("HTTP/1.0 200 OK\r\nCache-Control: no-store\r\n\r\nuntil close".getBytes());
            return false;
        });
        try (Visitor visitor = visitor()) {
            Reply chunked = visitor.ask("GET", "/chunked");
            assertThat(chunked.body()).isEqualTo("hello world");
            assertThat(chunked.whole()).isTrue();
            assertThat(visitor.ask("GET", "/close").body()).isEqualTo("until close");
        }
    }

    @Test
    void head_hasTheFieldsAndNoBody() throws IOException {
        origin.ok("/h", FRESH, "body of h");
        try (Visitor visitor = visitor()) {
            visitor.ask("GET", "/h");
            Reply head = visitor.ask("HEAD", "/h");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("Content-Length")).isEqualTo("9");
            assertThat(head.body()).isEmpty();
            assertThat(visitor.ask("GET", "/h").body()).isEqualTo("body of h");
        }
    }

    @Test
    void conditions_andRanges_areJudgedHere() throws IOException {
        origin.ok("/c", FRESH + "ETag: \"one\"\r\n", "0123456789");
        try (Visitor visitor = visitor()) {
            visitor.ask("GET", "/c");
            Reply same = visitor.ask("GET", "/c", "If-None-Match: \"one\"");
            assertThat(same.status()).isEqualTo(304);
            assertThat(same.body()).isEmpty();
            Reply part = visitor.ask("GET", "/c", "Range: bytes=2-4");
            assertThat(part.status()).isEqualTo(206);
            assertThat(part.body()).isEqualTo("234");
            assertThat(part.field("Content-Range")).isEqualTo("bytes 2-4/10");
            assertThat(visitor.ask("GET", "/c", "Range: bytes=20-").status()).isEqualTo(416);
            assertThat(visitor.ask("GET", "/c").body()).isEqualTo("0123456789");
        }
    }

    @Test
    void upload_reachesTheOriginWhole_andInvalidates() throws IOException {
        origin.ok("/u", FRESH, "u");
        try (Visitor visitor = visitor()) {
            visitor.ask("GET", "/u");
            String long1 = "x".repeat(10_000);
            for (boolean counted : new boolean[] {true, false}) {
                assertThat(visitor.upload("/u", counted, "ab", "c", long1).status())
                        .isEqualTo(200);
                ScriptedOrigin.Request seen = origin.requests.getLast();
                assertThat(seen.body()).isEqualTo("abc" + long1);
                assertThat(seen.bodyComplete()).isTrue();
                assertThat(seen.field("Content-Length").isEmpty()).isEqualTo(!counted);
            }
            visitor.ask("GET", "/u");
            assertThat(origin.count("/u")).isEqualTo(4);
        }
    }

    @Test
    void upload_brokenOff_neverReachesTheOriginAsComplete() throws IOException {
        origin.ok("/half", "", "h");
        try (Visitor visitor = visitor()) {
            visitor.uploadHalfAndLeave("/half");
            balanced();
            // The client may have left before the request reached the origin.
            assertThat(origin.requests).noneMatch(ScriptedOrigin.Request::bodyComplete);
        }
    }

    @Test
    void upload_largerThanEveryWindow_arrives() throws IOException {
        origin.ok("/large", "Cache-Control: no-store\r\n", "got it");
        String[] parts = new String[200];
        java.util.Arrays.fill(parts, "y".repeat(10_000));
        try (Visitor visitor = visitor()) {
            assertThat(visitor.upload("/large", true, parts).body()).isEqualTo("got it");
            assertThat(origin.requests.getLast().body()).hasSize(2_000_000);
        }
    }

    @Test
    void answer_thatBreaksOff_isSeenAsBroken() throws IOException {
        origin.on("/broken", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 1000\r\n\r\nonly this")
                    .getBytes(StandardCharsets.ISO_8859_1));
            return false;
        });
        try (Visitor visitor = visitor()) {
            Reply reply = visitor.ask("GET", "/broken");
            assertThat(reply.whole()).isFalse();
        }
        balanced();
    }

    @Test
    void trailers_ofAnAnswer_reachAClientThatTakesThem() throws IOException {
        for (String control : new String[] {"no-store", "max-age=60"}) {
            origin.respond(
                    "/" + control,
                    "HTTP/1.1 200 OK\r\nCache-Control: " + control + "\r\nTrailer: Checksum\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nChecksum: abc\r\nHost: x\r\n\r\n");
        }
        for (String control : new String[] {"no-store", "max-age=60"}) {
            try (Visitor visitor = visitor()) {
                Reply reply = visitor.ask("GET", "/" + control, "TE: trailers");
                assertThat(reply.body()).isEqualTo("hi");
                assertThat(visitor.trailers())
                        .hasSize(1)
                        .first()
                        .asString()
                        .isEqualToIgnoringCase("Checksum: abc");
                assertThat(visitor.ask("GET", "/" + control).body()).isEqualTo("hi");
            }
        }
        try (Visitor visitor = visitor()) {
            assertThat(visitor.ask("GET", "/no-store").body()).isEqualTo("hi");
            assertThat(visitor.trailers()).isEmpty();
        }
        balanced();
    }

    @Test
    void trailers_ofAnUpload_reachTheOrigin() throws IOException {
        origin.ok("/t", "", "done");
        try (Visitor visitor = visitor()) {
            assertThat(visitor.uploadWithTrailer("/t", "hello", "Checksum", "abc")
                            .body())
                    .isEqualTo("done");
            assertThat(origin.requests.getLast().body()).isEqualTo("hello");
            assertThat(origin.trailers)
                    .hasSize(1)
                    .first()
                    .asString()
                    .isEqualToIgnoringCase("Checksum: abc");
        }
    }

    @Test
    void origin_outOfReach_gives502() throws IOException {
        origin.close();
        try (Visitor visitor = visitor()) {
            Reply reply = visitor.ask("GET", "/gone");
            assertThat(reply.status()).isEqualTo(502);
            assertThat(reply.whole()).isTrue();
            assertThat(reply.field("Cache-Status")).contains("detail=error");
        }
    }

    @Test
    void request_refusedHere_isAnsweredWithAPage() throws IOException {
        try (Visitor visitor = visitor()) {
            assertThat(visitor.ask("TRACE", "/").status()).isBetween(400, 599);
            assertThat(visitor.ask("GET", "/x", "Cache-Control: only-if-cached").status())
                    .isEqualTo(504);
        }
        balanced();
    }

    @Test
    void request_abandoned_isCounted_andEndsItsFetch() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        origin.on("/long", (request, socket, out) -> {
            asked.countDown();
            if (socket.getInputStream().read() < 0) {
                gone.countDown();
            }
            return false;
        });
        try (Visitor visitor = visitor()) {
            visitor.requestAndLeave("/long", asked);
            assertThat(gone.await(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        }
        balanced();
        assertThat(proxy.proxy.figures().counters().abandoned).isEqualTo(1);
    }

    @Test
    void requests_manyTogether_areAllAnswered() throws IOException {
        String[] paths = new String[60];
        for (int i = 0; i < paths.length; i++) {
            paths[i] = "/m" + i % 20;
            origin.ok(
                    paths[i], i % 2 == 0 ? FRESH : "Cache-Control: no-store\r\n", "body " + i % 20);
        }
        try (Visitor visitor = visitor()) {
            List<Reply> replies = visitor.together(paths);
            for (int i = 0; i < paths.length; i++) {
                assertThat(replies.get(i).body()).isEqualTo("body " + i % 20);
            }
        }
        balanced();
    }

    /** Every request is accounted for, once (see {@code LoopTally}). */
    private void balanced() {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var c = proxy.proxy.figures().counters();
            assertThat(c.inFlight).isZero();
            assertThat(c.requests).isPositive();
            assertThat(c.requests)
                    .isEqualTo(c.hits
                            + c.stale
                            + c.revalidated
                            + c.collapsed
                            + c.misses
                            + c.passes
                            + c.tunnels
                            + c.errors
                            + c.abandoned);
        });
    }
}
