package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.Corpus;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every request of the corpus sent through a real proxy, whole and byte by byte: the same response,
 * and the same requests at the origin.
 */
class StrictRequestsTest {

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([2-5][0-9]{2}) ");
    /** Longer ones are sent in this many pieces. */
    private static final int PIECES = 1_000;

    private static RecordingOrigin origin;
    private static ProxyFixture proxy;

    @BeforeAll
    static void setUp() throws IOException {
        origin = new RecordingOrigin();
        proxy = new ProxyFixture("origin", origin.url(), "workers", "1");
    }

    @AfterAll
    static void tearDown() throws IOException {
        try (RawClient client = proxy.client()) {
            assertThat(client.get("/alive").status()).isEqualTo(200);
            assertThat(origin.violations).isEmpty();
        } finally {
            proxy.close();
            origin.close();
        }
    }

    static List<Corpus.Message> messages() {
        return Corpus.read("requests.txt");
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_whole_hasItsOutcome(Corpus.Message message) throws IOException {
        check(message, 1);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_inPieces_hasTheSameOutcome(Corpus.Message message) throws IOException {
        check(message, Math.min(PIECES, message.bytes().length()));
    }

    private static void check(Corpus.Message message, int pieces) throws IOException {
        int before = origin.complete.size();
        String answers = talk(message, pieces);
        assertThat(statuses(answers)).as(answers).isEqualTo(message.statuses());
        if (message.seen() > 0) {
            await().until(() -> origin.complete.size() >= before + message.seen());
        }
        assertThat(origin.complete.size() - before)
                .as("seen")
                .isEqualTo(Math.max(0, message.seen()));
        assertThat(origin.violations).isEmpty();
        for (String held : message.expectations()) {
            String head = origin.complete.getLast().head().toLowerCase(Locale.ROOT);
            if (held.charAt(0) == '+') {
                assertThat(head).contains(held.substring(1));
            } else {
                assertThat(head).doesNotContain(held.substring(1));
            }
        }
    }

    /**
     * Ends the client's side after the expected responses, and returns all bytes until the proxy
     * closed.
     */
    private static String talk(Corpus.Message message, int pieces) throws IOException {
        String bytes = message.bytes();
        int expected =
                message.statuses().getFirst() == 0 ? 0 : message.statuses().size();
        StringBuilder answers = new StringBuilder();
        try (RawClient client = proxy.client()) {
            try {
                for (int i = 0; i < pieces; i++) {
                    int from = (int) ((long) bytes.length() * i / pieces);
                    int to = (int) ((long) bytes.length() * (i + 1) / pieces);
                    client.send(bytes.substring(from, to));
                }
            } catch (SocketException refusedMeanwhile) {
                // The response has arrived nevertheless.
            }
            InputStream in = client.socket().getInputStream();
            byte[] part = new byte[8192];
            int count = 0;
            while (count >= 0) {
                if (expected >= 0 && STATUS.matcher(answers).results().count() >= expected) {
                    expected = -1;
                    client.socket().shutdownOutput();
                }
                count = read(in, part);
                answers.append(
                        new String(part, 0, Math.max(0, count), StandardCharsets.ISO_8859_1));
            }
            return answers.toString();
        }
    }

    /**
     * Bytes sent behind the last response may meet a closed socket: the reset arrives after all
     * bytes of the proxy.
     */
    private static int read(InputStream in, byte[] part) throws IOException {
        try {
            return in.read(part);
        } catch (SocketException closedMeanwhile) {
            return -1;
        }
    }

    private static List<Integer> statuses(String answers) {
        List<Integer> statuses = new ArrayList<>();
        for (Matcher status = STATUS.matcher(answers); status.find(); ) {
            statuses.add(Integer.valueOf(status.group(1)));
        }
        return statuses.isEmpty() ? List.of(0) : statuses;
    }
}
