package dev.komainu.organizer.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeMessages;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.organizer.front.Cluster.Member;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.page.SetClock;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page prefetch: two organizers over real sockets, and a clock that the test moves. */
class PagesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PUBLIC = "Cache-Control: max-age=60\r\n";
    private static final String HTML = "Content-Type: text/html\r\nCache-Control: no-store\r\n";
    private static final String FROM_PAGE = "Referer: http://test.example/page";

    private final SetClock clock = new SetClock();
    private Cluster cluster;
    private Member front;
    private Member web;
    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws Exception {
        begin(PageSettings.DEFAULT);
    }

    private void begin(PageSettings settings) throws Exception {
        begin(settings, 1);
    }

    private void begin(PageSettings settings, int loops) throws Exception {
        cluster = new Cluster(PATIENCE, settings, clock, loops);
        front = cluster.member("front");
        web = cluster.member("web");
        origin = new ScriptedOrigin();
        cluster.serves(web, "test.example/", origin.port());
        origin.ok("/page", HTML, "<html>");
    }

    private void beginAgain(PageSettings settings) throws Exception {
        tearDown();
        begin(settings);
    }

    @AfterEach
    void tearDown() throws Exception {
        cluster.close();
        origin.close();
    }

    private static long count(Member at, PageCounts.Kind kind) {
        return at.front.pageCounts().of(kind);
    }

    private RawClient client() throws Exception {
        return new RawClient(front.address());
    }

    /** Loads the page near its server, as a browser does. */
    private void visitNear(String... objects) throws Exception {
        try (RawClient client = new RawClient(web.address())) {
            assertThat(client.get("/page").status()).isEqualTo(200);
            for (String object : objects) {
                client.get(object, FROM_PAGE);
            }
        }
    }

    private void learn(String... objects) throws Exception {
        visitNear(objects);
        visitNear(objects);
    }

    private void comes(Member at, long pushes) {
        await().atMost(PATIENCE).until(() -> count(at, PageCounts.Kind.TAKEN) == pushes);
    }

    @Test
    void firstLoadOfAnAskerThatNeverSawThePage_objectsComeWithIt() throws Exception {
        origin.ok("/a.css", PUBLIC + "ETag: \"1\"\r\n", "aaa").ok("/b.js", PUBLIC, "bbb");
        learn("/a.css", "/b.js");
        try (RawClient client = client()) {
            assertThat(client.get("/page", "User-Agent: test").body()).isEqualTo("<html>");
            RawClient.Answer css = client.get("/a.css", FROM_PAGE);
            assertThat(css.body()).isEqualTo("aaa");
            assertThat(css.field("etag")).isEqualTo("\"1\"");
            assertThat(css.field("age")).isEqualTo("0");
            assertThat(css.head())
                    .contains("via: 2.0 web.test.organizer", "via: 1.1 front.test.organizer");
            assertThat(css.head()).doesNotContain("komainu-");
            assertThat(client.get("/b.js", FROM_PAGE).body()).isEqualTo("bbb");
        }
        // Twice when it was learnt, once pushed: there were no other requests.
        assertThat(origin.count("/a.css")).isEqualTo(3);
        assertThat(origin.count("/b.js")).isEqualTo(3);
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(2);
        assertThat(count(front, PageCounts.Kind.TAKEN)).isEqualTo(2);
        assertThat(count(front, PageCounts.Kind.USED)).isEqualTo(2);
        assertThat(origin.requests).noneMatch(request -> request.head().contains("komainu-"));
        assertThat(origin.requests.getLast().field("user-agent")).isEqualTo("test");
        assertThat(origin.requests.getLast().field("referer"))
                .isEqualTo("http://test.example/page");
    }

    @Test
    void heldStill_isNotPushedAgain_andUseIsToldToThePusher() throws Exception {
        origin.ok("/a.css", PUBLIC, "aaa");
        learn("/a.css");
        try (RawClient client = client()) {
            for (int i = 0; i < 5; i++) {
                client.get("/page");
                assertThat(client.get("/a.css", FROM_PAGE).body()).isEqualTo("aaa");
            }
            assertThat(origin.count("/a.css")).isEqualTo(3);
            assertThat(count(front, PageCounts.Kind.USED)).isEqualTo(5);
            clock.pass(10_000);
            for (int i = 0; i < 30; i++) {
                client.get("/page");
                assertThat(client.get("/a.css", FROM_PAGE).body()).isEqualTo("aaa");
                clock.pass(10_000);
            }
        }
        // Still pushed each time: the pushing member learns that it is used, though it receives no
        // request for it.
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(31);
        assertThat(origin.count("/a.css")).isEqualTo(33);
        assertThat(count(front, PageCounts.Kind.WASTED)).isZero();
    }

    @Test
    void pushedAndNeverUsed_isLearntDown() throws Exception {
        origin.ok("/a.css", PUBLIC, "aaa");
        for (int i = 0; i < 20; i++) {
            visitNear("/a.css");
        }
        try (RawClient client = client()) {
            long before = -1;
            while (count(web, PageCounts.Kind.PUSHED) > before) {
                before = count(web, PageCounts.Kind.PUSHED);
                assertThat(before).isLessThan(40);
                client.get("/page");
                comes(front, count(web, PageCounts.Kind.PUSHED));
                clock.pass(10_000);
            }
            // The state is stable.
            client.get("/page");
            assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(before).isPositive();
        }
        assertThat(count(front, PageCounts.Kind.WASTED))
                .isEqualTo(count(web, PageCounts.Kind.PUSHED));
        assertThat(count(front, PageCounts.Kind.WASTED_BYTES))
                .isEqualTo(3 * count(web, PageCounts.Kind.PUSHED));
    }

    @Test
    void requestForAnArrivingPush_waitsForIt_andIsNotForwarded() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        Semaphore pushed = new Semaphore(0);
        origin.ok("/a.css", PUBLIC, "aaa");
        learn("/a.css");
        origin.on("/a.css", (request, socket, out) -> {
            pushed.release();
            mayAnswer.await();
            say(out, PUBLIC, "aaa");
            return true;
        });
        try (RawClient one = client();
                RawClient two = client()) {
            one.get("/page");
            assertThat(pushed.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            one.send("GET /a.css HTTP/1.1\r\nHost: test.example\r\n\r\n");
            two.send("GET /a.css HTTP/1.1\r\nHost: test.example\r\n\r\n");
            // A waiting client that disconnects has no effect on the others.
            try (RawClient gone = client()) {
                gone.send("GET /a.css HTTP/1.1\r\nHost: test.example\r\n\r\n");
                await().atMost(PATIENCE).until(() -> front.count(FrontCounts.Kind.REQUESTS) == 4);
            }
            mayAnswer.countDown();
            assertThat(one.read(false).body()).isEqualTo("aaa");
            assertThat(two.read(false).body()).isEqualTo("aaa");
        }
        assertThat(origin.count("/a.css")).isEqualTo(3);
        assertThat(count(front, PageCounts.Kind.JOINED)).isGreaterThanOrEqualTo(2);
    }

    /**
     * As browsers do: the page over one connection, its objects over others, which belong to other
     * loops.
     */
    @Test
    void objectsOverConnectionsOfOtherLoops_areThereAllTheSame() throws Exception {
        tearDown();
        begin(PageSettings.DEFAULT, 3);
        String[] objects = {"/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"};
        for (String object : objects) {
            origin.ok(object, PUBLIC, object.repeat(5_000));
        }
        learn(objects);
        try (RawClient page = client()) {
            assertThat(page.get("/page").status()).isEqualTo(200);
            List<CompletableFuture<String>> got = new ArrayList<>();
            for (String object : objects) {
                CompletableFuture<String> one = new CompletableFuture<>();
                got.add(one);
                Thread.startVirtualThread(() -> {
                    try (RawClient client = client()) {
                        one.complete(client.get(object, FROM_PAGE).body());
                    } catch (Exception e) {
                        one.completeExceptionally(e);
                    }
                });
            }
            for (int i = 0; i < objects.length; i++) {
                assertThat(got.get(i).get(60, TimeUnit.SECONDS))
                        .isEqualTo(objects[i].repeat(5_000));
            }
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(9);
        assertThat(count(front, PageCounts.Kind.USED)).isEqualTo(9);
        for (String object : objects) {
            assertThat(origin.count(object)).isEqualTo(3);
        }
    }

    private static void say(OutputStream out, String fields, String body) throws IOException {
        out.write(("HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + body.length() + "\r\n\r\n"
                        + body)
                .getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @Test
    void whatIsForOneVisitor_isNeverPushed() throws Exception {
        origin.ok("/private", "Cache-Control: private, max-age=60\r\n", "p")
                .ok("/cookie", PUBLIC + "Set-Cookie: a=b\r\n", "c")
                .ok("/no-store", "Cache-Control: no-store\r\n", "n")
                .ok("/vary", PUBLIC + "Vary: Cookie\r\n", "v")
                .ok("/login", PUBLIC, "l")
                .ok("/part", PUBLIC, "part")
                .ok("/other", "Content-Type: text/html\r\n" + PUBLIC, "<html>")
                .ok("/unnamed", PUBLIC, "u");
        for (int i = 0; i < 5; i++) {
            visitNear("/private", "/cookie", "/no-store", "/vary", "/other");
            try (RawClient client = new RawClient(web.address())) {
                client.get("/login", FROM_PAGE, "Authorization: Basic eA==");
                client.get("/part", FROM_PAGE, "Range: bytes=0-1");
                client.get("/unnamed");
            }
        }
        try (RawClient client = client()) {
            client.get("/page");
            assertThat(client.get("/private").body()).isEqualTo("p");
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isZero();
        assertThat(web.front.pageFigures().objects()).isZero();
        assertThat(web.front.pageFigures().pages()).isEqualTo(2);
    }

    @Test
    void learntAsPublic_privateWhenItIsPushed_doesNotLeave() throws Exception {
        origin.ok("/a", PUBLIC, "everybody's");
        learn("/a");
        origin.ok("/a", "Cache-Control: private\r\n", "mine");
        try (RawClient client = client()) {
            client.get("/page");
            assertThat(client.get("/a", FROM_PAGE).body()).isEqualTo("mine");
            client.get("/page");
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(1);
        assertThat(count(web, PageCounts.Kind.UNFIT)).isEqualTo(1);
        assertThat(count(web, PageCounts.Kind.PUSHED_BYTES)).isZero();
        assertThat(count(front, PageCounts.Kind.USED)).isZero();
        assertThat(origin.count("/a")).isEqualTo(4);
    }

    @Test
    void brokenOrTooLargeWhenItIsPushed_theClientGetsItTheUsualWay() throws Exception {
        String large = "x".repeat(300_000);
        origin.ok("/large", PUBLIC, "small once").ok("/broken", PUBLIC, "whole once");
        origin.ok("/never", PUBLIC, large);
        learn("/large", "/broken", "/never");
        origin.ok("/large", PUBLIC, large);
        origin.on("/broken", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\n" + PUBLIC + "Content-Length: 1000\r\n\r\nhalf")
                    .getBytes());
            out.flush();
            origin.ok("/broken", PUBLIC, "whole again");
            return false;
        });
        try (RawClient client = client()) {
            client.get("/page");
            assertThat(client.get("/large", FROM_PAGE).body()).isEqualTo(large);
            assertThat(client.get("/broken", FROM_PAGE).body()).isEqualTo("whole again");
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(2);
        assertThat(count(front, PageCounts.Kind.TAKEN)).isZero();
    }

    @Test
    void bytesBesideAPage_areBounded() throws Exception {
        beginAgain(new PageSettings(3_000, 1 << 20, Duration.ofSeconds(10)));
        for (String path : new String[] {"/1", "/2", "/3"}) {
            origin.ok(path, PUBLIC, "x".repeat(1_400));
        }
        learn("/1", "/2", "/3");
        try (RawClient client = client()) {
            client.get("/page");
            for (String path : new String[] {"/1", "/2", "/3"}) {
                assertThat(client.get(path, FROM_PAGE).body()).hasSize(1_400);
            }
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isEqualTo(2);
    }

    @Test
    void memberWithoutAPushStore_receivesNoPushes_whateverItsClientSends() throws Exception {
        beginAgain(new PageSettings(1 << 20, 0, Duration.ofSeconds(10)));
        origin.ok("/a", PUBLIC, "a");
        learn("/a");
        try (RawClient client = client()) {
            client.get("/page", "komainu-page: 1");
            assertThat(client.get("/a", FROM_PAGE).body()).isEqualTo("a");
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isZero();
    }

    @Test
    void notModifiedOrMissingPage_pushesNothing() throws Exception {
        origin.ok("/a", PUBLIC, "a");
        learn("/a");
        origin.respond("/page", "HTTP/1.1 304 Not Modified\r\n\r\n");
        try (RawClient client = client()) {
            assertThat(client.get("/page", "If-None-Match: \"1\"").status()).isEqualTo(304);
        }
        assertThat(count(web, PageCounts.Kind.PUSHED)).isZero();
    }

    @Test
    void conditionsHeadAndAge_areAnsweredAsByACache() throws Exception {
        origin.ok(
                "/a",
                PUBLIC
                        + "ETag: \"1\"\r\nLast-Modified: Sun, 22 Nov 2026 09:00:00 GMT\r\nAge: 3\r\n",
                "abcdef");
        learn("/a");
        try (RawClient client = client()) {
            client.get("/page");
            comes(front, 1);
            clock.pass(2_000);
            RawClient.Answer head = client.request("HEAD", "/a");
            assertThat(head.field("content-length")).isEqualTo("6");
            assertThat(head.field("age")).isEqualTo("5");
            RawClient.Answer same = client.get("/a", "If-None-Match: W/\"1\", \"2\"");
            assertThat(same.status()).isEqualTo(304);
            assertThat(same.field("etag")).isEqualTo("\"1\"");
            assertThat(same.field("content-length")).isEmpty();
            assertThat(client.get("/a", "If-Modified-Since: Sun, 22 Nov 2026 09:00:00 GMT")
                            .status())
                    .isEqualTo(304);
            assertThat(client.get("/a", "If-None-Match: \"2\"").body()).isEqualTo("abcdef");
            assertThat(count(front, PageCounts.Kind.USED)).isEqualTo(4);
            assertThat(origin.count("/a")).isEqualTo(3);
        }
    }

    @Test
    void whoAsksForMoreThanACopy_asksTheServer() throws Exception {
        origin.ok("/a", PUBLIC, "abcdef");
        learn("/a");
        try (RawClient client = client()) {
            client.get("/page");
            comes(front, 1);
            String[] fields = {
                "Range: bytes=0-1",
                "Authorization: Basic eA==",
                "Cache-Control: no-cache",
                "Cache-Control: max-age=0, no-store",
                "Pragma: no-cache",
                "If-Match: \"1\""
            };
            for (int i = 0; i < fields.length; i++) {
                client.get("/a", fields[i]);
                assertThat(origin.count("/a")).as(fields[i]).isEqualTo(4 + i);
            }
            assertThat(count(front, PageCounts.Kind.USED)).isZero();
            assertThat(client.get("/a").body()).isEqualTo("abcdef");
            assertThat(count(front, PageCounts.Kind.USED)).isEqualTo(1);
        }
    }

    @Test
    void variantsByEncoding_goOnlyToWhoTakesThem() throws Exception {
        origin.ok("/a", PUBLIC + "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n", "zzz");
        learn("/a");
        try (RawClient client = client()) {
            client.get("/page", "Accept-Encoding: gzip, br");
            comes(front, 1);
            assertThat(origin.requests.getLast().field("accept-encoding")).isEqualTo("gzip, br");
            assertThat(client.get("/a", "Accept-Encoding: br,gzip").body()).isEqualTo("zzz");
            assertThat(origin.count("/a")).isEqualTo(3);
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(4);
        }
    }

    @Test
    void purgedOrChanged_theOldResponseIsNotServed() throws Exception {
        origin.ok("/a", PUBLIC, "old").ok("/b", PUBLIC, "old").ok("/c", PUBLIC, "old");
        learn("/a", "/b", "/c");
        try (RawClient client = client()) {
            client.get("/page");
            comes(front, 3);
            origin.ok("/a", PUBLIC, "new").ok("/b", PUBLIC, "new");
            front.front
                    .prefetch()
                    .pushStore()
                    .purge(PurgeOrder.of(PurgeOrder.url("http://test.example/a")));
            assertThat(client.get("/a").body()).isEqualTo("new");
            assertThat(client.request("DELETE", "/b").status()).isEqualTo(200);
            assertThat(client.get("/b").body()).isEqualTo("new");
            assertThat(client.get("/c").body()).isEqualTo("old");
        }
        assertThat(count(front, PageCounts.Kind.PURGED)).isEqualTo(2);
    }

    @Test
    void orderOfAnotherMember_reachesWhatIsAtHand() throws Exception {
        origin.ok("/a", PUBLIC, "old");
        learn("/a");
        String order = new PurgeMessages(
                        Map.of("proxy@1", 1L),
                        false,
                        List.of(new PurgeLog.Entry(
                                "proxy@1", 1, PurgeOrder.of(PurgeOrder.prefix("test.example")))))
                .write();
        LineSettings settings = Tuned.withTimes(
                LineSettings.DEFAULT.withConnections(1),
                Duration.ofSeconds(1),
                PATIENCE,
                Duration.ofMillis(10),
                PATIENCE);
        InetSocketAddress to = front.front.lineAddress();
        EventLoop loop = front.front.loops().getFirst();
        try (RawClient client = client();
                Line line = new Line(
                        loop,
                        new LineAddress(to.getAddress(), to.getPort(), "front"),
                        settings,
                        null)) {
            client.get("/page");
            comes(front, 1);
            origin.ok("/a", PUBLIC, "new");
            Http2Headers head = new DefaultHttp2Headers()
                    .method("POST")
                    .scheme("http")
                    .authority("test")
                    .path("/")
                    .add(MemberFields.PURGES, "1");
            loop.execute(() -> line.openControl(head, false, StreamListener.NOBODY)
                    .data(Unpooled.copiedBuffer(order, StandardCharsets.ISO_8859_1), true));
            await().atMost(PATIENCE).until(() -> count(front, PageCounts.Kind.PURGED) == 1);
            assertThat(client.get("/a").body()).isEqualTo("new");
        }
    }

    @Test
    void fresherThanItsLife_staysForTheLifeOnly() throws Exception {
        origin.ok("/a", PUBLIC, "a").ok("/short", "Cache-Control: max-age=2\r\n", "s");
        learn("/a", "/short");
        try (RawClient client = client()) {
            client.get("/page");
            comes(front, 2);
            clock.pass(2_000);
            client.get("/short");
            assertThat(origin.count("/short")).isEqualTo(4);
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(3);
            clock.pass(8_000);
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(4);
        }
    }

    @Test
    void askerGoesAwayWhileItIsPushed_othersGetIt() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        Semaphore pushed = new Semaphore(0);
        origin.ok("/a", PUBLIC, "a");
        learn("/a");
        origin.on("/a", (request, socket, out) -> {
            pushed.release();
            mayAnswer.await();
            say(out, PUBLIC, "a");
            return true;
        });
        try (RawClient first = client()) {
            first.get("/page");
            assertThat(pushed.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        }
        mayAnswer.countDown();
        try (RawClient second = client()) {
            assertThat(second.get("/a").body()).isEqualTo("a");
        }
        assertThat(origin.count("/a")).isEqualTo(3);
    }

    @Test
    void pusherDies_whoWaitsIsAnsweredByAnother() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Semaphore pushed = new Semaphore(0);
        origin.ok("/a", PUBLIC, "a");
        learn("/a");
        origin.on("/a", (request, socket, out) -> {
            pushed.release();
            never.await();
            return false;
        });
        Member mirror = cluster.member("mirror");
        try (ScriptedOrigin other = new ScriptedOrigin();
                RawClient client = client()) {
            other.ok("/a", PUBLIC, "the mirror's");
            client.get("/page");
            assertThat(pushed.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            cluster.serves(mirror, "test.example/", other.port());
            cluster.servesNoMore(web, "test.example/");
            client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            await().atMost(PATIENCE).until(() -> front.count(FrontCounts.Kind.REQUESTS) == 2);
            CompletableFuture<Void> closed =
                    CompletableFuture.runAsync(web.front::close, Thread::startVirtualThread);
            assertThat(client.read(false).body()).isEqualTo("the mirror's");
            closed.get(60, TimeUnit.SECONDS);
        } finally {
            never.countDown();
        }
    }

    @Test
    void slowReader_ofAStoredPush_delaysNoOtherClient_andGetsEveryByte() throws Exception {
        String body = "0123456789abcdef".repeat(15_000);
        origin.ok("/a", PUBLIC, body);
        learn("/a");
        try (RawClient slow = client();
                RawClient quick = client()) {
            slow.get("/page");
            comes(front, 1);
            int times = 40;
            for (int i = 0; i < times; i++) {
                slow.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            }
            assertThat(quick.get("/a").body()).isEqualTo(body);
            for (int i = 0; i < times; i++) {
                assertThat(slow.read(false).body()).isEqualTo(body);
            }
        }
        assertThat(origin.count("/a")).isEqualTo(3);
    }
}
