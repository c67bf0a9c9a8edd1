package dev.komainu.agent.connection;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.CaptureWriter;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.Talk;
import dev.komainu.seed.FuzzSeeds;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Fuzzer of all readers of untrusted input, for a given time:
 *
 * <pre>
 *  java -cp 'monitor/agent/target/test-classes:monitor/agent/target/classes:monitor/agent/target/lib/*:monitor/test-seeds/target/classes' \
 *      dev.komainu.agent.connection.Fuzz MINUTES [-seed=N] [TARGET ...]
 * </pre>
 *
 * Each input is made from its own seed, which a failure reports. The first input of a run is made
 * from the run's seed, so N may be either seed. Inputs that once failed (fuzz/failed.txt) come
 * before all others.
 *
 * <p>For any input: only {@link MalformedCaptureException} is thrown, one input takes less than
 * {@value #MOST_MILLIS} ms of CPU time, the caps are kept, every row is freed, every record can be
 * written, and the fast path of plain packets gives the same result as the slow path.
 */
public final class Fuzz {

    static final long MOST_MILLIS = 5_000;
    private static final int CAP = 200;
    private static final byte[] EDGES = {
        0, 1, -1, 127, -128, 16, 22, 23, '\r', '\n', ' ', ':', 'H', 'G'
    };

    /** Readers under test. */
    enum Target {
        PCAP,
        PCAPNG,
        FRAME,
        HTTP,
        TLS,
        SESSION,
        /** Frames of HTTP/2 in the clear and their header blocks. */
        HTTP2,
        /** Both halves of a dump, read and continued. */
        EVIDENCE,
        /** Lines of access logs, and formats. */
        LOG,
        /** Configuration files of every kind of server. */
        CONFIGURATION
    }

    private final long seed;
    private final Path file;
    long inputs;
    long slowestNanos;

    Fuzz(long seed, Path file) {
        this.seed = seed;
        this.file = file;
    }

    public static void main(String[] args) throws Exception {
        Duration time = Duration.ofSeconds((long) (Double.parseDouble(args[0]) * 60));
        List<String> names = new ArrayList<>(List.of(args).subList(1, args.length));
        FuzzSeeds seeds = FuzzSeeds.fromArguments(names);
        List<Target> targets = names.isEmpty()
                ? List.of(Target.values())
                : names.stream().map(Target::valueOf).toList();
        for (Target target : targets) {
            long seed = seeds.next();
            System.out.println(target + ": seed " + seed);
            Path file = Files.createTempFile("fuzz", ".pcap");
            try {
                Fuzz fuzz = new Fuzz(seed, file);
                long before = heap();
                fuzz.run(target, time);
                System.out.printf(
                        "%s: %d inputs in %d s, slowest %.1f ms, heap %+d KB%n",
                        target,
                        fuzz.inputs,
                        time.toSeconds(),
                        fuzz.slowestNanos / 1e6,
                        (heap() - before) / 1024);
            } finally {
                Files.delete(file);
            }
        }
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Returns the CPU time of this thread: the load of the machine does not make an input slow. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    void run(Target target, Duration time) throws IOException {
        for (long failedOnce : FuzzSeeds.failedOnce(Fuzz.class, target)) {
            timed(target, failedOnce);
        }
        SplittableRandom seeds = new SplittableRandom(seed);
        long end = System.nanoTime() + time.toNanos();
        long input = seed;
        do {
            timed(target, input);
            inputs++;
            input = seeds.nextLong();
        } while (System.nanoTime() < end);
    }

    private void timed(Target target, long input) throws IOException {
        long startedNanos = cpuNanos();
        try {
            run(target, new SplittableRandom(input));
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw new AssertionError(FuzzSeeds.failed("monitor/agent", target, input, seed), e);
        }
        long elapsed = cpuNanos() - startedNanos;
        slowestNanos = Math.max(slowestNanos, elapsed);
        if (elapsed > MOST_MILLIS * 1_000_000) {
            throw new AssertionError(elapsed / 1_000_000 + " ms of CPU: "
                    + FuzzSeeds.failed("monitor/agent", target, input, seed));
        }
    }

    /** Runs one input; the same seed always gives the same input. */
    void run(Target target, SplittableRandom random) throws IOException {
        switch (target) {
            case PCAP ->
                file(damage(
                        random,
                        CaptureWriter.pcap(talk(random), order(random), random.nextBoolean())));
            case PCAPNG ->
                file(damage(
                        random,
                        CaptureWriter.pcapng(talk(random), order(random), random.nextBoolean())));
            case FRAME ->
                analyse(talk(random).stream()
                        .map(frame -> new Frame(
                                frame.micros(),
                                LinkType.values()[random.nextInt(LinkType.values().length)],
                                damage(random, frame.bytes()),
                                40))
                        .map(frame -> new Frame(
                                frame.micros(),
                                frame.link(),
                                frame.bytes(),
                                frame.bytes().length + random.nextInt(3) * random.nextInt(100_000)))
                        .toList());
            case HTTP -> analyse(streams(random, HTTP_UP, HTTP_DOWN));
            case TLS -> analyse(streams(random, TLS_UP, TLS_DOWN));
            case SESSION -> analyse(shuffled(random, talk(random)));
            case HTTP2 -> analyse(streams(random, HTTP2_UP, HTTP2_DOWN));
            case EVIDENCE ->
                FuzzedFiles.evidence(
                        file,
                        damage(
                                random,
                                CaptureWriter.pcap(talk(random), ByteOrder.nativeOrder(), false)),
                        damage(
                                random,
                                CaptureWriter.pcap(talk(random), ByteOrder.nativeOrder(), false)));
            case LOG -> {
                byte[] format = damage(random, oneOf(random, FuzzedFiles.FORMATS));
                FuzzedFiles.log(file, damage(random, oneOf(random, FuzzedFiles.LINES)), format);
            }
            case CONFIGURATION -> {
                int kind = random.nextInt(FuzzedFiles.CONFIGURATIONS.size());
                FuzzedFiles.configuration(
                        file, kind, damage(random, bytes(FuzzedFiles.CONFIGURATIONS.get(kind))));
            }
        }
    }

    private static byte[] oneOf(SplittableRandom random, List<String> texts) {
        return bytes(texts.get(random.nextInt(texts.size())));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static ByteOrder order(SplittableRandom random) {
        return random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    private void file(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        Followed followed = new Followed(true);
        try (CaptureFile capture = new CaptureFile(file)) {
            capture.run(new FrameDecoder(followed.analyzer));
        } catch (MalformedCaptureException e) {
            // the expected exception of a broken file
        }
        followed.end();
    }

    private static void analyse(List<Frame> frames) {
        String fastPath = report(frames, true);
        String slowPath = report(frames, false);
        check(
                fastPath.equals(slowPath),
                "the short way tells",
                fastPath + "\nthe long way\n" + slowPath);
    }

    private static String report(List<Frame> frames, boolean fastPath) {
        Followed followed = new Followed(fastPath);
        new FrameList(frames).run(new FrameDecoder(followed.analyzer));
        followed.end();
        return followed.events.toString();
    }

    private static final class Followed implements ConnectionListener {
        private int open;
        private int unfinished;
        private int paused;
        final StringBuilder events = new StringBuilder();
        final ConnectionAnalyzer analyzer;

        Followed(boolean fastPath) {
            analyzer = new ConnectionAnalyzer(
                    AnalyzerConfig.file(Set.of(80, 443))
                            .withMaxConnections(CAP)
                            .withMaxHeldBytes(1 << 16),
                    new ServiceNumbers(Object::toString),
                    this,
                    fastPath);
        }

        @Override
        public void packet(
                int service,
                long micros,
                boolean up,
                int wireBytes,
                int payloadBytes,
                int unique,
                boolean retransmission,
                boolean outOfOrder,
                boolean zeroWindow) {
            events.append(up ? 'u' : 'd').append(micros & 0xffff).append(' ').append(unique);
            events.append(retransmission ? 'r' : ' ')
                    .append(outOfOrder ? 'o' : ' ')
                    .append(zeroWindow ? 'z' : ' ');
        }

        @Override
        public void responseStarted(
                int service, long micros, long responseMicros, long thinkMicros) {
            events.append("a")
                    .append(micros)
                    .append(' ')
                    .append(responseMicros)
                    .append(' ')
                    .append(thinkMicros);
        }

        @Override
        public void opened(int service, long micros) {
            open++;
            unfinished++;
        }

        @Override
        public void paused(int service, long micros, int requests) {
            paused++;
        }

        @Override
        public void resumed(int service, long micros, int requests) {
            paused--;
        }

        @Override
        public void closed(
                int service,
                long micros,
                ConnectionState state,
                long durationMicros,
                boolean timedOut,
                boolean atRest) {
            open--;
            paused -= atRest ? 1 : 0;
        }

        @Override
        public void finished(ConnectionRecord record) {
            unfinished--;
            events.append('\n').append(RecordJson.write(record)).append('\n');
            long up = record.up().uniqueBytes();
            long down = record.down().uniqueBytes();
            check(up >= 0 && up <= record.up().payloadBytes(), "unique bytes up", record);
            check(down >= 0 && down <= record.down().payloadBytes(), "unique bytes down", record);
            record.exchanges()
                    .forEach(random -> check(
                            random.transferMicros() == null || random.transferMicros() >= 0,
                            "T_d",
                            record));
        }

        void end() {
            check(analyzer.following() <= CAP, "cap", analyzer.following());
            analyzer.flush();
            check(analyzer.rowsInUse() == 0, "rows in use", analyzer.rowsInUse());
            check(
                    open == 0 && unfinished == 0,
                    "opened, closed, finished",
                    open + " " + unfinished);
            check(paused == 0, "resting, resumed", paused);
        }
    }

    private static void check(boolean holds, String what, Object value) {
        if (!holds) {
            throw new AssertionError(what + ": " + value);
        }
    }

    private static final String HTTP_UP =
            "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nPOST /p HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
                    + "HEAD /h HTTP/1.1\r\n\r\nPUT /q HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                    + "CONNECT a:1 HTTP/1.1\r\n\r\n";
    private static final String HTTP_DOWN =
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 C\r\n"
                    + "Transfer-Encoding: gzip, chunked\r\n\r\na;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
                    + "HTTP/1.1 304 N\r\n\r\nHTTP/1.1 101 S\r\nUpgrade: h2c\r\n\r\nHTTP/1.0 500 E\r\n\r\nuntil the end";
    private static final String TLS_UP = "\26\3\1\0\67\1\0\0\63\3\3" + "r".repeat(32)
            + "\0\0\2\23\1\1\0\0\10\0\20\0\4\0\2\1h" + "\24\3\3\0\1\1\27\3\3\0\65" + "x".repeat(53)
            + "\27\3\3\0\40" + "y".repeat(32);
    private static final String TLS_DOWN = "\26\3\3\0\64\2\0\0\60\3\3" + "s".repeat(32)
            + "\0\23\1\0\0\10\0\53\0\2\3\4\0\0" + "\24\3\3\0\1\1\27\3\3\0\46" + "z".repeat(38)
            + "\27\3\3\0\20"
            + "t".repeat(16) + "\25\3\3\0\2\1\0";

    /**
     * RFC 7541 C.4, C.6: Huffman texts, both tables; then a priority, padding, a continuation, a
     * reset.
     */
    private static final String HTTP2_UP =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\6\4\0\0\0\0\0\0\1\0\0\20\0"
                    + "\0\0\21\1\5\0\0\0\1\202\206\204\101\214\361\343\302\345\362\072\153\240\253\220\364\377"
                    + "\0\0\13\1\44\0\0\0\3\0\0\0\0\20\202\206\104\3/ab"
                    + "\0\0\5\11\4\0\0\0\3\276\130\2no"
                    + "\0\0\10\0\11\0\0\0\3\2hello\0\0" + "\0\0\4\3\0\0\0\0\1\0\0\0\10";

    private static final String HTTP2_DOWN =
            "\0\0\0\4\0\0\0\0\0" + "\0\0\5\1\4\0\0\0\1\110\3201" + "\0\0\1\1\4\0\0\0\3\210"
                    + "\0\0\5\0\1\0\0\0\3hello" + "\0\0\6\5\4\0\0\0\1\0\0\0\2\202\204"
                    + "\0\0\4\10\0\0\0\0\0\0\0\1\0"
                    + "\0\0\10\6\0\0\0\0\0pingpong" + "\0\0\2\1\5\0\0\0\5\77\341";

    private static List<Frame> talk(SplittableRandom random) {
        List<Frame> frames = new ArrayList<>();
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            boolean tls = random.nextBoolean();
            Talk talk = new Talk(
                    "10.0.0." + i + ":40000",
                    "10.0.0.9:" + (tls ? 443 : 80),
                    random.nextInt(),
                    random.nextInt(),
                    frames);
            if (random.nextInt(8) > 0) {
                talk.handshake();
            }
            talk.request(tls ? TLS_UP : HTTP_UP).answer(tls ? TLS_DOWN : HTTP_DOWN);
            talk.request(tls ? TLS_UP : HTTP_UP).answer(tls ? TLS_DOWN : HTTP_DOWN);
            if (random.nextBoolean()) {
                talk.closeByClient();
            }
        }
        return frames;
    }

    /** Returns damaged streams in order, in pieces. */
    private static List<Frame> streams(SplittableRandom random, String up, String down) {
        Talk talk = new Talk(
                        "10.0.0.1:40000",
                        "10.0.0.9:80",
                        random.nextInt(),
                        random.nextInt(),
                        new ArrayList<>())
                .handshake();
        List<String> requests =
                pieces(random, damage(random, up.repeat(2).getBytes(StandardCharsets.ISO_8859_1)));
        List<String> answers = pieces(
                random, damage(random, down.repeat(2).getBytes(StandardCharsets.ISO_8859_1)));
        for (int i = 0; i < Math.max(requests.size(), answers.size()); i++) {
            if (i < requests.size()) {
                talk.request(requests.get(i));
            }
            if (i < answers.size()) {
                talk.answer(answers.get(i));
            }
        }
        return random.nextBoolean()
                ? talk.closeByServer().frames()
                : shuffled(random, talk.frames());
    }

    private static List<String> pieces(SplittableRandom random, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int most = 1 + random.nextInt(200);
        List<String> pieces = new ArrayList<>();
        for (int at = 0; at < text.length(); ) {
            int length = Math.min(text.length() - at, 1 + random.nextInt(most));
            pieces.add(text.substring(at, at + length));
            at += length;
        }
        return pieces;
    }

    /** Returns late, duplicated, missing, cut and damaged packets. */
    private static List<Frame> shuffled(SplittableRandom random, List<Frame> frames) {
        List<Frame> changed = new ArrayList<>();
        for (Frame frame : frames) {
            Frame damaged = random.nextInt(6) == 0
                    ? new Frame(
                            frame.micros(),
                            frame.link(),
                            damage(random, frame.bytes()),
                            frame.length())
                    : frame;
            switch (random.nextInt(10)) {
                case 0 -> changed.add(damaged.at(damaged.micros() + random.nextInt(400_000)));
                case 1 -> {
                    changed.add(damaged);
                    changed.add(damaged.at(damaged.micros() + random.nextInt(400_000)));
                }
                case 2 -> {}
                case 3 -> changed.add(damaged.cutTo(20 + random.nextInt(100)));
                default -> changed.add(damaged);
            }
        }
        changed.sort(Comparator.comparingLong(Frame::micros));
        return changed;
    }

    private static byte[] damage(SplittableRandom random, byte[] original) {
        byte[] bytes = original.clone();
        for (int times = random.nextInt(6); times > 0 && bytes.length > 0; times--) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(bytes.length - at, 1 + random.nextInt(40));
            switch (random.nextInt(7)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = EDGES[random.nextInt(EDGES.length)];
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                case 3 -> Arrays.fill(bytes, at, at + length, EDGES[random.nextInt(EDGES.length)]);
                case 4 -> bytes = joined(bytes, 0, at, at + length, bytes.length);
                case 5 -> bytes = joined(bytes, 0, at + length, at, bytes.length);
                default -> {
                    int from = random.nextInt(bytes.length - length + 1);
                    System.arraycopy(bytes, from, bytes, at, length);
                }
            }
        }
        return bytes;
    }

    private static byte[] joined(byte[] bytes, int from, int to, int nextFrom, int nextTo) {
        byte[] joined =
                Arrays.copyOf(Arrays.copyOfRange(bytes, from, to), to - from + nextTo - nextFrom);
        System.arraycopy(bytes, nextFrom, joined, to - from, nextTo - nextFrom);
        return joined;
    }
}
