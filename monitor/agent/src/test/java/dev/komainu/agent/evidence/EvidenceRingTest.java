package dev.komainu.agent.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidenceRingTest {

    @TempDir
    Path directory;

    @Test
    void record_oneConnection_headersOnlyYetTheSameRecord() throws Exception {
        Talk talk =
                new Talk().handshake().get("/secret?word=open").ok("the answer").closeByServer();
        Path file = directory.resolve("ring.pcap");

        record(file, 1 << 20, 0, talk.frames());

        byte[] written = Files.readAllBytes(file);
        assertThat(new String(written, StandardCharsets.ISO_8859_1))
                .doesNotContain("secret", "answer", "GET");
        ConnectionRecord kept = analyse(file).connection();
        ConnectionRecord seen = Analysis.of(talk.frames()).connection();
        assertThat(kept.up()).isEqualTo(seen.up());
        assertThat(kept.down()).isEqualTo(seen.down());
        assertThat(kept.state()).isEqualTo(seen.state());
        assertThat(kept.times().startMicros()).isEqualTo(seen.times().startMicros());
        assertThat(kept.times().endMicros()).isEqualTo(seen.times().endMicros());
        assertThat(kept.handshake()).isEqualTo(seen.handshake());
    }

    @Test
    void record_withPayload_keepsSoManyBytesOfIt() throws Exception {
        Path file = directory.resolve("ring.pcap");

        record(file, 1 << 20, 5, new Talk().handshake().get("/").frames());

        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                .contains("GET /")
                .doesNotContain("HTTP");
    }

    @Test
    void record_clientsMasked_onlyTheirNetworkIsKept() throws Exception {
        List<Frame> frames = new ArrayList<>();
        new Talk("10.1.2.3:40000", "10.0.0.2:80", 1, 1, frames).handshake().closeByClient();
        new Talk("[2001:db8:1:2:3:4:5:6]:40000", "[2001:db8::2]:80", 1, 1, frames)
                .handshake()
                .closeByClient();
        Path file = directory.resolve("ring.pcap");
        try (EvidenceRing ring = EvidenceRing.open(new EvidenceSettings(file, 1 << 20, 0, true))) {
            Analysis.of(
                    new RecordingSource(new FrameList(frames), ring, port -> port == 80),
                    AnalyzerConfig.file(Set.of()));
        }

        assertThat(analyse(file).connections())
                .extracting(connection -> connection.client() + " " + connection.server())
                .containsExactlyInAnyOrder(
                        "10.1.2.0:40000 10.0.0.2:80", "[2001:db8:1::]:40000 [2001:db8::2]:80");
    }

    @Test
    void record_unwatchedPort_isNotKept() throws Exception {
        Path file = directory.resolve("ring.pcap");
        Talk other = new Talk("10.0.0.1:40000", "10.0.0.2:22", 1, 1, new ArrayList<>()).handshake();

        record(file, 1 << 20, 0, other.frames());

        assertThat(Files.size(file)).isEqualTo(EthernetPcapWriter.FILE_HEADER);
    }

    @Test
    void append_everyLink_becomesEthernet() throws Exception {
        List<Frame> frames = new ArrayList<>();
        int port = 40_000;
        for (LinkType link : LinkType.values()) {
            for (Frame frame : new Talk(
                            "10.0.0.1:" + port++, "10.0.0.2:80", 1, 1, new ArrayList<>())
                    .handshake()
                    .frames()) {
                byte[] ip = Arrays.copyOfRange(frame.bytes(), 14, frame.bytes().length);
                frames.add(new Frame(frame.micros(), link, behind(link, ip)));
            }
        }
        for (Frame frame : new Talk(
                        "[2001:db8::1]:4000", "[2001:db8::2]:80", 1, 1, new ArrayList<>())
                .handshake()
                .frames()) {
            frames.add(new Frame(
                    frame.micros(),
                    LinkType.RAW,
                    Arrays.copyOfRange(frame.bytes(), 14, frame.bytes().length)));
        }
        Path file = directory.resolve("ring.pcap");

        record(file, 1 << 20, 0, frames);

        // All but the unsupported link.
        assertThat(analyse(file).connections()).hasSize(LinkType.values().length);
    }

    private static byte[] behind(LinkType link, byte[] ip) {
        byte[] head = switch (link) {
            case ETHERNET -> new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};
            case LINUX_SLL -> new byte[] {0, 0, 0, 1, 0, 6, 7, 8, 9, 10, 11, 12, 0, 0, 8, 0};
            case LINUX_SLL2 ->
                new byte[] {8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 7, 8, 9, 10, 11, 12, 0, 0};
            case NULL -> new byte[] {2, 0, 0, 0};
            case LOOP -> new byte[] {0, 0, 0, 2};
            case RAW, OTHER -> new byte[0];
        };
        byte[] frame = Arrays.copyOf(head, head.length + ip.length);
        System.arraycopy(ip, 0, frame, head.length, ip.length);
        return frame;
    }

    @Test
    void append_moreThanTheSize_keepsAtLeastTheNewestHalfAndNeverMore() throws Exception {
        Path file = directory.resolve("ring.pcap");
        EvidenceSettings config = new EvidenceSettings(file, 1 << 20, 0);
        long micros = Talk.START;
        try (EvidenceRing ring = EvidenceRing.open(config)) {
            for (int i = 0; i < 40_000; i++) {
                ring.append(micros += 50, LinkType.ETHERNET, SYN, 0, SYN_BYTES, SYN_BYTES);
                if (i % 500 == 0) {
                    assertThat(size(file) + size(config.older())).isLessThanOrEqualTo(1 << 20);
                    assertThat(frames(file)).isNotNull();
                }
            }
        }
        List<Long> instants = new ArrayList<>(frames(config.older()));
        instants.addAll(frames(file));
        assertThat(instants).isSorted().doesNotHaveDuplicates().last().isEqualTo(micros);
        assertThat(instants.size() * (16L + SYN_BYTES)).isGreaterThan((1 << 19) - (256 << 10) - 24);
        // None missing between the first and the last.
        assertThat((instants.getLast() - instants.getFirst()) / 50 + 1).isEqualTo(instants.size());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var left = Files.list(directory)) {
            assertThat(left).hasSize(2);
        }
    }

    @Test
    void open_afterAKillInTheMiddleOfAWrite_cutsTheBrokenRecordAndGoesOn() throws Exception {
        Path file = directory.resolve("ring.pcap");
        record(file, 1 << 20, 0, new Talk().handshake().frames());
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.setLength(raw.length() - 7);
        }
        assertThatThrownBy(() -> frames(file)).isInstanceOf(MalformedCaptureException.class);

        record(file, 1 << 20, 0, new Talk().pause(1_000_000).handshake().frames());

        assertThat(frames(file)).hasSize(5);
    }

    @Test
    void open_somethingElse_isRefusedAndLeftAsItWas() throws Exception {
        Path file = Files.writeString(
                directory.resolve("notes.txt"), "do not overwrite this precious text, please");

        assertThatThrownBy(() -> EvidenceRing.open(new EvidenceSettings(file, 1 << 20, 0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("dump.file: " + file)
                .hasMessageContaining("expected");

        assertThat(file).content().startsWith("do not overwrite");
    }

    @Test
    void append_directoryGone_countsTheLostPacketsAndReportsThem() throws Exception {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        Path file = inner.resolve("ring.pcap");
        try (EvidenceRing ring = EvidenceRing.open(new EvidenceSettings(file, 1 << 20, 0))) {
            long micros = Talk.START;
            Files.delete(file);
            Files.delete(inner);
            for (int i = 0; i < 20_000; i++) {
                ring.append(micros += 50, LinkType.ETHERNET, SYN, 0, SYN_BYTES, SYN_BYTES);
            }
            ring.idle(micros);
            assertThat(ring.lost()).isPositive();
            assertThat(ring.trouble()).contains(file.toString());

            Files.createDirectory(inner);
            ring.append(micros += 60_000_000, LinkType.ETHERNET, SYN, 0, SYN_BYTES, SYN_BYTES);
            ring.idle(micros);
            assertThat(ring.trouble()).isNull();
        }
        assertThat(frames(file)).hasSize(1);
    }

    @Test
    void read_whileTheRingRotates_isWholeAtEveryInstant() throws Exception {
        Path file = directory.resolve("ring.pcap");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch readOften = new CountDownLatch(30);
        try (EvidenceRing ring = EvidenceRing.open(new EvidenceSettings(file, 1 << 20, 0))) {
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    while (readOften.getCount() > 0) {
                        new EvidenceReader(file).newestMicros();
                        readOften.countDown();
                    }
                } catch (Exception | AssertionError e) {
                    failure.set(e);
                    while (readOften.getCount() > 0) {
                        readOften.countDown();
                    }
                }
            });
            long micros = Talk.START;
            while (readOften.getCount() > 0) {
                ring.append(micros += 50, LinkType.ETHERNET, SYN, 0, SYN_BYTES, SYN_BYTES);
            }
            reader.join();
        }
        assertThat(failure.get()).isNull();
    }

    @Test
    void evidence_oneConnectionOrTheLastSeconds_isCutOut() throws Exception {
        Path file = directory.resolve("ring.pcap");
        List<Frame> frames = new ArrayList<>();
        new Talk("10.0.0.1:40000", "10.0.0.2:80", 1, 1, frames).handshake();
        new Talk("[2001:db8::1]:4000", "[2001:db8::2]:80", 1, 1, frames)
                .pause(20_000_000)
                .handshake()
                .closeByClient();
        record(file, 1 << 20, 0, frames);
        Path target = directory.resolve("one.pcap");

        assertThat(evidence(
                        file,
                        "--client",
                        "10.0.0.1:40000",
                        "--server",
                        "10.0.0.2",
                        "--write",
                        target.toString()))
                .isZero();
        assertThat(frames(target)).hasSize(3);
        assertThat(evidence(file, "--server", "[2001:db8::2]:80", "--write", target.toString()))
                .isZero();
        assertThat(frames(target)).hasSize(7);
        assertThat(evidence(file, "--last", "10s", "--write", target.toString()))
                .isZero();
        assertThat(frames(target)).hasSize(7);
        assertThat(evidence(file, "--last", "1h", "--write", target.toString())).isZero();
        assertThat(frames(target)).hasSize(10);
        assertThat(evidence(file, "--client", "10.0.0.9", "--write", target.toString()))
                .isOne();
    }

    @Test
    void evidence_mistakes_areReportedTogether() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        int code = EvidenceCommand.run(
                new ByteArrayOutputStream(),
                new PrintStream(output, true),
                "nowhere.pcap",
                "--client",
                "host.example",
                "--last",
                "soon",
                "--from",
                "yesterday");
        assertThat(code).isEqualTo(2);
        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("FILE: nowhere.pcap (expected")
                .contains("--client: host.example (expected")
                .contains("--last: soon (expected")
                .contains("--from: yesterday (expected");
    }

    private static int evidence(Path file, String... options) {
        List<String> arguments = new ArrayList<>(List.of(file.toString()));
        arguments.addAll(List.of(options));
        return EvidenceCommand.run(
                new ByteArrayOutputStream(),
                new PrintStream(new ByteArrayOutputStream(), true),
                arguments.toArray(String[]::new));
    }

    private static final byte[] SYN_FRAME = new Talk().up(Talk.SYN, "").last().bytes();
    private static final MemorySegment SYN = MemorySegment.ofArray(SYN_FRAME);
    private static final int SYN_BYTES = SYN_FRAME.length;

    private static void record(Path file, long size, int payload, List<Frame> frames)
            throws Exception {
        try (EvidenceRing ring = EvidenceRing.open(new EvidenceSettings(file, size, payload))) {
            Analysis.of(
                    new RecordingSource(new FrameList(frames), ring, port -> port == 80),
                    AnalyzerConfig.file(Set.of()));
        }
    }

    private static Analysis analyse(Path file) throws IOException {
        return Analysis.of(new CaptureFile(file), AnalyzerConfig.file(Set.of()));
    }

    private static List<Long> frames(Path file) throws IOException, MalformedCaptureException {
        List<Long> instants = new ArrayList<>();
        try (CaptureFile capture = new CaptureFile(file)) {
            capture.run((micros, link, memory, offset, captured, length) -> instants.add(micros));
        }
        return instants;
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }
}
