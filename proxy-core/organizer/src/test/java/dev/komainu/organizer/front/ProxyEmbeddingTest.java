package dev.komainu.organizer.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.line.tunnel.TunnelKinds;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A front inside a proxy that answers the requests which none of its servers serves. */
class ProxyEmbeddingTest {

    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final MemberId SELF = new MemberId("self");

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void tearDown() throws Exception {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
    }

    /** Answers with the received bytes, after the last one. */
    private static StreamListener answer(
            Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        StringBuilder heard = new StringBuilder();
        return new StreamListener() {
            @Override
            public void head(Http2Headers fields, boolean last) {}

            @Override
            public void data(ByteBuf bytes, boolean last) {
                heard.append(bytes.toString(StandardCharsets.US_ASCII));
                stream.consumed(bytes.readableBytes());
                bytes.release();
                if (last) {
                    answer("");
                }
            }

            @Override
            public void trailers(Http2Headers fields) {
                answer(" " + fields.get("grade"));
            }

            private void answer(String behind) {
                stream.head(
                        new DefaultHttp2Headers().status("200").add("heard", heard + behind), true);
            }

            @Override
            public void writable() {}

            @Override
            public void ended(StreamEnd how) {}
        };
    }

    private Front front(InetSocketAddress listen, Supplier<ClusterRouteTable> table)
            throws Exception {
        LineSettings line = Tuned.withTimes(
                LineSettings.DEFAULT.withConnections(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofMillis(10),
                Duration.ofMillis(200));
        return new Front(
                new FrontSettings(
                        listen,
                        ANY,
                        1,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        line,
                        PageSettings.OFF,
                        FrontAccess.NONE),
                new RoutingContext(
                        SELF, "test", table, new MemberForecasts(System::nanoTime), prefix -> null),
                null,
                TunnelKinds.NONE,
                new ProxyEmbedding(
                        loops,
                        ProxyEmbeddingTest::answer,
                        ShareSettings.DEFAULT,
                        new PurgeLog("self@1", () -> 0),
                        order -> {}),
                ProxyClock.SYSTEM);
    }

    private static Announcement serving(MemberId member, int port, int weight) {
        return new Announcement(
                member,
                1,
                1,
                new LineEndpoint("127.0.0.1", port, member),
                false,
                List.of(new ServedRoute(UrlPrefix.parse("test.example/"), weight, 64, false, "")));
    }

    private static int closedPort() throws Exception {
        try (ServerSocket held = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return held.getLocalPort();
        }
    }

    @Test
    void bodyWithFieldsBehind_thatAMirrorCouldNotTake_isHeardWholeHere() throws Exception {
        // A member with weight 0 comes after an unreachable one.
        ClusterRouteTable table = ClusterRouteTable.of(
                List.of(serving(SELF, 1, 0), serving(new MemberId("gone"), closedPort(), 1)));
        try (Front front = front(ANY, () -> table);
                RawClient client = new RawClient(front.address())) {
            client.send(
                    "POST /a HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\nTrailer: grade\r\n\r\n"
                            + "3\r\nabc\r\n0\r\nGrade: good\r\n\r\n");
            RawClient.Answer answer = client.read(false);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.field("heard")).isEqualTo("abc good");
            assertThat(front.counts().of(FrontCounts.Kind.RETRIED)).isEqualTo(1);
        }
    }

    @Test
    void front_thatCannotListen_leavesNothingToDoOnTheProxysLoops() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(
                            () -> front((InetSocketAddress) taken.getLocalSocketAddress(), () -> {
                                looks.incrementAndGet();
                                return ClusterRouteTable.of(List.of());
                            }))
                    .isInstanceOf(BindException.class);
        }
        // Lines and purges read the table at least once a second.
        int before = loops.next().submit(looks::get).get(60, TimeUnit.SECONDS);
        assertThat(loops.next()
                        .schedule(looks::get, 1_500, TimeUnit.MILLISECONDS)
                        .get(60, TimeUnit.SECONDS))
                .isEqualTo(before);
    }
}
