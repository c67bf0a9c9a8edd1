package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient.Answer;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three proxies that share their caches: each sends a request to the member that owns an object
 * before the origin.
 */
class SharedClusterTest {

    private static final List<String> NAMES = List.of("one", "two", "three");
    private static final String FRESH = "Cache-Control: max-age=600\r\n";

    @TempDir
    static Path directory;

    private static final Executor THREADS = task -> Thread.ofVirtual().start(task);
    private static final AtomicInteger PATHS = new AtomicInteger();
    private static ScriptedOrigin origin;
    private static CacheCluster cluster;

    @BeforeAll
    static void setUp() throws Exception {
        origin = new ScriptedOrigin();
        cluster = new CacheCluster(directory);
        cluster.start(
                "one",
                CACHE,
                "{copies: 0, patience: 1m}",
                "origin",
                origin.url(),
                "log.access",
                directory.resolve("one.log").toString());
        cluster.start("two", CACHE, "{copies: 0, patience: 1m}", "origin", origin.url());
        cluster.start("three", CACHE, "{copies: 100, patience: 1m}", "origin", origin.url());
        cluster.together(origin, NAMES);
    }

    @AfterAll
    static void tearDown() throws IOException {
        cluster.close();
        origin.close();
    }

    /**
     * Returns a path that a member owns, found by a request to another member, which has served it
     * once.
     */
    private static String ownedBy(String owner, String fields, String body) throws IOException {
        String asker = owner.equals("one") ? "two" : "one";
        while (true) {
            String path = "/object" + PATHS.incrementAndGet();
            origin.ok(path, fields, body);
            if (said(cluster.get(asker, path)).equals("fwd=miss; detail=\"" + owner + " miss\"")) {
                return path;
            }
        }
    }

    @Test
    void objectsRequestedFromAll_areFetchedOnce() throws Exception {
        for (int i = 0; i < 12; i++) {
            String path = "/once" + i;
            origin.ok(path, FRESH, "object " + i);
            for (String name : List.of("one", "two", "three", "two", "one")) {
                Answer answer = cluster.get(name, path);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo("object " + i);
            }
            assertThat(origin.count(path)).as(path).isEqualTo(1);
        }
    }

    @Test
    void ownersObject_isStoredWhereCopiesAre_andRequestedAgainElsewhere() throws Exception {
        String path = ownedBy("two", FRESH, "body");
        assertThat(said(cluster.get("one", path))).isEqualTo("fwd=miss; detail=\"two hit\"");
        assertThat(said(cluster.get("one", path))).isEqualTo("fwd=miss; detail=\"two hit\"");
        assertThat(said(cluster.get("three", path)))
                .isEqualTo("fwd=miss; stored; detail=\"two hit\"");
        assertThat(said(cluster.get("three", path))).startsWith("hit; ttl=");
        assertThat(said(cluster.get("two", path))).startsWith("hit; ttl=");
        assertThat(origin.count(path)).isEqualTo(1);
    }

    @Test
    void accessLog_namesTheOwnerThatWasRequested() throws Exception {
        String path = ownedBy("two", FRESH, "body");
        assertThat(cluster.get("one", path).status()).isEqualTo(200);
        until(() -> CacheCluster.lines(directory.resolve("one.log")).stream()
                .anyMatch(line ->
                        line.contains(" TCP_MISS/200 ") && line.contains(path + " - CARP/two ")));
    }

    @Test
    void age_addsUpOverBothCaches() throws Exception {
        String path = ownedBy("two", FRESH + "Age: 5\r\n", "aged");
        cluster.millisAhead.addAndGet(7_000);
        assertThat(cluster.get("three", path).field("Age")).isEqualTo("12");
        cluster.millisAhead.addAndGet(3_000);
        Answer copy = cluster.get("three", path);
        assertThat(copy.field("Age")).isEqualTo("15");
        assertThat(said(copy)).isEqualTo("hit; ttl=585");
        assertThat(origin.count(path)).isEqualTo(1);
    }

    @Test
    void staleCopy_isConfirmedByItsOwner_withTheOwnersAge() throws Exception {
        String path = ownedBy("two", "Cache-Control: max-age=60\r\nETag: \"v\"\r\n", "held");
        origin.on(path, (request, socket, out) -> {
            boolean same = request.field("If-None-Match").equals("\"v\"");
            out.write(("HTTP/1.1 " + (same ? "304 Same" : "200 OK")
                            + "\r\nCache-Control: max-age=60\r\nETag: \"v\"\r\n"
                            + (same ? "\r\n" : "Content-Length: 4\r\n\r\nheld"))
                    .getBytes());
            return true;
        });
        assertThat(said(cluster.get("three", path))).contains("stored");
        cluster.millisAhead.addAndGet(70_000);
        assertThat(said(cluster.get("two", path))).startsWith("fwd=stale; fwd-status=304");
        cluster.millisAhead.addAndGet(10_000);
        Answer confirmed = cluster.get("three", path);
        assertThat(said(confirmed)).isEqualTo("fwd=stale; fwd-status=304; detail=\"two hit\"");
        assertThat(confirmed.body()).isEqualTo("held");
        assertThat(confirmed.field("Age")).isEqualTo("10");
        assertThat(origin.count(path)).isEqualTo(2);
    }

