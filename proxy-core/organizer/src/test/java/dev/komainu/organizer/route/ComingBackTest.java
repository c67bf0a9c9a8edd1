package dev.komainu.organizer.route;

import static dev.komainu.organizer.route.Routes.announced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.route.MemberForecasts.Ending;
import dev.komainu.organizer.server.LocalServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Three mirrors and a sequence of requests, on a clock that the test moves: the share of each
 * mirror while one returns, or after one was slow once.
 */
class ComingBackTest {

    private static final long SECOND = 1_000_000_000L;

    /** A mirror, and its organizer's observations of it. */
    private final class Mirror {
        final MemberId id;
        final LocalServer server = new LocalServer("mirror", 80, nanos::get);
        long incarnation = 1;
        long sequence;
        long delayMicros = 500;
        long serviceMicros;
        int asked;

        Mirror(String name, long serviceMicros) {
            this.id = new MemberId(name);
            this.serviceMicros = serviceMicros;
        }

        MemberLoad report() {
            LocalServer.Figures now = server.figures();
            return new MemberLoad(
                    id,
                    incarnation,
                    1,
                    ++sequence,
                    now.inFlight(),
                    now.serviceMicros(),
                    now.served(),
                    0,
                    ServerState.UP,
                    Map.of());
        }
    }

    private record Ends(long atNanos, Mirror at, long micros) {}

    private final AtomicLong nanos = new AtomicLong(5 * SECOND);
    private final MemberForecasts forecasts = new MemberForecasts(nanos::get);
    private final Map<MemberId, Mirror> mirrors = new LinkedHashMap<>();
    private final PriorityQueue<Ends> underWay =
            new PriorityQueue<>((one, other) -> Long.compare(one.atNanos, other.atNanos));
    private long second;
    private double chance;

    private Mirror mirror(String name, long serviceMicros) {
        Mirror made = new Mirror(name, serviceMicros);
        mirrors.put(made.id, made);
        return made;
    }

    private ClusterRouteTable table() {
        List<Announcement> all = new ArrayList<>();
        mirrors.keySet()
                .forEach(id -> all.add(announced(
                        id.text(), new ServedRoute(UrlPrefix.parse("h/"), 1, 64, false, ""))));
        return ClusterRouteTable.of(all);
    }

    /**
     * Sends the evenly spread requests of one second, and the reports at its end.
     *
     * @return the share of each mirror
     */
    private Map<String, Double> second(int requests) {
        ClusterRouteTable table = table();
        mirrors.values().forEach(mirror -> mirror.asked = 0);
        for (int i = 0; i < requests; i++) {
            pass(SECOND / requests);
            chance = (chance + 0.6180339887498949) % 1;
            RouteDecision.Chosen ask = (RouteDecision.Chosen) MemberChoice.of(
                    table, new RouteQuery("h", "/x", Set.of(), true, chance), forecasts::of);
            Mirror asked = mirrors.get(ask.candidate().member());
            asked.asked++;
            asked.server.started();
            forecasts.started(asked.id);
            long micros = asked.serviceMicros;
            underWay.add(new Ends(nanos.get() + micros * 1000, asked, micros));
        }
        for (Mirror mirror : mirrors.values()) {
            forecasts.reported(mirror.report());
            if (second % 5 == 0) {
                forecasts.measured(mirror.id, mirror.delayMicros);
            }
        }
        second++;
        Map<String, Double> shares = new LinkedHashMap<>();
        mirrors.values()
                .forEach(mirror -> shares.put(mirror.id.text(), mirror.asked / (double) requests));
        return shares;
    }

    private void pass(long by) {
        nanos.addAndGet(by);
        while (!underWay.isEmpty() && underWay.peek().atNanos <= nanos.get()) {
            Ends ended = underWay.remove();
            forecasts.ended(ended.at.id, Ending.ANSWERED);
            ended.at.server.ended(LocalServer.Ending.ANSWERED, ended.micros);
        }
    }

    @Test
    void memberIsBack_getsLessThanItsShareAtFirst_thenAllOfIt() {
        mirror("a", 2_000);
        mirror("b", 2_000);
        for (int i = 0; i < 10; i++) {
            second(1000);
        }
        Mirror back = mirror("c", 2_000);
        assertThat(second(1000).get("c")).as("it has no measured values").isBetween(0.03, 0.3);
        second(1000);
        second(1000);
        second(1000);
        assertThat(second(1000).get("c")).isBetween(0.28, 0.38);
        // The same member with another incarnation.
        mirrors.remove(back.id);
        forecasts.retain(mirrors.keySet());
        second(1000);
        mirror("c", 2_000).incarnation = 2;
        assertThat(second(1000).get("c")).isBetween(0.03, 0.3);
    }

    @Test
    void memberBeganSlowly_hasItsShareWithinAMinute() {
        mirror("a", 1_000);
        mirror("b", 1_000);
        for (int i = 0; i < 10; i++) {
            second(1000);
        }
        Mirror cold = mirror("c", 30_000);
        cold.delayMicros = 60_000;
        second = 5; // measured in its first second
        second(1000);
        second(1000);
        assertThat(second(1000).get("c")).as("while it is slow").isLessThan(0.05);
        cold.serviceMicros = 1_000;
        cold.delayMicros = 500;
        for (int i = 0; i < 40; i++) {
            second(1000);
        }
        assertThat(second(1000).get("c")).as("thirty times as slow at first").isBetween(0.28, 0.38);
    }

    @Test
    void memberWasSlowLongAgo_isTriedAgain_aSlowOneIsAskedLittle() {
        mirror("a", 1_000);
        mirror("b", 1_000);
        Mirror slow = mirror("c", 200_000);
        for (int i = 0; i < 30; i++) {
            second(100);
        }
        double asked = 0;
        for (int i = 0; i < 120; i++) {
            asked += second(100).get("c");
        }
        assertThat(asked / 120).as("while it is slow").isLessThan(0.03);
        slow.serviceMicros = 1_000;
        int passed = 0;
        while (second(100).get("c") < 0.25) {
            assertThat(++passed).as("seconds until its full share").isLessThan(60);
        }
    }
}
