package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Corpus;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every response of the corpus sent through a real proxy, whole and in pieces: an invalid or
 * incomplete response is reported, and never stored.
 */
class StrictResponsesTest {

    private static final int PIECES = 500;

    private static ScriptedOrigin origin;
    private static ProxyFixture proxy;
    private static int number;

    @BeforeAll
    static void setUp() throws IOException {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture("origin", origin.url(), "workers", "1");
    }

    @AfterAll
    static void tearDown() throws IOException {
        proxy.close();
        origin.close();
    }

    static List<Corpus.Answer> answers() {
        return Corpus.answers("responses.txt");
    }

    @ParameterizedTest
    @MethodSource("answers")
    void answer_whole_hasItsOutcome(Corpus.Answer answer) throws IOException {
        check(answer, 1);
    }

    @ParameterizedTest
    @MethodSource("answers")
    void answer_inPieces_hasItsOutcome(Corpus.Answer answer) throws IOException {
        check(answer, Math.clamp(answer.bytes().length(), 1, PIECES));
    }

    private static void check(Corpus.Answer answer, int pieces) throws IOException {
        String path = "/" + number++;
        origin.on(path, (request, socket, out) -> {
            say(answer.bytes(), pieces, out);
            return false;
        });
        try (RawClient client = proxy.client()) {
            RawClient.Answer seen = ask(client, path);
            switch (answer.outcome()) {
                case "whole" -> {
                    assertThat(seen).isNotNull();
                    assertThat(seen.status()).isEqualTo(answer.status());
                    assertThat(seen.body()).isEqualTo(answer.status() == 204 ? "" : "hello");
                    holds(answer, seen.head().toLowerCase(Locale.ROOT));
                }
                case "502" -> {
                    assertThat(seen).isNotNull();
                    assertThat(seen.status()).isEqualTo(502);
                    assertThat(seen.head()).contains("detail=error");
                }
                default -> {
                    // In pieces, a response that is too long may be complete before the surplus
                    // arrives: its connection ends.
                    boolean late = pieces > 1 && answer.status() == 502;
                    assertThat(seen == null || seen.status() == 502 || late)
                            .as("%s", seen)
                            .isTrue();
                    if (late) {
                        return;
                    }
                }
            }
        }
        if (!answer.outcome().equals("whole")) {
            int before = origin.count(path);
            try (RawClient client = proxy.client()) {
                ask(client, path);
            }
            assertThat(origin.count(path)).as("asked again").isGreaterThan(before);
        }
    }

    /** Null: the response broke off. */
    private static RawClient.Answer ask(RawClient client, String path) throws IOException {
        try {
            RawClient.Answer answer = client.get(path);
            while (answer.status() < 200) {
                answer = client.read(false);
            }
            return answer;
        } catch (EOFException | SocketException broken) {
            return null;
        }
    }

    private static void holds(Corpus.Answer answer, String head) {
        for (String held : answer.expectations()) {
            if (held.charAt(0) == '+') {
                assertThat(head).contains(held.substring(1));
            } else {
                assertThat(head).doesNotContain(held.substring(1));
            }
        }
    }

    private static void say(String bytes, int pieces, OutputStream out) throws IOException {
        for (int i = 0; i < pieces; i++) {
            int from = (int) ((long) bytes.length() * i / pieces);
            int to = (int) ((long) bytes.length() * (i + 1) / pieces);
            out.write(bytes.substring(from, to).getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }
    }
}
