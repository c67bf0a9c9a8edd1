package dev.komainu.intermediary.kit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An HTTP/2 client that sends exactly the given frames, valid or not, and assembles responses (RFC
 * 9113).
 */
public final class FrameClient implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int ACK = 1;
    public static final int END_HEADERS = 4;
    public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int MAX_FRAME_BYTES = 16_384;
    private static final int INITIAL_WINDOW = 65_535;

    /** A received frame. */
    public record Frame(int type, int flags, int stream, byte[] payload) {
        public boolean has(int flag) {
            return (flags & flag) != 0;
        }

        /** Returns the error code of RST_STREAM or GOAWAY. */
        public int code() {
            return ByteBuffer.wrap(payload).getInt(type == GOAWAY ? 4 : 0);
        }
    }

    /**
     * The response received on a stream.
     *
     * @param reset RST_STREAM's code, -1 when there was none
     */
    public record Answer(
            List<Integer> informational, Map<String, String> fields, String body, int reset) {
        public int status() {
            return Integer.parseInt(field(":status"));
        }

        public String field(String name) {
            return fields.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    private static final class Stream {
        final List<Integer> informational = new ArrayList<>();
        final Map<String, String> fields = new LinkedHashMap<>();
        final ByteArrayOutputStream body = new ByteArrayOutputStream();
        int reset = -1;
        boolean ended;
        /** The bytes that the server permits beyond the initial window, less the bytes sent. */
        long window;

        int updates;
    }

    /** Field lines behind the body of the last response. */
    public final List<String> trailers = new ArrayList<>();

    private final Socket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private final Map<Integer, Stream> streams = new HashMap<>();
    private int nextStream = 1;
    private long initialWindow = INITIAL_WINDOW;
    private int goAway = -1;
    private int lastServed = -1;
    /** True while the server's windows are updated for the bytes received. */
    private boolean updatesWindows = true;

    /** Sends the preface and empty SETTINGS. */
    public FrameClient(InetSocketAddress proxy) throws IOException {
        this(new Socket(proxy.getAddress(), proxy.getPort()));
        preface();
    }

    /** Creates a client that sends nothing yet. */
    public FrameClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    public void preface(int... settings) throws IOException {
        send(PREFACE.getBytes(StandardCharsets.ISO_8859_1));
        settings(settings);
    }

    /**
     * Sends SETTINGS.
     *
     * @param settings id, value, id, value …
     */
    public void settings(int... settings) throws IOException {
        ByteBuffer payload = ByteBuffer.allocate(settings.length / 2 * 6);
        for (int i = 0; i < settings.length; i += 2) {
            payload.putShort((short) settings[i]).putInt(settings[i + 1]);
        }
        frame(SETTINGS, 0, 0, payload.array());
    }

    public Socket socket() {
        return socket;
    }

    /** Stops updating the server's windows. */
    public void stopWindowUpdates() {
        updatesWindows = false;
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        send(bytes(type, flags, stream, payload));
    }

    public static byte[] bytes(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    public static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /**
     * Returns a field block without compression.
     *
     * @param fields name, value, name, value …
     */
    public static byte[] block(String... fields) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < fields.length; i += 2) {
            out.write(0);
            text(out, fields[i]);
            text(out, fields[i + 1]);
        }
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        int length = text.length();
        if (length < 127) {
            out.write(length);
        } else {
            out.write(127);
            int rest = length - 127;
            while (rest >= 128) {
                out.write(rest % 128 + 128);
                rest /= 128;
            }
            out.write(rest);
        }
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Returns the field block of an ordinary request.
     *
     * @param more "name: value"
     */
    public static byte[] request(String method, String path, String... more) {
        List<String> fields = new ArrayList<>(List.of(
                ":method", method, ":scheme", "http", ":authority", "test.example", ":path", path));
        for (String field : more) {
            int colon = field.indexOf(": ");
            fields.add(field.substring(0, colon).toLowerCase(Locale.ROOT));
            fields.add(field.substring(colon + 2));
        }
        return block(fields.toArray(new String[0]));
    }

    public int nextStream() {
        nextStream += 2;
        return nextStream - 2;
    }

    /**
     * Sends a request without a body.
     *
     * @return its stream
     */
    public int ask(String method, String path, String... fields) throws IOException {
        return head(END_STREAM, request(method, path, fields));
    }

    /**
     * Begins a request with a body.
     *
     * @return its stream
     */
    public int begin(String method, String path, String... fields) throws IOException {
        return head(0, request(method, path, fields));
    }

    /**
     * Sends a field block in as many frames as it needs.
     *
     * @return its stream
     */
    public int head(int flags, byte[] block) throws IOException {
        int stream = nextStream();
        int type = HEADERS;
        int at = 0;
        do {
            int size = Math.min(MAX_FRAME_BYTES, block.length - at);
            boolean last = at + size == block.length;
            frame(
                    type,
                    (type == HEADERS ? flags : 0) | (last ? END_HEADERS : 0),
                    stream,
                    Arrays.copyOfRange(block, at, at + size));
            type = CONTINUATION;
            at += size;
        } while (at < block.length);
        return stream;
    }

    public void data(int stream, String body, boolean ends) throws IOException {
        frame(DATA, ends ? END_STREAM : 0, stream, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends a part of a body as the server's windows permit. */
    public void upload(int id, String part, boolean ends) throws IOException {
        byte[] bytes = part.getBytes(StandardCharsets.ISO_8859_1);
        int at = 0;
        do {
            int most = Math.min(MAX_FRAME_BYTES, bytes.length - at);
            while (most > 0 && room(id) < 1) {
                next();
            }
            int now = (int) Math.min(most, Math.max(0, room(id)));
            boolean last = at + now == bytes.length;
            frame(DATA, last && ends ? END_STREAM : 0, id, Arrays.copyOfRange(bytes, at, at + now));
            stream(0).window -= now;
            stream(id).window -= now;
            at += now;
        } while (at < bytes.length);
    }

    private long room(int id) {
        return Math.min(INITIAL_WINDOW + stream(0).window, initialWindow + stream(id).window);
    }

    public Answer get(String path, String... fields) throws IOException {
        return answer(ask("GET", path, fields));
    }

    /** Reads until this stream has ended; frames of other streams are stored. */
    public Answer answer(int id) throws IOException {
        Stream stream = stream(id);
        while (!stream.ended) {
            next();
        }
        return new Answer(
                List.copyOf(stream.informational),
                Map.copyOf(stream.fields),
                stream.body.toString(StandardCharsets.ISO_8859_1),
                stream.reset);
    }

    /** Returns the number of window updates for this stream. */
    public int updates(int id) {
        return stream(id).updates;
    }

    /** Returns the body bytes received on a stream so far. */
    public int received(int id) {
        return stream(id).body.size();
    }

    /** Reads one frame and processes it. */
    public Frame next() throws IOException {
        int size = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int id = in.readInt() & Integer.MAX_VALUE;
        byte[] payload = new byte[size];
        in.readFully(payload);
        Frame frame = new Frame(type, flags, id, payload);
        switch (type) {
            case HEADERS -> headers(frame);
            case DATA -> body(frame);
            case RST_STREAM -> {
                stream(id).reset = frame.code();
                stream(id).ended = true;
            }
            case SETTINGS -> {
                if (!frame.has(ACK)) {
                    ByteBuffer all = ByteBuffer.wrap(payload);
                    while (all.hasRemaining()) {
                        boolean isWindow = all.getShort() == 4;
                        int value = all.getInt();
                        initialWindow = isWindow ? value : initialWindow;
                    }
                    frame(SETTINGS, ACK, 0, new byte[0]);
                }
            }
            case WINDOW_UPDATE -> {
                stream(id).window += ByteBuffer.wrap(payload).getInt();
                stream(id).updates++;
            }
            case GOAWAY -> {
                goAway = frame.code();
                lastServed = ByteBuffer.wrap(payload).getInt(0);
            }
            default -> {
                // PING's acknowledgement: the caller receives the frame.
            }
        }
        return frame;
    }

    /** Reads until a frame of this type arrives. */
    public Frame until(int type) throws IOException {
        Frame frame = next();
        while (frame.type() != type) {
            frame = next();
        }
        return frame;
    }

    private void headers(Frame frame) throws IOException {
        if (!frame.has(END_HEADERS)) {
            throw new IOException(
                    "A field block in several frames is not supported by this client");
        }
        Stream stream = stream(frame.stream());
        ByteBuf block = Unpooled.wrappedBuffer(frame.payload());
        Http2Headers fields;
        try {
            fields = decoder.decodeHeaders(frame.stream(), block);
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        if (fields.status() == null) {
            fields.forEach(field -> trailers.add(field.getKey() + ": " + field.getValue()));
            stream.ended = frame.has(END_STREAM);
            return;
        }
        int status = Integer.parseInt(String.valueOf(fields.status()));
        trailers.clear();
        if (status < 200) {
            stream.informational.add(status);
        } else {
            fields.forEach(field -> stream.fields.merge(
                    field.getKey().toString(),
                    field.getValue().toString(),
                    (a, b) -> a + ", " + b));
        }
        stream.ended |= frame.has(END_STREAM);
    }

    private void body(Frame frame) throws IOException {
        Stream stream = stream(frame.stream());
        stream.body.writeBytes(frame.payload());
        stream.ended |= frame.has(END_STREAM);
        if (updatesWindows && frame.payload().length > 0) {
            frame(WINDOW_UPDATE, 0, 0, number(frame.payload().length));
            if (!stream.ended) {
                frame(WINDOW_UPDATE, 0, frame.stream(), number(frame.payload().length));
            }
        }
    }

    private Stream stream(int id) {
        return streams.computeIfAbsent(id, i -> new Stream());
    }

    /**
     * Reads until the server closes.
     *
     * @return the code of its last GOAWAY; -1 without one
     */
    public int untilClosed() throws IOException {
        try {
            while (true) {
                next();
            }
        } catch (EOFException | SocketException closed) {
            return goAway;
        }
    }

    /** Returns the last stream that the server's last GOAWAY named; -1 without one. */
    public int lastServed() {
        return lastServed;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
