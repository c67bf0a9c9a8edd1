package dev.komainu.organizer.line.kit;

import dev.komainu.intermediary.transport.Transport;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.line.endpoint.LineServer;
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
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Both ends of lines on loopback, on loops of their own. */
public final class Ends implements AutoCloseable {

    /** Settings that detect a lost peer quickly. */
    public static final LineSettings QUICK = Tuned.withTimes(
            LineSettings.DEFAULT.withConnections(2),
            Duration.ofMillis(50),
            Duration.ofSeconds(60),
            Duration.ofMillis(10),
            Duration.ofSeconds(60));

    public final EventLoopGroup loops = Transport.best().loops(2);
    public final Answers answers = new Answers();
    /** Carrier of both ends. */
    public LineCarrier carrier = LineCarrier.TCP;
    /** Timeout of QUIC before a line uses TCP: long, for a busy machine. */
    public Duration quicTimeout = Duration.ofSeconds(60);

    private final List<AutoCloseable> open = new ArrayList<>();

    public LineServer server(LineSettings settings, LineTls tls) throws IOException {
        return server(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, tls, answers);
    }

    public LineServer server(
            InetSocketAddress at, LineSettings settings, LineTls tls, StreamAcceptor taker)
            throws IOException {
        LineServer made = new LineServer(loops, at, tuned(settings), tls, taker);
        if (carrier != LineCarrier.TCP
                && tls != null
                && at.getPort() == 0
                && !made.withoutQuic().isEmpty()) {
            // The UDP port of this number is in use by another process.
            made.close();
            return server(at, settings, tls, taker);
        }
        open.add(made);
        return made;
    }

    public Line line(InetSocketAddress to, LineSettings settings, LineTls tls) {
        return line((EventLoop) loops.next(), to, "peer.test", settings, tls);
    }

    public Line line(
            EventLoop loop,
            InetSocketAddress to,
            String member,
            LineSettings settings,
            LineTls tls) {
        Line made = new Line(
                loop, new LineAddress(to.getAddress(), to.getPort(), member), tuned(settings), tls);
        open.add(made);
        return made;
    }

    private LineSettings tuned(LineSettings settings) {
        return carrier == LineCarrier.TCP
                ? Tuned.with(settings, Map.of("carrier", carrier))
                : Tuned.with(settings, Map.of("carrier", carrier, "connectTimeout", quicTimeout));
    }

    public static Http2Headers get(String path) {
        return head("GET", path);
    }

    public static Http2Headers head(String method, String path) {
        return new DefaultHttp2Headers()
                .method(method)
                .scheme("http")
                .authority("a.test")
                .path(path);
    }

    /** Sends a request, and returns the listener of its response. */
    public static Heard ask(Line line, Http2Headers head, boolean takes) throws Exception {
        return ask(line, head, true, takes);
    }

    public static Heard ask(Line line, Http2Headers head, boolean ends, boolean takes)
            throws Exception {
        Heard heard = new Heard(takes);
        on(line, () -> heard.stream = line.open(head, ends, heard));
        return heard;
    }

    public static <T> T on(Line line, Callable<T> what) throws Exception {
        return line.loop().submit(what).get(180, TimeUnit.SECONDS);
    }

    public static LineFigures figures(Line line) throws Exception {
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
