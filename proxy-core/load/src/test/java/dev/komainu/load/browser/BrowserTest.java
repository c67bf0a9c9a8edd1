package dev.komainu.load.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.load.browser.RequestOutcome.Answered;
import dev.komainu.load.browser.RequestOutcome.Failed;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BrowserTest {

    private static MultiThreadIoEventLoopGroup loops;

    @BeforeAll
    static void setUp() {
        loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    @AfterAll
    static void tearDown() throws InterruptedException {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }

    @Test
    void view_pageWithEmbeddedObjects_requestsThemAfterTheDocument() throws Exception {
        try (var server = new ScriptedServer(true)) {
            List<RequestOutcome> outcomes = view(
                    profile(server.address(), BrowserProtocol.HTTP_1_1, 2),
                    new BrowserPage("/7", List.of("/1", "/2", "/300")));

            assertThat(outcomes)
                    .hasSize(4)
                    .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Answered.class));
            assertThat(server.requests().getFirst()).isEqualTo("GET /7 HTTP/1.1");
            assertThat(server.requests())
                    .containsExactlyInAnyOrder(
                            "GET /7 HTTP/1.1",
                            "GET /1 HTTP/1.1",
                            "GET /2 HTTP/1.1",
                            "GET /300 HTTP/1.1");
            assertThat(outcomes.stream().mapToLong(o -> ((Answered) o).bytes()).sum())
                    .isEqualTo(310);
            assertThat(server.connections()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void view_http10_opensAConnectionForEachObject() throws Exception {
        try (var server = new ScriptedServer(false)) {
            List<RequestOutcome> outcomes = view(
                    profile(server.address(), BrowserProtocol.HTTP_1_0, 4),
                    new BrowserPage(
                            "/1", IntStream.range(2, 12).mapToObj(n -> "/" + n).toList()));

            assertThat(outcomes)
                    .hasSize(11)
                    .allSatisfy(outcome ->
                            assertThat(((Answered) outcome).connected()).isTrue());
            assertThat(server.connections()).isEqualTo(11);
            assertThat(server.requests()).allMatch(line -> line.endsWith("HTTP/1.0"));
        }
    }

    @Test
    void view_serverClosesAnIdleConnection_retriesOnANewOne() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.closeAfter(1);
            List<RequestOutcome> outcomes = view(
                    profile(server.address(), BrowserProtocol.HTTP_1_1, 1),
                    new BrowserPage("/1", List.of("/2", "/3")));

            assertThat(outcomes)
                    .hasSize(3)
                    .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Answered.class));
            assertThat(server.connections()).isEqualTo(3);
        }
    }

    @Test
    void view_serverClosesAConnectionOpenedInAdvance_retriesToo() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.closeAtRequest(2);
            var gate = new SecondConnection();
            List<RequestOutcome> outcomes = new CopyOnWriteArrayList<>();
            EventLoop loop = (EventLoop) loops.next();
            Browser browser = new Browser(
                    loop,
                    new Bootstrap().group(loops).channelFactory(gate::channel).resolver(gate),
                    profile(server.address(), BrowserProtocol.HTTP_1_1, 2),
                    InetAddress.getLoopbackAddress(),
                    outcomes::add);

            viewOnLoop(loop, browser, new BrowserPage("/1", List.of("/2", "/3")));
            assertThat(server.connections())
                    .as("all were received over the first")
                    .isOne();
            loop.execute(gate::open);
            gate.connected.get(60, TimeUnit.SECONDS);
            viewOnLoop(loop, browser, new BrowserPage("/4", List.of("/5", "/6")));

            assertThat(outcomes)
                    .hasSize(6)
                    .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Answered.class));
            assertThat(server.requests()).as("one of them twice").hasSize(7);
            loop.execute(browser::leave);
        }
    }

    private static void viewOnLoop(EventLoop loop, Browser browser, BrowserPage page)
            throws Exception {
        CompletableFuture<Void> seen = new CompletableFuture<>();
        loop.execute(() -> browser.view(page, System.nanoTime(), () -> seen.complete(null)));
        seen.get(60, TimeUnit.SECONDS);
    }

    /**
     * A network in which the test decides when the second connection is established: until then its
     * address is not resolved.
     */
    private static final class SecondConnection extends AddressResolverGroup<InetSocketAddress> {
        final CompletableFuture<Void> connected = new CompletableFuture<>();
        private int made;
        private int resolved;
        private Runnable open = () -> {};

        Channel channel() {
            int number = ++made;
            return new NioSocketChannel() {
                @Override
                public boolean isActive() {
                    boolean active = super.isActive();
                    if (active && number == 2) {
                        // Later events reach the loop behind this one.
                        connected.complete(null);
                    }
                    return active;
                }
            };
        }

        void open() {
            open.run();
        }

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
                @Override
                protected boolean doIsResolved(InetSocketAddress address) {
                    return false;
                }

                @Override
                protected void doResolve(
                        InetSocketAddress address, Promise<InetSocketAddress> promise) {
                    if (++resolved == 2) {
                        open = () -> promise.setSuccess(address);
                    } else {
                        promise.setSuccess(address);
                    }
                }

                @Override
                protected void doResolveAll(
                        InetSocketAddress address, Promise<List<InetSocketAddress>> promise) {
                    promise.setFailure(new UnsupportedOperationException());
                }
            };
        }
    }

    @Test
    void view_closedPort_failsAsRefusedWithoutFurtherRequests() throws Exception {
        InetSocketAddress closedPort;
        try (ServerSocket briefly = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closedPort = (InetSocketAddress) briefly.getLocalSocketAddress();
        }

        assertThat(view(
                        profile(closedPort, BrowserProtocol.HTTP_1_1, 1),
                        new BrowserPage("/1", List.of("/2"))))
                .singleElement()
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(RequestFailure.REFUSED));
    }

    @Test
    void view_silentServer_timesOut() throws Exception {
        for (BrowserProtocol version : BrowserProtocol.values()) {
            try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                var profile = new ClientProfile(
                        (InetSocketAddress) silent.getLocalSocketAddress(),
                        "silent",
                        version,
                        1,
                        Duration.ofMillis(50),
                        Duration.ZERO,
                        Duration.ZERO,
                        null);

                assertThat(view(profile, new BrowserPage("/")))
                        .singleElement()
                        .isInstanceOfSatisfying(
                                Failed.class,
                                failed -> assertThat(failed.reason())
                                        .isEqualTo(RequestFailure.TIMED_OUT));
            }
        }
    }

    @Test
    void view_503_isRetriedUntilAnswered_whenConfigured() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.respond503(2);
            var profile = new ClientProfile(
                    server.address(),
                    "test",
                    BrowserProtocol.HTTP_1_1,
                    1,
                    Duration.ofSeconds(20),
                    Duration.ofMillis(1),
                    Duration.ZERO,
                    null);

            List<RequestOutcome> outcomes = view(profile, new BrowserPage("/9"));

            assertThat(outcomes).hasSize(3);
            assertThat(outcomes.subList(0, 2)).allMatch(RequestOutcome.Postponed.class::isInstance);
            assertThat(outcomes.getLast())
                    .isInstanceOfSatisfying(
                            Answered.class,
                            answered -> assertThat(answered.dueNanos())
                                    .as("the visitor waits since the first request")
                                    .isEqualTo(outcomes.getFirst().dueNanos()));
        }
    }

    @Test
    void view_503UntilTheTimeout_timesOut() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.respond503(Integer.MAX_VALUE);
            var profile = new ClientProfile(
                    server.address(),
                    "test",
                    BrowserProtocol.HTTP_1_1,
                    1,
                    Duration.ofMillis(200),
                    Duration.ofMillis(1),
                    Duration.ZERO,
                    null);

            List<RequestOutcome> outcomes = view(profile, new BrowserPage("/9"));

            assertThat(outcomes.getLast())
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.reason())
                                    .isEqualTo(RequestFailure.TIMED_OUT));
        }
    }

    @Test
    void view_truncatedBody_isBroken() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.truncateBodies();

            assertThat(view(
                            profile(server.address(), BrowserProtocol.HTTP_1_1, 1),
                            new BrowserPage("/9")))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.reason()).isEqualTo(RequestFailure.BROKEN));
        }
    }

    @Test
    void view_noHttpResponse_isMalformed() throws Exception {
        try (var server = new ScriptedServer(true)) {
            server.respondWith("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n");

            assertThat(view(
                            profile(server.address(), BrowserProtocol.HTTP_1_1, 1),
                            new BrowserPage("/9")))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.reason())
                                    .isEqualTo(RequestFailure.MALFORMED));
        }
    }

    private static ClientProfile profile(
            InetSocketAddress target, BrowserProtocol version, int parallel) {
        return new ClientProfile(
                target,
                "test",
                version,
                parallel,
                Duration.ofSeconds(20),
                Duration.ZERO,
                Duration.ZERO,
                null);
    }

    /** Views one page and returns the outcomes. */
    static List<RequestOutcome> view(ClientProfile profile, BrowserPage page) throws Exception {
        List<RequestOutcome> outcomes = new CopyOnWriteArrayList<>();
        EventLoop loop = (EventLoop) loops.next();
        CompletableFuture<List<RequestOutcome>> done = new CompletableFuture<>();
        loop.execute(() -> {
            Browser browser = new Browser(
                    loop,
                    new Bootstrap().group(loops).channel(NioSocketChannel.class),
                    profile,
                    InetAddress.getLoopbackAddress(),
                    outcomes::add);
            browser.view(page, System.nanoTime(), () -> {
                browser.leave();
                done.complete(new ArrayList<>(outcomes));
            });
        });
        return done.get(60, TimeUnit.SECONDS);
    }
}
