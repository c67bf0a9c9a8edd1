package dev.komainu.organizer.line.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.endpoint.LineServer;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** WebSockets through the line, opened at a server of HTTP/1.1. */
class WebSocketTest {

    private static final Pattern KEY = Pattern.compile("sec-websocket-key: (\\S+)\r\n");

    private static Http2Headers asked() {
        return WebSocketHandshake.ask(
                "http",
                "chat.test",
                "/room",
                new DefaultHttp2Headers(false)
                        .add("Sec-WebSocket-Version", "13")
                        .add("Sec-WebSocket-Key", "of another connection")
                        .add("Connection", "Upgrade")
                        .add("Cookie", "a=b"));
    }

    /**
     * A server that answers each handshake with this; {@code ACCEPT} stands for the acceptance of
     * the key. It echoes the bytes after it.
     */
    private static ServerSocket server(String answer) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> {
            try (Socket client = listener.accept()) {
                StringBuilder request = new StringBuilder();
                while (request.indexOf("\r\n\r\n") < 0) {
                    request.append((char) client.getInputStream().read());
                }
                String text = request.toString();
                boolean inOrder = text.startsWith("GET /room HTTP/1.1\r\nhost: chat.test\r\n")
                        && text.contains("\r\nupgrade: websocket\r\n")
                        && text.contains("\r\nsec-websocket-version: 13\r\n")
                        && text.contains("\r\ncookie: a=b\r\n");
                Matcher key = KEY.matcher(text);
                String accept = inOrder && key.find() && !key.find()
                        ? acceptance(text)
                        : "of a request in disorder";
                client.getOutputStream()
                        .write(answer.replace("ACCEPT", accept)
                                .getBytes(StandardCharsets.US_ASCII));
                client.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException e) {
                // The test is over.
            }
        });
        return listener;
    }

    private static String acceptance(String request) {
        Matcher key = KEY.matcher(request);
        return key.find() ? WebSocketHandshake.acceptance(key.group(1)) : "";
    }

    private static Heard open(Ends ends, ServerSocket server) throws Exception {
        StreamAcceptor taker = new TunnelAcceptor(
                head -> "chat.test".contentEquals(head.authority())
                        ? (InetSocketAddress) server.getLocalSocketAddress()
                        : null,
                Duration.ofSeconds(60),
                ends.answers);
        LineServer far = ends.server(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Ends.QUICK,
                null,
                taker);
        return Ends.ask(ends.line(far.address(), Ends.QUICK, null), asked(), false, true);
    }

    @Test
    void acceptance_ofTheRfcsKey_isTheRfcs() {
        assertThat(WebSocketHandshake.acceptance("dGhlIHNhbXBsZSBub25jZQ=="))
                .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    @Test
    void open_atAServerThatAccepts_relaysBothWays() throws Exception {
        try (Ends ends = new Ends();
                ServerSocket server = server(
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\nfirst ")) {
            Heard response = open(ends, server);
            assertThat(response.status()).isEqualTo("200");
            assertThat(response.head.get().get("sec-websocket-protocol")).hasToString("chat");
            assertThat(response.head.get().contains("sec-websocket-accept")).isFalse();
            response.stream
                    .loop()
                    .execute(() -> response.stream.data(
                            Unpooled.copiedBuffer("echoed", StandardCharsets.US_ASCII), true));
            assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
            assertThat(response.body.toString(StandardCharsets.US_ASCII)).isEqualTo("first echoed");
        }
    }

    @Test
    void open_atAServerThatRefuses_isAnsweredSo() throws Exception {
        for (String[] each : new String[][] {
            {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "403"},
            {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "502"},
            {"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: wrong\r\n\r\n", "502"},
            {
                "HTTP/1.1 101 Switching Protocols\r\n: nameless\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\n",
                "502"
            },
            {"SSH-2.0-OpenSSH\r\n\r\n", "502"},
        }) {
            try (Ends ends = new Ends();
                    ServerSocket server = server(each[0])) {
                Heard response = open(ends, server);
                assertThat(response.status()).as(each[0]).isEqualTo(each[1]);
                // The server's own status is its response, and no other member is needed.
                assertThat(String.valueOf(response.head.get().get(MemberFields.REFUSAL)))
                        .isEqualTo(each[1].equals("403") ? "null" : "malformed-answer");
                assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
            }
        }
    }

    @Test
    void open_withAPathOfTwoWords_isRefused() throws Exception {
        try (Ends ends = new Ends();
                ServerSocket server = server("HTTP/1.1 101\r\n\r\n")) {
            StreamAcceptor taker = new TunnelAcceptor(
                    head -> (InetSocketAddress) server.getLocalSocketAddress(),
                    Duration.ofSeconds(60),
                    ends.answers);
            LineServer far = ends.server(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Ends.QUICK,
                    null,
                    taker);
            Heard response = Ends.ask(
                    ends.line(far.address(), Ends.QUICK, null),
                    asked().path("/room HTTP/1.1"),
                    false,
                    true);
            assertThat(response.status()).isEqualTo("400");
        }
    }

    /**
     * A server's response in pieces, or broken, has one outcome at most, and exactly one when the
     * server left.
     */
    @Property(tries = 300)
    void answer_ofAnyBytesInAnyPieces_hasOneOutcome(
            @ForAll @Size(max = 200) byte[] noise,
            @ForAll @IntRange(min = 0, max = 60) int kept,
            @ForAll @IntRange(min = 1, max = 40) int piece) {
        List<String> outcomes = new ArrayList<>();
        EmbeddedChannel channel = new EmbeddedChannel();
        WebSocketHandshake handshake =
                new WebSocketHandshake(asked(), new WebSocketHandshake.Outcome() {
                    @Override
                    public void opened(Http2Headers answer, ByteBuf behind) {
                        behind.release();
                        outcomes.add("opened");
                    }

                    @Override
                    public void refused(int status, @Nullable String why) {
                        outcomes.add(Integer.toString(status));
                    }
                });
        handshake.begin(channel);
        ByteBuf request = channel.readOutbound();
        request.release();
        byte[] right = "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = Arrays.copyOf(right, kept + noise.length);
        System.arraycopy(noise, 0, bytes, kept, noise.length);
        for (int at = 0; at < bytes.length; at += piece) {
            channel.writeInbound(
                    Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
        }
        assertThat(outcomes).hasSizeLessThanOrEqualTo(1).doesNotContain("opened");
        channel.close();
        channel.releaseInbound();
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void answer_withoutEnd_isBounded() {
        List<Integer> outcomes = new ArrayList<>();
        EmbeddedChannel channel = new EmbeddedChannel();
        WebSocketHandshake handshake =
                new WebSocketHandshake(asked(), new WebSocketHandshake.Outcome() {
                    @Override
                    public void opened(Http2Headers answer, ByteBuf behind) {
                        behind.release();
                    }

                    @Override
                    public void refused(int status, @Nullable String why) {
                        outcomes.add(status);
                    }
                });
        handshake.begin(channel);
        ByteBuf request = channel.readOutbound();
        request.release();
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[WebSocketHandshake.MAX_RESPONSE]));
        assertThat(outcomes).containsExactly(502);
        assertThat(channel.isOpen()).isFalse();
    }
}
