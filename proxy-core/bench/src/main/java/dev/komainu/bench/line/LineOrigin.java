package dev.komainu.bench.line;

import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.LineServer;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingTree;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The other end of the experiment's line: sends an object of the size in its path,
 * {@code /object/ID/BYTES/fresh}, at once.
 */
@Command(
        name = "line-origin",
        description = "The other end of the line in the organizer's experiment",
        sortOptions = false)
public final class LineOrigin implements Callable<Integer> {

    private static final Pattern OBJECT =
            Pattern.compile("/object/[0-9]+/([0-9]{1,9})/(keep|fresh)");
    private static final int CHUNK = 65_536;
    private static final ByteBuf FILL = Unpooled.unreleasableBuffer(
            Unpooled.directBuffer(CHUNK).writeZero(CHUNK).asReadOnly());

    @Option(names = "--listen", required = true, description = "ADDRESS:PORT")
    String listen = "";

    @Option(names = "--congestion", description = "TCP's congestion control (${DEFAULT-VALUE})")
    String congestion = "auto";

    @Option(
            names = "--tls",
            description = "Directory with line.crt and line.key; enables QUIC, too")
    @Nullable
    Path tls;

    public static void main(String[] args) {
        System.exit(new CommandLine(new LineOrigin()).execute(args));
    }

    /** The defaults, with these texts by key. */
    static LineSettings settings(Map<String, String> texts) {
        return LineSettings.read(new SettingReader(List.of(SettingTree.of(texts))));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        InetSocketAddress address;
        try {
            address = address(listen);
        } catch (IllegalArgumentException e) {
            System.err.println("--listen: " + listen + " (expected: ADDRESS:PORT)");
            return 2;
        }
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        LineSettings settings = settings(Map.of("lines.congestion", congestion));
        Path certificates = tls;
        LineTls lineTls = certificates == null ? null : tls(certificates);
        try (LineServer server =
                new LineServer(loops, address, settings, lineTls, LineOrigin::respond)) {
            System.out.println("listening on " + server.address());
            new CountDownLatch(1).await();
            return 0;
        }
    }

    /** Returns the TLS settings: both ends have the same certificate, and trust no other. */
    static LineTls tls(Path directory) throws SSLException {
        Path certificate = directory.resolve("line.crt");
        return new LineTls(certificate, directory.resolve("line.key"), certificate);
    }

    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(
                InetAddress.ofLiteral(text.substring(0, Math.max(colon, 0))),
                Integer.parseInt(text.substring(colon + 1)));
    }

    private static StreamListener respond(
            Http2Headers head, boolean last, LineStream stream, LinePeer peer) {
        Matcher object = OBJECT.matcher(String.valueOf(head.path()));
        int bytes = object.matches() ? Integer.parseInt(object.group(1)) : 0;
        stream.head(
                new DefaultHttp2Headers()
                        .status(object.matches() ? "200" : "404")
                        .setInt("content-length", bytes)
                        .set("content-type", "text/plain")
                        .set("cache-control", "no-store"),
                bytes == 0);
        ObjectResponse respond = new ObjectResponse(stream, bytes);
        respond.writable();
        return respond;
    }

    /** An object being sent. */
    private static final class ObjectResponse implements StreamListener {

        private final LineStream stream;
        private int remaining;

        ObjectResponse(LineStream stream, int bytes) {
            this.stream = stream;
            this.remaining = bytes;
        }

        @Override
        public void writable() {
            while (remaining > 0 && stream.isWritable()) {
                int count = Math.min(remaining, CHUNK);
                remaining -= count;
                stream.data(FILL.slice(0, count), remaining == 0);
            }
        }

        @Override
        public void head(Http2Headers head, boolean last) {
            // The request's head was already received.
        }

        @Override
        public void data(ByteBuf bytes, boolean last) {
            stream.consumed(bytes.readableBytes());
            bytes.release();
        }

        @Override
        public void trailers(Http2Headers fields) {
            // No trailers are expected.
        }

        @Override
        public void ended(StreamEnd end) {
            remaining = 0;
        }
    }
}
