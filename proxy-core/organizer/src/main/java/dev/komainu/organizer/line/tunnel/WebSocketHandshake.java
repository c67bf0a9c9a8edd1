package dev.komainu.organizer.line.tunnel;

import dev.komainu.organizer.line.MemberFields;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * WebSocket's opening handshake in both forms: {@code CONNECT} with {@code :protocol websocket} on
 * the line (RFC 8441 section 5), and an Upgrade of HTTP/1.1 at servers (RFC 6455 section 4). Key
 * and acceptance belong to one connection and are made for each; all other fields are passed on.
 *
 * <p>An instance opens one WebSocket at a server. On its channel's event loop.
 */
// A failed write or close ends the channel; channelInactive reports that.
@SuppressWarnings("FutureReturnValueIgnored")
public final class WebSocketHandshake extends ChannelInboundHandlerAdapter {

    /** The {@code :protocol} of WebSocket. */
    public static final String WEBSOCKET = "websocket";

    static final int MAX_RESPONSE = 16_384;

    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /**
     * A field that HTTP/2 can carry too: a token, and a value of one line (RFC 9110 sections 5.1
     * and 5.5).
     */
    private static final Pattern FIELD =
            Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*");

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Set<String> CONNECTION_FIELDS = Set.of(
            "connection",
            "upgrade",
            "host",
            "keep-alive",
            "proxy-connection",
            "transfer-encoding",
            "content-length",
            "te",
            "http2-settings",
            "sec-websocket-key",
            "sec-websocket-accept");

    /** Receiver of the outcome. */
    interface Outcome {

        /**
         * Called when the server has opened the WebSocket.
         *
         * @param firstBytes bytes of the server after its response; ownership passes to the
         *     receiver
         */
        void opened(Http2Headers response, ByteBuf firstBytes);

        /**
         * Called when the WebSocket was not opened.
         *
         * @param status status of the response: the server's own, or 502
         * @param why {@link MemberFields#REFUSAL}; absent: the status is the server's own
         */
        void refused(int status, @Nullable String why);
    }

    private final Http2Headers request;
    private final Outcome outcome;
    private final String key;
    private final StringBuilder response = new StringBuilder(256);
    private boolean isDone;

    WebSocketHandshake(Http2Headers request, Outcome outcome) {
        this.request = request;
        this.outcome = outcome;
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        this.key = Base64.getEncoder().encodeToString(nonce);
    }

    /** Returns the value that a server must answer to a key (RFC 6455 section 4.2.2). */
    public static String acceptance(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((key.strip() + MAGIC).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has it
        }
    }

    /**
     * Returns the head of the request over the line.
     *
     * @param fields fields of the HTTP/1.1 request; fields of its connection are left out
     */
    public static Http2Headers ask(
            String scheme,
            String authority,
            String path,
            Iterable<Map.Entry<CharSequence, CharSequence>> fields) {
        Http2Headers head = new DefaultHttp2Headers()
                .method("CONNECT")
                .scheme(scheme)
                .authority(authority)
                .path(path)
                .set(Http2Headers.PseudoHeaderName.PROTOCOL.value(), WEBSOCKET);
        for (Map.Entry<CharSequence, CharSequence> field : fields) {
            String name = field.getKey().toString().toLowerCase(Locale.ROOT);
            if (!CONNECTION_FIELDS.contains(name) && !name.startsWith(":")) {
                head.add(AsciiString.of(name), field.getValue());
            }
        }
        return head;
    }

    /**
     * Sends the request to the server at the other end of a connected channel, and reads the
     * channel until the server has answered.
     */
    void begin(Channel channel) {
        StringBuilder text = new StringBuilder(256)
                .append("GET ")
                .append(request.path())
                .append(" HTTP/1.1\r\nhost: ")
                .append(request.authority())
                .append("\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: ")
                .append(key)
                .append("\r\n");
        for (Map.Entry<CharSequence, CharSequence> field : request) {
            String name = field.getKey().toString();
            // Netty has refused names and values that would break lines here (RFC 9113 section
            // 8.2.1).
            if (!CONNECTION_FIELDS.contains(name) && !name.startsWith(":")) {
                text.append(name).append(": ").append(field.getValue()).append("\r\n");
            }
        }
        text.append("\r\n");
        ByteBuf bytes = channel.alloc().buffer(text.length());
        bytes.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        channel.pipeline().addLast(this);
        channel.writeAndFlush(bytes);
        channel.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (isDone) {
            bytes.release();
            return;
        }
        while (bytes.isReadable() && response.length() < MAX_RESPONSE) {
            response.append((char) (bytes.readByte() & 0xff));
            if (endsHead()) {
                isDone = true;
                ctx.pipeline().remove(this);
                evaluate(bytes);
                return;
            }
        }
        bytes.release();
        if (response.length() >= MAX_RESPONSE) {
            refuse(ctx);
        }
    }

    private boolean endsHead() {
        int length = response.length();
        return length >= 4
                && response.charAt(length - 1) == '\n'
                && response.indexOf("\r\n\r\n", length - 4) >= 0;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!isDone) {
            ctx.read();
        }
    }

    private void evaluate(ByteBuf firstBytes) {
        String[] lines = response.toString().split("\r\n", -1);
        int status = status(lines[0]);
        if (status != 101) {
            firstBytes.release();
            outcome.refused(status == 0 ? 502 : status, status == 0 ? "malformed-answer" : null);
            return;
        }
        Http2Headers head = new DefaultHttp2Headers().status("200");
        boolean accepted = false;
        for (int i = 1; i < lines.length - 2; i++) {
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
            String value = lines[i].substring(colon + 1).strip();
            accepted |= name.equals("sec-websocket-accept") && value.equals(acceptance(key));
            if (!FIELD.matcher(name + ":" + value).matches()) {
                accepted = false;
                break;
            }
            if (!CONNECTION_FIELDS.contains(name)) {
                head.add(AsciiString.of(name), AsciiString.of(value));
            }
        }
        if (accepted) {
            outcome.opened(head, firstBytes);
        } else {
            firstBytes.release();
            outcome.refused(502, "malformed-answer");
        }
    }

    /** Returns 101 or a refusal's status; 0: the line is not a valid answer. */
    private static int status(String line) {
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
            return 0;
        }
        int status = Integer.parseInt(line.substring(9, 12));
        return status == 101 || status >= 300 ? status : 0;
    }

    private void refuse(ChannelHandlerContext ctx) {
        if (!isDone) {
            isDone = true;
            outcome.refused(
                    502, response.length() >= MAX_RESPONSE ? "malformed-answer" : "server-broke");
            ctx.close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            refuse(ctx);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        refuse(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse(ctx);
    }
}
