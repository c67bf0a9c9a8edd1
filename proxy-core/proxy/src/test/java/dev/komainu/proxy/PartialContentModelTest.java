package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.kit.RangedObject;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parts compared with a simple model: for any requests, and any changes of the object, the origin,
 * the memory and the time, each response is a part of one version of the object, and of one that
 * may still be served.
 */
class PartialContentModelTest {

    private static final long MAX_AGE = 60;
    private static final int STEPS = 400;

    private final RangedObject object = new RangedObject();
    private final Map<String, String> versions = new HashMap<>();
    /** The seconds at which a version was replaced. */
    private final Map<String, Long> ceased = new HashMap<>();

    private String current = "";
    private long now;
    /** The steps at which a version was replaced. */
    private final Map<String, Integer> ceasedAt = new HashMap<>();

    private int step;
    /** No version replaced up to this step may be served. */
    private int invalidated = -1;

    private int joined;
    private int hits;

    private void change(Random random) {
        if (!current.isEmpty()) {
            ceased.put(current, now);
            ceasedAt.put(current, step);
        }
        current = "\"v" + versions.size() + "\"";
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 100 : 60_000);
        if (!versions.isEmpty() && random.nextBoolean()) {
            // Only the validator distinguishes it from the previous one.
            length = versions.get("\"v" + (versions.size() - 1) + "\"").length();
        }
        while (text.length() < length) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        versions.put(current, text.toString());
        object.setContent(text.toString(), current);
    }

    private static String range(Random random, int length) {
        int from = random.nextInt(length + 20);
        // Mostly short ones; otherwise all parts would soon be stored.
        int to = from + random.nextInt(random.nextInt(3) == 0 ? length / 2 + 5 : length / 20 + 5);
        return switch (random.nextInt(8)) {
            case 0 -> "bytes=" + from + "-";
            case 1 -> "bytes=-" + random.nextInt(length + 5);
            case 2 -> "bytes=" + from + "-" + to + "," + (to + 200) + "-" + (to + 300);
            default -> "bytes=" + from + "-" + to;
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void anyRequests_ofAnObjectThatChanges_areAnsweredFromOneVersionThatMayBeServed(long seed)
            throws Exception {
        Random random = new Random(seed);
        change(random);
        try (ScriptedOrigin origin = new ScriptedOrigin().on("/x", object);
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "cache.memory",
                        "1MB",
                        "cache.grace",
                        "0s",
                        "upstream.response-timeout",
                        "5s")) {
            RawClient client = proxy.client();
            for (step = 0; step < STEPS; step++) {
                object.chunked = random.nextInt(4) == 0;
                object.ranges = random.nextInt(10) != 0;
                object.ignoresIfRange = random.nextInt(3) == 0;
                object.breaksAfter = random.nextInt(15) == 0 ? random.nextInt(100) : -1;
                switch (random.nextInt(30)) {
                    case 0 -> change(random);
                    case 1 -> {
                        change(random);
                        object.breaksAfter = -1;
                        client.request("PURGE", "/x");
                        invalidated = step;
                    }
                    case 2, 3 -> {
                        long seconds = random.nextInt(40);
                        proxy.passSeconds(seconds);
                        now += seconds;
                    }
                    case 4 -> crowd(client, origin, random);
                    default ->
                        client = ask(proxy, client, random, "seed " + seed + ", step " + step);
                }
                assertThat(proxy.proxy.figures().cache().cacheBytes())
                        .isLessThanOrEqualTo(proxy.proxy.figures().cache().cacheBudgetBytes());
            }
            client.close();
            assertThat(joined).as("answers joined from parts").isPositive();
            assertThat(hits).as("hits").isPositive();
        }
    }

    /** Other objects that take the memory. */
    private static void crowd(RawClient client, ScriptedOrigin origin, Random random)
            throws IOException {
        for (int i = 0; i < 10; i++) {
            String path = "/other" + random.nextInt(50);
            origin.ok(path, "Cache-Control: max-age=600\r\n", "o".repeat(100_000));
            client.get(path);
        }
    }

    private RawClient ask(ProxyFixture proxy, RawClient client, Random random, String where)
            throws IOException {
        String range = random.nextInt(15) == 0
                ? ""
                : range(random, versions.get(current).length());
        try {
            RawClient.Answer answer =
                    range.isEmpty() ? client.get("/x") : client.get("/x", "Range: " + range);
            check(answer, range, where + ", " + range + "\n" + answer.head());
            return client;
        } catch (IOException brokenOff) {
            assertThat(object.breaksAfter).as(where).isGreaterThanOrEqualTo(0);
            client.close();
            return proxy.client();
        }
    }

    private void check(RawClient.Answer answer, String range, String where) {
        if (answer.status() == 502) {
            assertThat(object.breaksAfter).as(where).isGreaterThanOrEqualTo(0);
            return;
        }
        String status = answer.field("Cache-Status");
        joined += status.contains("fwd=partial") ? 1 : 0;
        hits += status.contains("hit") ? 1 : 0;
        if (answer.status() == 416) {
            long length =
                    Long.parseLong(answer.field("Content-Range").substring("bytes */".length()));
            assertThat(ByteRange.list(range, length)).as(where).isEmpty();
            return;
        }
        String etag = answer.field("ETag");
        String version = versions.get(etag);
        assertThat(version).as(where).isNotNull();
        assertThat(now - ceased.getOrDefault(etag, now)).as(where).isLessThanOrEqualTo(MAX_AGE);
        assertThat(ceasedAt.getOrDefault(etag, Integer.MAX_VALUE))
                .as(where)
                .isGreaterThan(invalidated);
        List<ByteRange> ranges = range.isEmpty() ? null : ByteRange.list(range, version.length());
        if (answer.status() == 200) {
            assertThat(answer.body()).as(where).isEqualTo(version);
            return;
        }
        assertThat(answer.status()).as(where).isEqualTo(206);
        assertThat(ranges).as(where).isNotEmpty();
        if (ranges.size() == 1) {
            ByteRange only = ranges.getFirst();
            assertThat(answer.field("Content-Range"))
                    .as(where)
                    .isEqualTo("bytes " + only.from() + "-" + only.to() + "/" + version.length());
            assertThat(answer.body())
                    .as(where)
                    .isEqualTo(version.substring((int) only.from(), (int) only.to() + 1));
            return;
        }
        List<String> pieces = new ArrayList<>();
        for (ByteRange piece : ranges) {
            pieces.add("Content-Range: bytes " + piece.from() + "-" + piece.to() + "/"
                    + version.length() + "\r\n\r\n"
                    + version.substring((int) piece.from(), (int) piece.to() + 1) + "\r\n--");
        }
        assertThat(answer.body()).as(where).contains(pieces);
    }
}
