package dev.komainu.organizer.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import dev.komainu.organizer.service.ServedAddresses.Served;
import dev.komainu.organizer.service.ServiceCounts.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of other protocols through two organizers, and servers controlled by the test. */
class ServiceEntriesTest {

    private static final Executor THREADS = Thread::startVirtualThread;

    private ServerSocket server;
    private TwoOrganizers two;

    @BeforeEach
    void setUp() throws Exception {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void tearDown() throws Exception {
        two.close();
        server.close();
    }

    private void start(boolean nearServes) throws Exception {
        two = new TwoOrganizers(
                nearServes, new Served("db.test", 5432, "127.0.0.1", server.getLocalPort()));
    }

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tcp_halfClosedBothWays_isByteExact(boolean nearServes) throws Exception {
        start(nearServes);
        byte[] up = random(1, 3_000_000);
        byte[] down = random(2, 2_000_000);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "db.test:5432");
        CompletableFuture<byte[]> heard = CompletableFuture.supplyAsync(
                () -> {
                    try (Socket taken = server.accept()) {
                        byte[] all = taken.getInputStream().readAllBytes();
                        taken.getOutputStream().write(down);
                        return all;
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                THREADS);
        try (Socket client = TwoOrganizers.connect(entry)) {
            client.getOutputStream().write(up);
            client.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).isEqualTo(down);
        }
        assertThat(heard.get(60, TimeUnit.SECONDS)).isEqualTo(up);
        await().until(() -> entry.counts().of(Kind.ENDED) == 1);
        assertThat(entry.counts().of(Kind.OPENED)).isOne();
        assertThat(TunnelResetReason.values())
                .allSatisfy(why -> assertThat(entry.counts().of(why)).isZero());
    }

    @ParameterizedTest
    @EnumSource(
            value = TunnelResetReason.class,
            names = {"CONNECTION", "FAR_END"})
    void brokenOff_isCountedByWhom(TunnelResetReason why) throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "db.test:5432");
        try (Socket client = TwoOrganizers.connect(entry);
                Socket taken = server.accept()) {
            taken.getOutputStream().write('x');
            assertThat(client.getInputStream().read()).isEqualTo('x');
            reset(why == TunnelResetReason.CONNECTION ? client : taken);
            await().until(() -> entry.counts().of(Kind.ENDED) == 1);
        }
        for (TunnelResetReason each : TunnelResetReason.values()) {
            assertThat(entry.counts().of(each)).as(each.name()).isEqualTo(each == why ? 1 : 0);
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Test
    void noMemberServesIt_isAResetAndACount() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "other.test:5432");
        try (Socket client = TwoOrganizers.connect(entry)) {
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class);
        }
        assertThat(entry.counts().of(ServiceRefusal.NO_ROUTE)).isOne();
    }

    @Test
    void serverThatTakesNone_isAResetAndACount() throws Exception {
        start(false);
        server.close();
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "db.test:5432");
        try (Socket client = TwoOrganizers.connect(entry)) {
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class);
        }
        assertThat(entry.counts().of(ServiceRefusal.SERVER_REFUSED)).isOne();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lineOrEntryEnds_theClientHearsAReset(boolean entryEnds) throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "db.test:5432");
        try (Socket client = TwoOrganizers.connect(entry);
                Socket taken = server.accept()) {
            taken.getOutputStream().write('x');
            assertThat(client.getInputStream().read()).isEqualTo('x');
            if (entryEnds) {
                two.closeEntries();
            } else {
                two.far.close();
            }
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class);
            taken.setSoTimeout(60_000);
            assertThatThrownBy(() -> taken.getInputStream().read()).isInstanceOf(IOException.class);
        }
    }

    // TLS: the refusals; the rest with a real peer (RealPeersTest).

    @Test
    void tls_nonsense_isAResetAndACount() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TLS, "*:443");
        try (Socket client = TwoOrganizers.connect(entry)) {
            client.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class);
        }
        try (Socket client = TwoOrganizers.connect(entry)) {
            client.getOutputStream().write(new byte[] {22, 3, 1, 2});
            client.shutdownOutput();
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class);
        }
        assertThat(entry.counts().of(ServiceRefusal.NOT_TLS)).isOne();
        assertThat(entry.counts().of(ServiceRefusal.SLOW_HELLO)).isOne();
    }

    // FTP: behaviour that a real server and client do not show.

    /** Both ends of a control connection. */
    private static final class Control implements AutoCloseable {
        private final Socket client;
        private final Socket server;
        private final BufferedReader fromServer;
        private final BufferedReader fromClient;

        Control(ServiceEntries.OpenEntry entry, ServerSocket listener) throws IOException {
            client = TwoOrganizers.connect(entry);
            server = listener.accept();
            server.setSoTimeout(60_000);
            fromServer = reader(client);
            fromClient = reader(server);
            answers("220-Welcome", "227 nothing", "220 Ready");
            hears("220-Welcome", "227 nothing", "220 Ready");
        }

        private static BufferedReader reader(Socket socket) throws IOException {
            return new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        }

        private static void say(Socket socket, String text) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }

        void asks(String text) throws IOException {
            say(client, text + "\r\n");
        }

        void answers(String... lines) throws IOException {
            say(server, String.join("\r\n", lines) + "\r\n");
        }

        void hears(String... lines) throws IOException {
            for (String line : lines) {
                assertThat(fromServer.readLine()).isEqualTo(line);
            }
        }

        void isAsked(String... lines) throws IOException {
            for (String line : lines) {
                assertThat(fromClient.readLine()).isEqualTo(line);
            }
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PORT 10,0,0,7,31,64", "EPRT |1|10.0.0.7|8000|", "PORT 127,0,0,1,0,25"})
    void ftp_addressOfAnotherHost_isRefusedHere(String command) throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.FTP, "db.test:5432");
        try (Control control = new Control(entry, server)) {
            control.asks(command);
            control.hears("504 Only your own address and ports from 1024 on are allowed");
            control.asks("NOOP");
            control.isAsked("NOOP");
        }
        assertThat(entry.counts().of(ServiceRefusal.FOREIGN_ADDRESS)).isOne();
    }

    /** RFC 959 section 5.4: replies come in the order of the commands, also those of this end. */
    @Test
    void ftp_commandsInARow_answersInTheirOrder() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.FTP, "db.test:5432");
        try (Control control = new Control(entry, server)) {
            control.asks("USER a\r\nAUTH TLS\r\n\u00ff\u00f4\u00f2SYST\r\nLPSV\r\nNOOP");
            control.isAsked("USER a", "SYST", "NOOP");
            control.answers("331 a");
            control.hears(
                    "331 a",
                    "534 Encrypted control connections are not supported, they hide the data connections");
            control.answers("215-b", "502 inside", "215 b", "200 c");
            control.hears(
                    "215-b",
                    "502 inside",
                    "215 b",
                    "502 Command not implemented, use EPRT or EPSV",
                    "200 c");
        }
        assertThat(entry.counts().of(ServiceRefusal.ENCRYPTION)).isOne();
        assertThat(entry.counts().of(ServiceRefusal.UNSUPPORTED)).isOne();
    }

    @Test
    void ftp_dataFromAnotherAddress_isClosedAndTheOwnIsTaken() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.FTP, "db.test:5432");
        try (Control control = new Control(entry, server);
                ServerSocket data = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            control.asks("EPSV");
            control.isAsked("EPSV");
            control.answers("229 x (|||" + data.getLocalPort() + "|)");
            String answer = control.fromServer.readLine();
            int port = FtpAddress.portOf229(answer);
            assertThat(port).isNotIn(0, data.getLocalPort());
            try (Socket stranger = new Socket(
                    InetAddress.getLoopbackAddress(),
                    port,
                    InetAddress.getByName("127.0.0.9"),
                    0)) {
                stranger.setSoTimeout(60_000);
                assertThatThrownBy(() -> stranger.getInputStream().read())
                        .isInstanceOf(IOException.class);
            }
            try (Socket own = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket taken = data.accept()) {
                taken.getOutputStream().write("abc".getBytes(StandardCharsets.US_ASCII));
                taken.shutdownOutput();
                assertThat(own.getInputStream().readAllBytes()).asString().isEqualTo("abc");
            }
        }
        assertThat(entry.counts().of(ServiceRefusal.FOREIGN_PEER)).isOne();
        assertThat(entry.counts().of(Kind.DATA)).isOne();
    }

    @Test
    void ftp_noPortLeft_isAnswered425() throws Exception {
        start(false);
        try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            PortRange one = new PortRange(taken.getLocalPort(), taken.getLocalPort());
            ServiceEntries.OpenEntry entry = two.open(
                    new ServiceEntry(ServiceProtocol.FTP, TwoOrganizers.ANY, "db.test:5432", one));
            try (Control control = new Control(entry, server)) {
                control.asks("PASV\r\nNOOP");
                control.hears("425 Can't open data connection");
                control.isAsked("NOOP");
            }
            assertThat(entry.counts().of(ServiceRefusal.NO_DATA_PORT)).isOne();
        }
    }

    @Test
    void ftp_lineWithoutEnd_isAReset() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.FTP, "db.test:5432");
        try (Control control = new Control(entry, server)) {
            control.asks("x".repeat(FtpLineSplitter.MAX_LINE));
            assertThatThrownBy(control.fromServer::readLine).isInstanceOf(IOException.class);
        }
        assertThat(entry.counts().of(ServiceRefusal.MALFORMED_LINE)).isOne();
    }

    /** The far end connects only to the port that the session's own server named, and only once. */
    @Test
    void ftp_farEndAskedForAnythingElse_isNoRelay() throws Exception {
        start(false);
        AtomicReference<String> session = new AtomicReference<>();
        Ask control = new Ask("ftp", "/");
        try (Socket taken = server.accept();
                ServerSocket data = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String named = String.valueOf(control.answer().get("komainu-ftp-session"));
            session.set(named.substring(named.indexOf('/')));
            int port = data.getLocalPort();
            assertThat(new Ask("ftp-data", session.get() + "/" + port).status()).isEqualTo("404");
            Control.say(taken, "227 x (1,2,3,4," + (port >> 8) + "," + (port & 0xff) + ")\r\n");
            control.heard.await();
            assertThat(new Ask("ftp-data", session.get() + "/" + (port + 1)).status())
                    .isEqualTo("404");
            assertThat(new Ask("ftp-data", "/0123/" + port).status()).isEqualTo("404");
            assertThat(new Ask("ftp-data", session.get() + "/" + port).status()).isEqualTo("200");
            assertThat(new Ask("ftp-data", session.get() + "/" + port).status()).isEqualTo("404");
            assertThat(new Ask("ftp-listen", "/0123").status()).isEqualTo("404");
        }
    }

    /** A tunnel to the far member, opened by hand. */
    private final class Ask implements StreamListener {
        private final CompletableFuture<Http2Headers> answered = new CompletableFuture<>();
        private final CountDownLatch heard = new CountDownLatch(1);

        Ask(String protocol, String path) {
            EventLoop loop = two.near.loops().getFirst();
            loop.execute(() -> two.near.openTunnelTo(
                    loop,
                    two.farId,
                    TunnelAcceptor.ask(protocol, "db.test:5432").path(path),
                    this));
        }

        Http2Headers answer() throws Exception {
            return answered.get(60, TimeUnit.SECONDS);
        }

        String status() throws Exception {
            return String.valueOf(answer().status());
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            answered.complete(head);
        }

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            bytes.release();
            heard.countDown();
        }

        @Override
        public void trailers(Http2Headers fields) {}

        @Override
        public void writable() {}

        @Override
        public void ended(StreamEnd how) {
            answered.completeExceptionally(new IOException(how.detail()));
        }
    }

    // IIOP: references by the definition; a real pair is in RealPeersTest.

    @Test
    void iiop_referencesOfTheServer_leadToTheEntry_andBack() throws Exception {
        start(false);
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.IIOP, "db.test:5432");
        byte[] said = Giop.reply(
                java.nio.ByteOrder.LITTLE_ENDIAN,
                3,
                "127.0.0.1",
                server.getLocalPort(),
                new byte[] {1, 2, 3});
        try (Socket client = TwoOrganizers.connect(entry);
                Socket taken = server.accept()) {
            taken.setSoTimeout(60_000);
            taken.getOutputStream().write(said);
            byte[] heard = message(client.getInputStream());
            assertThat(Giop.read(heard).get(4))
                    .contains(" 127.0.0.1:" + entry.listens().getPort() + " ");
            client.getOutputStream().write(heard);
            assertThat(Giop.read(message(taken.getInputStream())).get(4))
                    .contains(" 127.0.0.1:" + server.getLocalPort() + " ");
        }
        assertThat(entry.counts().of(Kind.REFERENCES)).isEqualTo(4);
    }

    private static byte[] message(InputStream in) throws IOException {
        byte[] header = in.readNBytes(12);
        int length = java.nio.ByteBuffer.wrap(header)
                .order(ObjectReferences.order(header[6]))
                .getInt(8);
        byte[] all = java.util.Arrays.copyOf(header, 12 + length);
        System.arraycopy(in.readNBytes(length), 0, all, 12, length);
        return all;
    }
}
