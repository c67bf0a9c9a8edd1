package dev.komainu.proxy.practice;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Simulated client in HTTP/2, with several requests at a time, over a socket of TLS. */
public final class Http2PracticeConnection implements PracticeConnection {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int SETTING_ENABLE_PUSH = 2;
    private static final int SETTING_INITIAL_WINDOW = 4;
    private static final int WINDOW = 8 << 20;
    private static final int BODY = 2000;

    private final Socket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private int nextStream = 1;
    private long unacknowledged;

    /**
     * Takes over a connected socket on which HTTP/2 was negotiated.
     *
     * @throws IOException when the proxy closed the connection
     */
    public Http2PracticeConnection(Socket socket) throws IOException {
        this.socket = socket;
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 32 * 1024));
        ByteBuf start = Unpooled.buffer();
        start.writeCharSequence(PREFACE, StandardCharsets.US_ASCII);
        frame(start, 12, Http2FrameTypes.SETTINGS, 0, 0);
        start.writeShort(SETTING_ENABLE_PUSH).writeInt(0);
        start.writeShort(SETTING_INITIAL_WINDOW).writeInt(WINDOW);
        enlargeWindow(start);
        write(start);
    }

    @Override
    public void send(String method, String target, String fields) throws IOException {
        Http2Headers headers =
                new DefaultHttp2Headers().method(method).scheme("https").path(target);
        for (String line : fields.split("\r\n")) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            headers.add(
                    name.equals("host") ? ":authority" : name,
                    line.substring(colon + 1).strip());
        }
        boolean body = method.equals("POST");
        int stream = nextStream;
        nextStream += 2;
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(stream, headers, block);
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        ByteBuf request = Unpooled.buffer();
        frame(
                request,
                block.readableBytes(),
                Http2FrameTypes.HEADERS,
                Http2Flags.END_HEADERS | (body ? 0 : Http2Flags.END_STREAM),
                stream);
        request.writeBytes(block);
        if (body) {
            frame(request, BODY, Http2FrameTypes.DATA, Http2Flags.END_STREAM, stream);
            request.writeZero(BODY);
        }
        write(request);
    }

    @Override
    public void receive() throws IOException {
        while (true) {
            int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            in.skipNBytes(length);
            switch (type) {
                case Http2FrameTypes.SETTINGS -> acknowledge(flags);
                case Http2FrameTypes.GO_AWAY ->
                    throw new IOException("The proxy ends the connection");
                case Http2FrameTypes.RST_STREAM ->
                    throw new IOException("The proxy resets stream " + stream);
                case Http2FrameTypes.DATA -> {
                    unacknowledged += length;
                    if (unacknowledged > WINDOW / 2) {
                        unacknowledged = 0;
                        ByteBuf update = Unpooled.buffer();
                        enlargeWindow(update);
                        write(update);
                    }
                }
                default -> {
                    // Header blocks are not decoded: only their END_STREAM matters.
                }
            }
            if ((type == Http2FrameTypes.DATA || type == Http2FrameTypes.HEADERS)
                    && (flags & Http2Flags.END_STREAM) != 0) {
                return;
            }
        }
    }

    private void acknowledge(int flags) throws IOException {
        if ((flags & Http2Flags.ACK) == 0) {
            ByteBuf settings = Unpooled.buffer();
            frame(settings, 0, Http2FrameTypes.SETTINGS, Http2Flags.ACK, 0);
            write(settings);
        }
    }

    private static void enlargeWindow(ByteBuf out) {
        frame(out, 4, Http2FrameTypes.WINDOW_UPDATE, 0, 0);
        out.writeInt(WINDOW);
    }

    private static void frame(ByteBuf out, int length, byte type, int flags, int stream) {
        out.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
    }

    private void write(ByteBuf bytes) throws IOException {
        bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
    }

    @Override
    public void close() throws IOException {
        encoder.close();
        socket.close();
    }
}
