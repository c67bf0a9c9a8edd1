package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.connection.UnreadBytes;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.line.kit.TunnelDoor;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of every line, over any carrier. */
abstract class LineContract {

    final Ends ends = new Ends();

    /** Returns the TLS of the server; null: plain. */
    abstract LineTls server() throws Exception;

    abstract LineTls client() throws Exception;

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    private Line line(LineSettings settings) throws Exception {
        return ends.line(ends.server(settings, server()).address(), settings, client());
    }

    @Test
    void open_manyAtOnceOfAllSizes_eachGetsItsOwnBytes() throws Exception {
        Line line = line(Ends.QUICK);
        // The first connection that is up carries all waiting requests.
        await().until(
                        () -> Ends.figures(line).connections(),
                        all -> all.size() == 2 && all.stream().allMatch(ConnectionFigures::isUp));
        Map<Integer, Heard> request = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            int size = i == 0 ? 0 : i % 40 == 0 ? 3_000_000 + i : i * 97;
            request.put(size, Ends.ask(line, Ends.get("/bytes/" + size), true));
        }
        for (Map.Entry<Integer, Heard> each : request.entrySet()) {
            assertThat(each.getValue().end()).isEqualTo(StreamEnd.COMPLETE);
            assertThat(each.getValue().body.toByteArray())
                    .isEqualTo(Answers.pattern(each.getKey()));
        }
        LineFigures figures = Ends.figures(line);
        assertThat(figures.opened()).isEqualTo(200);
        assertThat(figures.ends()).containsEntry(StreamEnd.Reason.COMPLETE, 200L);
        assertThat(figures.connections()).hasSize(2).allSatisfy(connection -> {
            assertThat(connection.over()).isEqualTo(ends.carrier);
            assertThat(connection.streams()).isZero();
            assertThat(connection.heldBytes()).isZero();
            assertThat(connection.receivedBytes()).isPositive();
        });
    }

    @Test
    void data_uploadUnderBackPressure_comesBackByteExact() throws Exception {
        Line line = line(Tuned.withWindows(Ends.QUICK, 65_535, 65_535, 1 << 20));
        int total = 3_000_000;
        CompletableFuture<byte[]> echoed = new CompletableFuture<>();
        Ends.on(line, () -> {
            UploadRequest upload = new UploadRequest(total, echoed);
            upload.stream = line.open(Ends.head("POST", "/echo"), false, upload);
            upload.writable();
            return upload;
        });
        assertThat(echoed.get(180, TimeUnit.SECONDS)).isEqualTo(Answers.pattern(total));
    }

    /** A request that writes while there is room, and stores the response. */
    private static final class UploadRequest extends Heard {

        private final int total;
        private final CompletableFuture<byte[]> done;
        private int written;

        UploadRequest(int total, CompletableFuture<byte[]> done) {
            super(true);
            this.total = total;
            this.done = done;
        }

        @Override
        public void writable() {
            while (written < total && stream.isWritable()) {
                int count = Math.min(30_000, total - written);
                ByteBuf bytes = Unpooled.wrappedBuffer(Answers.PATTERN, written, count);
                written += count;
                stream.data(bytes, written == total);
            }
        }

        @Override
        public void ended(StreamEnd how) {
            super.ended(how);
            done.complete(body.toByteArray());
        }
    }

    @Test
    void trailers_andInterimHeads_arePassedOn() throws Exception {
        Line line = line(Ends.QUICK);
        Heard response = Ends.ask(line, Ends.get("/trailers"), true);
        assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(response.interim).containsExactly("103");
        assertThat(response.body.toByteArray()).containsExactly(1, 2, 3);
        assertThat(response.trailers.get("grade")).hasToString("good");

        Heard up = Ends.ask(line, Ends.head("POST", "/echo"), false, true);
        Ends.on(line, () -> {
            up.stream.trailers(new DefaultHttp2Headers().set("sum", "7"));
            return true;
        });
        assertThat(up.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(up.trailers.get("sum")).hasToString("7");
    }

    @Test
    void reset_byEitherSide_endsBothWithItsReason() throws Exception {
        Line line = line(Ends.QUICK);
        Heard theirs = Ends.ask(line, Ends.get("/reset"), true);
        assertThat(theirs.end().reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(theirs.end().code()).isEqualTo(Http2Error.INTERNAL_ERROR.code());
        assertThat(Ends.ask(line, Ends.get("/throw"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.RESET);

        Heard mine = Ends.ask(line, Ends.get("/hold"), true);
        Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
        Ends.on(line, () -> {
            mine.stream.reset(Http2Error.CANCEL);
            return true;
        });
        assertThat(mine.end().reason()).isEqualTo(StreamEnd.Reason.CANCELLED);
        assertThat(held.heard().end().reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(held.heard().end().code()).isEqualTo(Http2Error.CANCEL.code());
    }

    @Test
    void slowReaders_filledWindows_delayNoOtherStream() throws Exception {
        LineSettings narrow =
                Tuned.withWindows(Ends.QUICK.withConnections(1), 2 << 20, 512 << 10, 2 << 20);
        Line line = line(narrow);
        List<Heard> slow = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            slow.add(Ends.ask(line, Ends.get("/bytes/1500000"), false));
        }
        // All bodies together would be 18 MB: the windows stop them at the limit of unread bytes.
        await().until(() -> Ends.figures(line).connections().stream()
                .anyMatch(each -> each.heldBytes() > narrow.heldBytes() / 2));
        assertThat(Ends.ask(line, Ends.get("/bytes/200000"), true).end())
                .isEqualTo(StreamEnd.COMPLETE);
        assertThat(slow).noneMatch(response -> response.end.isDone() && response.bytes < 1_500_000);

        // A stream that ends releases its unread bytes.
        Ends.on(line, () -> {
            for (Heard each : slow) {
                if (each.end.isDone()) {
                    each.takeAll();
                } else {
                    each.stream.reset(Http2Error.CANCEL);
                }
            }
            return true;
        });
        assertThat(Ends.figures(line).connections().getFirst().heldBytes()).isZero();
    }

    @Test
    void held_byManySlowReaders_staysWithinItsBound() throws Exception {
        LineSettings narrow =
                Tuned.withWindows(Ends.QUICK.withConnections(1), 512 << 10, 256 << 10, 1 << 20);
        Line line = line(narrow);
        List<Heard> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            slow.add(Ends.ask(line, Ends.get("/bytes/500000"), false));
        }
        await().until(() -> Ends.figures(line).connections().stream()
                .anyMatch(each -> each.heldBytes() > narrow.heldBytes() / 2));
        // Two exchanges on the same connection: the bytes under way when the windows shrank have
        // come.
        Ends.ask(line, Ends.get("/bytes/1"), true).end();
        Ends.ask(line, Ends.get("/bytes/1"), true).end();
        long onItsWay = 256 << 10;
        assertThat(Ends.figures(line).connections().getFirst().heldBytes())
                .isLessThanOrEqualTo(
                        narrow.heldBytes() / 2 + onItsWay + 22L * UnreadBytes.THRIFTY_WINDOW);

        // When the bodies are consumed after all, every byte comes.
        Ends.on(line, () -> {
            slow.forEach(Heard::takeAll);
            return true;
        });
        for (Heard each : slow) {
            assertThat(each.end()).isEqualTo(StreamEnd.COMPLETE);
        }
        assertThat(slow)
                .allSatisfy(each ->
                        assertThat(each.body.toByteArray()).isEqualTo(Answers.pattern(500_000)));
    }

    @Test
    void control_whileDataIsStalledAndStreamsAreUsedUp_isAnswered() throws Exception {
        LineSettings few = Tuned.with(
                Tuned.withWindows(Ends.QUICK.withConnections(1), 65_535, 65_535, 1 << 20),
                Map.of("maxStreams", 64, "congestion", ""));
        Line line = line(few);
        List<Heard> stalled = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stalled.add(Ends.ask(line, Ends.get("/bytes/300000"), false));
        }
        await().until(() -> Ends.figures(line).connections().size() == 1
                && Ends.figures(line).connections().getFirst().streams() == 64 - Line.FOR_CONTROL);
        assertThat(Ends.figures(line).waiting()).isEqualTo(100 - (64 - Line.FOR_CONTROL));
        Heard response = new Heard(true);
        Ends.on(
                line,
                () -> response.stream = line.openControl(Ends.get("/bytes/20000"), true, response));
        assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(response.body.toByteArray()).isEqualTo(Answers.pattern(20_000));
        assertThat(stalled).noneMatch(each -> each.end.isDone());
    }

    @Test
    void control_inARequestsField_isNoControl() throws Exception {
        Line line = line(Ends.QUICK);
        Heard response = Ends.ask(line, Ends.get("/hold").set("komainu-class", "control"), true);
        Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
        assertThat(held.head().contains("komainu-class")).isFalse();
        Ends.on(line, () -> {
            response.stream.reset(Http2Error.CANCEL);
            return true;
        });
    }

    @Test
    void ping_measuresTheRoundTrip_andTheKernelReportsTheRest() throws Exception {
        Line line = line(Ends.QUICK);
        await().until(() -> Ends.figures(line).connections().stream()
                        .filter(each -> each.rttMicros() > 0)
                        .count()
                == 2);
        assertThat(Ends.figures(line).connections()).allSatisfy(each -> {
            assertThat(each.leastRttMicros()).isPositive().isLessThanOrEqualTo(60_000_000);
            assertThat(each.tcp().loss()).isBetween(0.0, 1.0);
        });
    }

    @Test
    void close_endsEveryStreamOnce() throws Exception {
        Line line = line(Ends.QUICK);
        Heard response = Ends.ask(line, Ends.get("/hold"), true);
        ends.answers.held.poll(180, TimeUnit.SECONDS);
        line.close();
        assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.CLOSED);
        assertThat(Ends.ask(line, Ends.get("/bytes/1"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.CLOSED);
    }

    @Test
    void close_whileThePeerDrains_endsWhatIsUnderWay() throws Exception {
        LineServer server = ends.server(Ends.QUICK, server());
        Line line = ends.line(server.address(), Ends.QUICK, client());
        Heard response = Ends.ask(line, Ends.get("/hold"), true);
        ends.answers.held.poll(180, TimeUnit.SECONDS);
        server.drain();
        await().atMost(Duration.ofSeconds(120))
                .until(() -> Ends.figures(line).connections().stream()
                        .noneMatch(each -> each.streams() > 0));
        line.close();
        assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.CLOSED);
    }

    // Tunnels.

    /**
     * A service that sends a greeting, reads until FIN, then sends the bytes back twice, and FIN.
     */
    private static ServerSocket service() throws IOException {
        ServerSocket service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> {
            while (true) {
                try (Socket client = service.accept()) {
                    client.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
                    byte[] all = client.getInputStream().readAllBytes();
                    client.getOutputStream().write(all);
                    client.getOutputStream().write(all);
                } catch (IOException e) {
                    return;
                }
            }
        });
        return service;
    }

    @Test
    void tunnel_halfClosedBothWaysUnderBackPressure_isByteExact() throws Exception {
        try (ServerSocket service = service()) {
            LineSettings narrow = Tuned.withWindows(Ends.QUICK, 65_535, 65_535, 1 << 20);
            StreamAcceptor taker = new TunnelAcceptor(
                    head -> "mail.test".contentEquals(head.authority())
                            ? (InetSocketAddress) service.getLocalSocketAddress()
                            : null,
                    Duration.ofSeconds(60),
                    ends.answers);
            LineServer server = ends.server(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    narrow,
                    server(),
                    taker);
            Line line = ends.line(server.address(), narrow, client());
            try (TunnelDoor door = new TunnelDoor(line, "mail.test");
                    Socket socket = door.connect()) {
                byte[] up = Answers.pattern(2_000_000);
                byte[] greeting = socket.getInputStream().readNBytes(5);
                assertThat(new String(greeting, StandardCharsets.US_ASCII)).isEqualTo("hello");
                socket.getOutputStream().write(up);
                socket.shutdownOutput();
                ByteArrayOutputStream twice = new ByteArrayOutputStream();
                twice.writeBytes(up);
                twice.writeBytes(up);
                assertThat(socket.getInputStream().readAllBytes()).isEqualTo(twice.toByteArray());
            }
            try (TunnelDoor door = new TunnelDoor(line, "nobody.test");
                    Socket socket = door.connect()) {
                assertThat(TunnelDoor.endOf(socket)).isEqualTo("reset");
                assertThat(door.answer.get(180, TimeUnit.SECONDS).status()).hasToString("404");
            }
        }
    }

    /**
     * More than both kernels buffer for a connection, in any configuration: the writer must wait
     * for its reader.
     */
    private static final int MORE_THAN_KERNELS_HOLD = 48_000_000;

    /**
     * The reader has ended its own half, and reads nothing before the path to it is full: its
     * socket must wait for room, with nothing more to read.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tunnel_halfClosedAndTheReaderLate_isByteExact(boolean up) throws Exception {
        try (ServerSocket service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            LineSettings narrow =
                    Tuned.withWindows(Ends.QUICK.withConnections(1), 65_535, 65_535, 1 << 20);
            StreamAcceptor taker = new TunnelAcceptor(
                    name -> (InetSocketAddress) service.getLocalSocketAddress(),
                    Duration.ofSeconds(60),
                    ends.answers);
            LineServer server = ends.server(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    narrow,
                    server(),
                    taker);
            Line line = ends.line(server.address(), narrow, client());
            try (TunnelDoor door = new TunnelDoor(line, "any");
                    Socket client = door.connect();
                    Socket served = service.accept()) {
                served.setSoTimeout(180_000);
                Socket writer = up ? client : served;
                Socket reader = up ? served : client;
                // The reader's own half ends first, and is read to its end.
                reader.getOutputStream().write(1);
                reader.shutdownOutput();
                assertThat(writer.getInputStream().readAllBytes()).containsExactly(1);
                CompletableFuture<Void> written = CompletableFuture.runAsync(
                        () -> {
                            try {
                                for (int sent = 0;
                                        sent < MORE_THAN_KERNELS_HOLD;
                                        sent += Answers.PATTERN.length / 5) {
                                    writer.getOutputStream()
                                            .write(Answers.PATTERN, 0, Answers.PATTERN.length / 5);
                                }
                                writer.shutdownOutput();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        Thread::startVirtualThread);
                // Both kernels have buffered what they can, and the following bytes wait in the
                // tunnel.
                await().until(() -> held(up, server, line) >= 32_000);
                long response = 0;
                byte[] some = new byte[65_536];
                for (int count; (count = reader.getInputStream().read(some)) >= 0; ) {
                    for (int i = 0; i < count; i++) {
                        int at = (int) ((response + i) % (Answers.PATTERN.length / 5));
                        if (some[i] != Answers.PATTERN[at]) {
                            throw new AssertionError("Another byte at " + (response + i));
                        }
                    }
                    response += count;
                }
                assertThat(response).isEqualTo(MORE_THAN_KERNELS_HOLD);
                written.get(180, TimeUnit.SECONDS);
            }
        }
    }

    private static long held(boolean up, LineServer server, Line line) throws Exception {
        return up
                ? server.figures().connections().stream()
                        .mapToLong(each -> each.figures().heldBytes())
                        .sum()
                : Ends.figures(line).connections().stream()
                        .mapToLong(ConnectionFigures::heldBytes)
                        .sum();
    }

    @Test
    void tunnel_resetByTheService_resetsTheClient() throws Exception {
        try (ServerSocket service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            StreamAcceptor taker = new TunnelAcceptor(
                    name -> (InetSocketAddress) service.getLocalSocketAddress(),
                    Duration.ofSeconds(60),
                    ends.answers);
            LineServer server = ends.server(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Ends.QUICK,
                    server(),
                    taker);
            Line line = ends.line(server.address(), Ends.QUICK, client());
            try (TunnelDoor door = new TunnelDoor(line, "any");
                    Socket socket = door.connect();
                    Socket served = service.accept()) {
                socket.getOutputStream().write(7);
                assertThat(served.getInputStream().read()).isEqualTo(7);
                served.setSoLinger(true, 0);
                served.close();
                assertThat(TunnelDoor.endOf(socket)).isEqualTo("reset");
            }
        }
    }
}
