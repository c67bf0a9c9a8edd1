package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.CaptureWriter;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same captures read by tshark: connections, packets, payload and closed windows are equal one
 * by one.
 */
class TsharkComparisonTest {

    private static final List<String> FIELDS = List.of(
            "tcp.stream",
            "frame.time_epoch",
            "tcp.srcport",
            "tcp.len",
            "tcp.analysis.zero_window",
            "ip.len",
            "tcp.flags");

    @TempDir
    Path directory;

    /** One connection as both tools see it; up is towards port 80. */
    private record Seen(
            long startMicros,
            long endMicros,
            long packetsUp,
            long packetsDown,
            long payloadUp,
            long payloadDown,
            long bytesUp,
            long bytesDown,
            long zeroWindowUp,
            long zeroWindowDown) {}

    @Test
    void reorderedRepeatedAndMissingPackets_reusedPorts_equalConnectionByConnection()
            throws Exception {
        Path file = CaptureWriter.pcap(
                directory.resolve("rough.pcap"), rough(new SplittableRandom(20_010)));
        List<Seen> ours;
        try (CaptureFile source = new CaptureFile(file)) {
            ours = Analysis.of(source, AnalyzerConfig.file(Set.of(80))).connections().stream()
                    .map(TsharkComparisonTest::seen)
                    .sorted(Comparator.comparingLong(Seen::startMicros))
                    .toList();
        }
        assertThat(ours).hasSize(200);
        assertThat(ours).isEqualTo(tshark(file));
    }

    /** 200 connections over 50 client ports, all four uses of a port one after the other. */
    private static List<Frame> rough(SplittableRandom random) {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            List<Frame> own = new ArrayList<>();
            Talk talk = new Talk(
                    "10.0.0.1:" + (40_000 + i % 50),
                    "10.0.0.2:80",
                    random.nextInt(),
                    random.nextInt(),
                    own);
            talk.pause(i / 50 * 1_000_000 + i % 50 * 10_000 + i).handshake();
            for (int request = random.nextInt(4); request >= 0; request--) {
                talk.get("/" + i).answer("HTTP/1.1 200 OK\r\nContent-Length: 1200\r\n\r\n");
                talk.answer("a".repeat(400)).answer("b".repeat(400)).answer("c".repeat(400));
                talk.window = random.nextInt(3) == 0 ? 0 : 500;
                talk.up(Talk.ACK, "");
                talk.window = 500;
            }
            if (random.nextBoolean()) {
                talk.closeByClient();
            } else {
                talk.up(Talk.RST | Talk.ACK, "");
            }
            // The handshake is unchanged; later packets are late, duplicated or missing.
            for (int at = 3; at < own.size(); at++) {
                Frame frame = own.get(at);
                switch (random.nextInt(10)) {
                    case 0 -> own.set(at, frame.at(frame.micros() + 2_500));
                    case 1 -> frames.add(frame.at(frame.micros() + 1_300));
                    case 2 -> own.remove(at);
                    default -> {}
                }
            }
            frames.addAll(own);
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        return frames;
    }

    private static Seen seen(ConnectionRecord record) {
        DirectionTotals up = record.up();
        DirectionTotals down = record.down();
        return new Seen(
                record.times().startMicros(),
                record.times().endMicros(),
                up.packets(),
                down.packets(),
                up.payloadBytes(),
                down.payloadBytes(),
                up.wireBytes(),
                down.wireBytes(),
                up.zeroWindow(),
                down.zeroWindow());
    }

    private List<Seen> tshark(Path file) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("tshark", "-nr", file.toString(), "-T", "fields"));
        FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(directory.resolve("tshark.err").toFile())
                    .start();
        } catch (IOException e) {
            throw new AssertionError("tshark: not found (expected: apt-get install tshark)", e);
        }
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        Map<Integer, Seen> streams = new TreeMap<>();
        for (String line : text.lines().toList()) {
            String[] field = line.split("\t", -1);
            long micros = Long.parseLong(field[1].replace(".", "").substring(0, 16));
            boolean up = !field[2].equals("80");
            long length = Long.parseLong(field[3]);
            long zero = field[4].isEmpty() ? 0 : 1;
            long bytes = Long.parseLong(field[5]);
            streams.merge(
                    Integer.parseInt(field[0]),
                    new Seen(
                            micros,
                            micros,
                            up ? 1 : 0,
                            up ? 0 : 1,
                            up ? length : 0,
                            up ? 0 : length,
                            up ? bytes : 0,
                            up ? 0 : bytes,
                            up ? zero : 0,
                            up ? 0 : zero),
                    TsharkComparisonTest::add);
        }
        return streams.values().stream()
                .sorted(Comparator.comparingLong(Seen::startMicros))
                .collect(Collectors.toList());
    }

    private static Seen add(Seen a, Seen b) {
        return new Seen(
                a.startMicros,
                b.endMicros,
                a.packetsUp + b.packetsUp,
                a.packetsDown + b.packetsDown,
                a.payloadUp + b.payloadUp,
                a.payloadDown + b.payloadDown,
                a.bytesUp + b.bytesUp,
                a.bytesDown + b.bytesDown,
                a.zeroWindowUp + b.zeroWindowUp,
                a.zeroWindowDown + b.zeroWindowDown);
    }
}