    @Test
    void requestWithAuthorization_goesToTheOrigin_andIsNotShared() throws Exception {
        String path = ownedBy("two", "Cache-Control: no-store\r\n", "unknown");
        origin.ok(path, FRESH, "for one user");
        int before = origin.count(path);
        for (String name : NAMES) {
            Answer answer = cluster.get(name, path, "Authorization: Basic dTpw");
            assertThat(said(answer)).doesNotContain("detail");
        }
        assertThat(origin.count(path) - before).isEqualTo(3);
        origin.ok(path, FRESH, "for all");
        assertThat(cluster.get("one", path).body()).isEqualTo("for all");
    }

    @Test
    void uncacheableObject_isRequestedFromItsOwnerOnce_thenFromTheOrigin() throws Exception {
        String path = ownedBy("two", "Cache-Control: no-store\r\n", "secret");
        Answer second = cluster.get("one", path);
        assertThat(said(second)).doesNotContain("detail");
        assertThat(origin.count(path)).isEqualTo(2);
    }

    @Test
    void variants_areEachFetchedOnce_andNeverMixed() throws Exception {
        String path = ownedBy("two", "Cache-Control: no-store\r\n", "-");
        String varied = path + "?v";
        origin.on(varied, (request, socket, out) -> {
            String body = request.field("Accept-Language");
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Vary: Accept-Language\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body)
                    .getBytes());
            return true;
        });
        for (String name : List.of("one", "two", "three", "one")) {
            for (String language : List.of("ja", "en")) {
                assertThat(cluster.get(name, varied, "Accept-Language: " + language)
                                .body())
                        .isEqualTo(language);
            }
        }
        assertThat(origin.count(varied)).isEqualTo(2);
    }

    @Test
    void range_isCutFromTheOwnersObject() throws Exception {
        String path = ownedBy("two", FRESH + "ETag: \"r\"\r\n", "0123456789");
        Answer part = cluster.get("one", path, "Range: bytes=2-4");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(origin.count(path)).isEqualTo(1);
    }

    @Test
    void twoMissAtOnce_theyJoinAtTheOwner() throws Exception {
        String warm = ownedBy("two", "Cache-Control: no-store\r\n", "-");
        // Found by its owner's name, then requested again after the owner's restart: it is stored
        // nowhere.
        CountDownLatch bothAsked = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        String path = warm;
        cluster.millisAhead.addAndGet(60_000);
        origin.on(path, (request, socket, out) -> {
            asked.incrementAndGet();
            bothAsked.await();
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 4\r\n\r\nonce").getBytes());
            return true;
        });
        CompletableFuture<Answer> first =
                CompletableFuture.supplyAsync(() -> get("one", path), THREADS);
        CompletableFuture<Answer> second =
                CompletableFuture.supplyAsync(() -> get("three", path), THREADS);
        until(() -> waiting("two") == 2);
        bothAsked.countDown();
        assertThat(first.get().body()).isEqualTo("once");
        assertThat(second.get().body()).isEqualTo("once");
        assertThat(asked).hasValue(1);
    }

    private static long waiting(String name) {
        return cluster.proxy(name).figures().counters().inFlight;
    }

    private static Answer get(String name, String path) {
        try {
            return cluster.get(name, path);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void ownersOriginIsGone_ownOriginIsRequested() throws Exception {
        String path = ownedBy("two", "Cache-Control: no-store\r\n", "-");
        cluster.millisAhead.addAndGet(60_000);
        AtomicInteger times = new AtomicInteger();
        origin.on(path, (request, socket, out) -> {
            if (times.incrementAndGet() <= 1) {
                return false;
            }
            out.write(
                    ("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 5\r\n\r\nafter").getBytes());
            return true;
        });
        Answer answer = cluster.get("one", path);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("after");
    }

    @Test
    void largeObject_arrivesWhole() throws Exception {
        String body = "x".repeat(3 << 20);
        String path = ownedBy("two", FRESH, body);
        assertThat(cluster.get("one", path).body()).isEqualTo(body);
        assertThat(cluster.get("three", path).body()).isEqualTo(body);
        assertThat(origin.count(path)).isEqualTo(1);
    }
}
