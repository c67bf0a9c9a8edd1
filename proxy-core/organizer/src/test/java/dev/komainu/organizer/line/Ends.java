package dev.komainu.organizer.line;

import dev.komainu.intermediary.transport.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Both ends of lines on loopback, on loops of their own. */
final class Ends implements AutoCloseable {

    /** Quick to find out that nobody is there. */
    static final LineSettings QUICK = LineSettings.DEFAULT
            .withConnections(2)
            .withTimes(Duration.ofMillis(50), Duration.ofSeconds(60), Duration.ofMillis(10), Duration.ofSeconds(60));

    final EventLoopGroup loops = Transport.best().loops(2);
    final Answers answers = new Answers();
    /** What both ends are to use. */
    LineCarrier carrier = LineCarrier.TCP;
    /** What lines wait for QUIC before they take TCP: long, on a machine that has no time. */
    Duration quicTimeout = Duration.ofSeconds(60);

    private final List<AutoCloseable> open = new ArrayList<>();

    LineServer server(LineSettings settings, LineTls tls) throws IOException {
        return server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, tls, answers);
    }

    LineServer server(InetSocketAddress at, LineSettings settings, LineTls tls, StreamTaker taker) throws IOException {
        LineServer made = new LineServer(loops, at, tuned(settings), tls, taker);
        if (carrier != LineCarrier.TCP
                && tls != null
                && at.getPort() == 0
                && !made.withoutQuic().isEmpty()) {
            // The UDP port of this number is somebody else's.
            made.close();
            return server(at, settings, tls, taker);
        }
        open.add(made);
        return made;
    }

    Line line(InetSocketAddress to, LineSettings settings, LineTls tls) {
        return line((EventLoop) loops.next(), to, "peer.test", settings, tls);
    }

    Line line(EventLoop loop, InetSocketAddress to, String member, LineSettings settings, LineTls tls) {
        Line made = new Line(loop, new LineAddress(to.getAddress(), to.getPort(), member), tuned(settings), tls);
        open.add(made);
        return made;
    }

    private LineSettings tuned(LineSettings settings) {
        LineSettings over = settings.withCarrier(carrier);
        return carrier == LineCarrier.TCP ? over : over.withConnectTimeout(quicTimeout);
    }

    static Http2Headers get(String path) {
        return head("GET", path);
    }

    static Http2Headers head(String method, String path) {
        return new DefaultHttp2Headers()
                .method(method)
                .scheme("http")
                .authority("a.test")
                .path(path);
    }

    /** Asks and returns who hears the answer. */
    static Heard ask(Line line, Http2Headers head, boolean takes) throws Exception {
        return ask(line, head, true, takes);
    }

    static Heard ask(Line line, Http2Headers head, boolean ends, boolean takes) throws Exception {
        Heard heard = new Heard(takes);
        on(line, () -> heard.stream = line.open(head, ends, heard));
        return heard;
    }

    static <T> T on(Line line, Callable<T> what) throws Exception {
        return line.loop().submit(what).get(180, TimeUnit.SECONDS);
    }

    static LineFigures figures(Line line) throws Exception {
        return on(line, line::figures);
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(180, TimeUnit.SECONDS);
    }
}
