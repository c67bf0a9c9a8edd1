package dev.komainu.agent.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random conversations, interleaved, resent, overlapping and out of order: the records are those of
 * the reference.
 */
class ReferenceTest {

    /** Below the patience for acknowledged bytes, so that none count as lost. */
    private static final int LATEST_MICROS = 60_000;

    @Property(tries = 300)
    void anyConversations_inAnyOrder_recordsAreThoseOfTheReference(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Frame> frames = new ArrayList<>();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            frames.addAll(conversation(random, 40_000 + i));
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        Map<Integer, ReferenceAnalyzer.Connection> reference = ReferenceAnalyzer.analyse(frames);
        List<ConnectionRecord> records = Analysis.of(frames).connections();
        assertThat(records).hasSameSizeAs(reference.values());
        for (ConnectionRecord record : records) {
            ReferenceAnalyzer.Connection expected =
                    reference.get(record.client().port());
            same(record.up(), expected.up());
            same(record.down(), expected.down());
            assertThat(record.exchanges().stream()
                            .map(e -> new ReferenceAnalyzer.Exchange(
                                    e.method(),
                                    e.target(),
                                    e.status() == null ? 0 : e.status(),
                                    e.requestMicros(),
                                    e.firstByteMicros() == null ? 0 : e.firstByteMicros(),
                                    e.lastByteMicros() == null ? 0 : e.lastByteMicros()))
                            .toList())
                    .isEqualTo(expected.exchanges());
        }
    }

    private static void same(DirectionTotals record, ReferenceAnalyzer.Direction reference) {
        assertThat(record.packets()).isEqualTo(reference.packets);
        assertThat(record.payloadBytes()).isEqualTo(reference.payload);
        assertThat(record.uniqueBytes()).isEqualTo(reference.bytes.size());
        // A single last byte sent again after it was acknowledged is a
        // keep-alive probe on the wire.
        assertThat(record.retransmissions())
                .isBetween(reference.repeated - record.packets() / 4, reference.repeated);
    }

    /**
     * Returns requests, some pipelined, and their responses in segments of any size; then some
     * segments late or sent again.
     */
    private static List<Frame> conversation(SplittableRandom random, int port) {
        List<Frame> frames = new ArrayList<>();
        Talk talk = new Talk(
                "10.0.0.1:" + port, "10.0.0.2:80", random.nextInt(), random.nextInt(), frames);
        talk.pause(random.nextInt(50_000)).handshake();
        talk.pause(200_000);
        for (int round = random.nextInt(4); round >= 0; round--) {
            StringBuilder requests = new StringBuilder();
            StringBuilder answers = new StringBuilder();
            for (int i = random.nextInt(3); i >= 0; i--) {
                String body = "b".repeat(random.nextInt(80));
                requests.append(
                        random.nextBoolean()
                                ? "GET /" + round + "/" + i + "?q HTTP/1.1\r\nHost: a\r\n\r\n"
                                : "POST /" + round + "/" + i + " HTTP/1.1\r\nContent-Length: "
                                        + body.length() + "\r\n\r\n" + body);
                int status = 200 + random.nextInt(3) * 100 + 1;
                answers.append("HTTP/1.1 ").append(status).append(" X\r\n");
                if (random.nextBoolean()) {
                    answers.append("Content-Length: ")
                            .append(body.length())
                            .append("\r\n\r\n")
                            .append(body);
                } else {
                    answers.append("Transfer-Encoding: chunked\r\n\r\n");
                    for (int chunk = random.nextInt(3); chunk > 0; chunk--) {
                        answers.append("1a\r\n").append("c".repeat(26)).append("\r\n");
                    }
                    answers.append("0\r\n\r\n");
                }
            }
            send(random, talk, true, requests.toString());
            send(random, talk, false, answers.toString());
        }
        talk.pause(200_000).closeByClient();
        List<Frame> changed = new ArrayList<>(frames.subList(0, 3));
        for (Frame frame : frames.subList(3, frames.size() - 4)) {
            boolean late = random.nextInt(5) == 0;
            changed.add(late ? frame.at(frame.micros() + random.nextInt(LATEST_MICROS)) : frame);
            if (random.nextInt(8) == 0) {
                changed.add(frame.at(frame.micros() + random.nextInt(LATEST_MICROS)));
            }
        }
        changed.addAll(frames.subList(frames.size() - 4, frames.size()));
        return changed;
    }

    /**
     * Sends a text in segments of any size; sometimes a part is sent again with other boundaries.
     */
    private static void send(SplittableRandom random, Talk talk, boolean up, String text) {
        int begin = up ? talk.clientNext : talk.serverNext;
        int most = 2 + random.nextInt(120);
        for (int at = 0; at < text.length(); ) {
            int length = Math.min(text.length() - at, random.nextInt(1, most));
            String piece = text.substring(at, at + length);
            if (up) {
                talk.request(piece);
            } else {
                talk.answer(piece);
            }
            at += length;
            if (at > 3 && random.nextInt(6) == 0) {
                int from = random.nextInt(at - 2);
                int to = from + random.nextInt(2, at - from + 1);
                talk.send(
                        up,
                        Talk.ACK,
                        begin + from,
                        up ? talk.serverNext : talk.clientNext,
                        text.substring(from, to));
            }
        }
        talk.pause(random.nextInt(5_000));
    }
}
