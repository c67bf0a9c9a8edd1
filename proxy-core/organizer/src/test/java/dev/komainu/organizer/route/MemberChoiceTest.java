package dev.komainu.organizer.route;

import static dev.komainu.organizer.route.Routes.announced;
import static dev.komainu.organizer.route.Routes.cache;
import static dev.komainu.organizer.route.Routes.draining;
import static dev.komainu.organizer.route.Routes.route;
import static dev.komainu.organizer.route.Routes.withWeight;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.organizer.route.MemberForecast.Reach;
import dev.komainu.organizer.route.RouteDecision.ChoiceReason;
import dev.komainu.organizer.route.RouteDecision.Chosen;
import dev.komainu.organizer.route.RouteDecision.FailureReason;
import dev.komainu.organizer.route.RouteDecision.NoMember;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class MemberChoiceTest {

    private static final ClusterRouteTable TWO =
            ClusterRouteTable.of(List.of(announced("a", route("h/")), announced("b", route("h/"))));
    private static final MemberForecast GOOD =
            new MemberForecast(0, 1000, 1000, ServerState.UP, Reach.REACHED);

    private static MemberForecast with(ServerState state, Reach reach) {
        return new MemberForecast(0, 1000, 1000, state, reach);
    }

    private static RouteQuery query(double spread, String... excluded) {
        return new RouteQuery(
                "h",
                "/x",
                Set.of(excluded).stream().map(MemberId::new).collect(Collectors.toSet()),
                true,
                spread);
    }

    private static RouteDecision choose(
            ClusterRouteTable table, RouteQuery wanted, Map<String, MemberForecast> forecasts) {
        return MemberChoice.of(
                table, wanted, member -> forecasts.getOrDefault(member.text(), GOOD));
    }

    private static String chosen(RouteDecision decision) {
        return decision instanceof Chosen ask
                ? ask.candidate().member().text()
                : decision.toString();
    }

    /** Returns a member's share of a thousand evenly spread requests. */
    private static double share(
            ClusterRouteTable table, String member, Map<String, MemberForecast> forecasts) {
        int asked = 0;
        for (int i = 0; i < 1000; i++) {
            asked += chosen(choose(table, query(i / 1000.0), forecasts)).equals(member) ? 1 : 0;
        }
        return asked / 1000.0;
    }

    @Test
    void owner_ofLoadNothingIsKnown_whoIsAwayOrDrainsOwnsNothing() {
        ClusterRouteTable caches = ClusterRouteTable.of(List.of(
                announced("a", cache("h/", 1)),
                announced("b", cache("h/", 1)),
                announced("c", cache("h/", 1))));
        String owner = owner(caches, Map.of());
        assertThat(owner(
                        caches,
                        Map.of(
                                owner,
                                new MemberForecast(
                                        10_000, 1000, 1000, ServerState.SATURATED, Reach.REACHED))))
                .isEqualTo(owner);
        assertThat(owner(caches, Map.of(owner, with(ServerState.UP, Reach.DUE))))
                .isEqualTo(owner);
        assertThat(owner(caches, Map.of(owner, with(ServerState.UP, Reach.RESTING))))
                .isNotEqualTo(owner);
        assertThat(owner(caches, Map.of(owner, with(ServerState.STOPPED, Reach.REACHED))))
                .isNotEqualTo(owner);
        ClusterRouteTable drains = ClusterRouteTable.of(caches.announcements().stream()
                .map(one -> one.member().text().equals(owner) ? draining(one) : one)
                .toList());
        assertThat(owner(drains, Map.of())).isNotEqualTo(owner);
        assertThat(MemberChoice.owner(List.of(), "h/x", id -> GOOD)).isNull();
    }

    /**
     * The front sends a URL to the cache in which the caches look it up, for all weights and orders
     * of the members.
     */
    @Property(tries = 300)
    void owner_anyUrl_isTheMemberThatARequestForItGoesTo(
            @ForAll @IntRange(min = 2, max = 12) int members, @ForAll int url, @ForAll long order) {
        List<Announcement> all = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            all.add(announced("c" + i, cache("h/", 1 + i % 3)));
        }
        ClusterRouteTable table = ClusterRouteTable.of(all);
        List<Candidate> caches = new ArrayList<>(table.caches("h", "/" + url));
        Collections.shuffle(caches, new Random(order));
        Candidate owner = MemberChoice.owner(caches, "h/" + url, member -> GOOD);
        assertThat(owner).isNotNull();
        assertThat(owner.member().text())
                .isEqualTo(chosen(choose(
                        table, new RouteQuery("h", "/" + url, Set.of(), true, 0.5), Map.of())));
    }

    private static String owner(ClusterRouteTable table, Map<String, MemberForecast> forecasts) {
        Candidate owner = MemberChoice.owner(
                table.caches("h", "/x"),
                "h/x",
                member -> forecasts.getOrDefault(member.text(), GOOD));
        return owner == null ? "nobody" : owner.member().text();
    }

    @Test
    void choose_noMemberServesIt_noRoute() {
        assertThat(MemberChoice.of(
                        TWO, new RouteQuery("other", "/", Set.of(), true, 0), id -> GOOD))
                .isEqualTo(new NoMember(FailureReason.NO_ROUTE));
    }

    @Test
    void choose_oneFailedThisRequest_theOther_thenNone() {
        assertThat(chosen(choose(TWO, query(0, "a"), Map.of()))).isEqualTo("b");
        assertThat(choose(TWO, query(0, "a", "b"), Map.of()))
                .isEqualTo(new NoMember(FailureReason.ALL_EXCLUDED));
    }

    @Test
    void choose_oneStoppedSaturatedDrainingWeightlessOrResting_theOtherAlways() {
        assertThat(share(TWO, "b", Map.of("a", with(ServerState.STOPPED, Reach.REACHED))))
                .isOne();
        assertThat(share(TWO, "b", Map.of("a", with(ServerState.SATURATED, Reach.REACHED))))
                .isOne();
        assertThat(share(TWO, "b", Map.of("a", with(ServerState.UP, Reach.RESTING))))
                .isOne();
        ClusterRouteTable drained = ClusterRouteTable.of(
                List.of(draining(announced("a", route("h/"))), announced("b", route("h/"))));
        assertThat(share(drained, "b", Map.of())).isOne();
        ClusterRouteTable weightless = ClusterRouteTable.of(
                List.of(announced("a", withWeight("h/", 0)), announced("b", route("h/"))));
        assertThat(share(weightless, "b", Map.of())).isOne();
    }

    @Test
    void choose_noHealthyMember_saturatedThenDraining_neverStopped() {
        MemberForecast stopped = with(ServerState.STOPPED, Reach.REACHED);
        MemberForecast saturated = with(ServerState.SATURATED, Reach.REACHED);
        assertThat(choose(TWO, query(0), Map.of("a", stopped, "b", saturated)))
                .isInstanceOfSatisfying(Chosen.class, ask -> {
                    assertThat(ask.candidate().member().text()).isEqualTo("b");
                    assertThat(ask.reason()).isEqualTo(ChoiceReason.LAST_RESORT);
                });
        ClusterRouteTable drained = ClusterRouteTable.of(
                List.of(announced("a", route("h/")), draining(announced("b", route("h/")))));
        assertThat(chosen(choose(drained, query(0), Map.of("a", saturated)))).isEqualTo("a");
        assertThat(chosen(choose(drained, query(0), Map.of("a", stopped)))).isEqualTo("b");
        assertThat(choose(
                        TWO,
                        query(0),
                        Map.of("a", stopped, "b", with(ServerState.UP, Reach.RESTING))))
                .isEqualTo(new NoMember(FailureReason.ALL_DOWN));
    }

    @Test
    void choose_attemptIsDue_onlyWhatCanBeRepeatedTries() {
        Map<String, MemberForecast> forecasts = Map.of("a", with(ServerState.UP, Reach.DUE));
        assertThat(choose(TWO, query(0.9), forecasts)).isInstanceOfSatisfying(Chosen.class, ask -> {
            assertThat(ask.candidate().member().text()).isEqualTo("a");
            assertThat(ask.reason()).isEqualTo(ChoiceReason.PROBE);
        });
        RouteQuery once = new RouteQuery("h", "/x", Set.of(), false, 0);
        assertThat(chosen(choose(TWO, once, forecasts))).isEqualTo("b");
    }

    @Test
    void choose_equalMembers_shareByWeight() {
        ClusterRouteTable table = ClusterRouteTable.of(
                List.of(announced("a", withWeight("h/", 1)), announced("b", withWeight("h/", 3))));
        assertThat(share(table, "b", Map.of())).isCloseTo(0.75, within(0.002));
    }

    @Test
    void choose_twiceAsSlowOrFar_anEighthOfTheOthers() {
        assertThat(share(
                        TWO,
                        "a",
                        Map.of(
                                "a",
                                new MemberForecast(0, 3000, 1000, ServerState.UP, Reach.REACHED))))
                .isCloseTo(1 / 9.0, within(0.002));
        assertThat(share(
                        TWO,
                        "a",
                        Map.of(
                                "a",
                                new MemberForecast(0, 1000, 3000, ServerState.UP, Reach.REACHED))))
                .isCloseTo(1 / 9.0, within(0.002));
        // Two wait for one place: a new request is the third.
        assertThat(share(
                        TWO,
                        "a",
                        Map.of(
                                "a",
                                new MemberForecast(2, 1000, 1000, ServerState.UP, Reach.REACHED))))
                .isCloseTo(1 / 9.0, within(0.002));
    }

    @Test
    void choose_memberWithUnknownValues_isExpectedToBeLikeTheOthers() {
        MemberForecast nothing = new MemberForecast(0, 0, 0, ServerState.UP, Reach.REACHED);
        assertThat(share(TWO, "a", Map.of("a", nothing))).isCloseTo(0.5, within(0.002));
        // A very slow member does not make the unknown one slow.
        ClusterRouteTable three = ClusterRouteTable.of(List.of(
                announced("a", route("h/")),
                announced("b", route("h/")),
                announced("c", route("h/"))));
        MemberForecast slow = new MemberForecast(0, 1_000_000, 1000, ServerState.UP, Reach.REACHED);
        assertThat(share(three, "a", Map.of("a", nothing, "c", slow))).isBetween(0.2, 0.5);
    }

    @Test
    void choose_figuresOfLongAgo_countAsFarAsTheyHold() {
        MemberForecast halfKnown =
                new MemberForecast(0, 5000, 0.5, 1000, ServerState.UP, Reach.REACHED, 1);
        assertThat(share(TWO, "a", Map.of("a", halfKnown)))
                .isGreaterThan(share(
                        TWO,
                        "a",
                        Map.of(
                                "a",
                                new MemberForecast(0, 5000, 1000, ServerState.UP, Reach.REACHED))));
        MemberForecast forgotten =
                new MemberForecast(0, 5000, 0, 1000, ServerState.UP, Reach.REACHED, 1);
        assertThat(share(TWO, "a", Map.of("a", forgotten))).isCloseTo(0.5, within(0.002));
    }

    @Test
    void choose_newlyBack_hasAPartOfItsShare() {
        MemberForecast back =
                new MemberForecast(0, 1000, 1, 1000, ServerState.UP, Reach.REACHED, 0.1);
        assertThat(share(TWO, "a", Map.of("a", back))).isCloseTo(0.1 / 1.1, within(0.002));
        // Alone it is chosen nevertheless.
        assertThat(chosen(choose(TWO, query(0.9, "b"), Map.of("a", back)))).isEqualTo("a");
    }

    @Test
    void affinity_ownerFarBeyondItsShare_nextOneServes() {
        ClusterRouteTable caches = ClusterRouteTable.of(List.of(
                announced("a", cache("h/", 1)),
                announced("b", cache("h/", 1)),
                announced("c", cache("h/", 1))));
        String owner = chosen(choose(caches, query(0), Map.of()));
        MemberForecast busy = new MemberForecast(100, 1000, 0, ServerState.UP, Reach.REACHED);
        String next = chosen(choose(caches, query(0), Map.of(owner, busy)));
        assertThat(next).isNotEqualTo(owner);
        // The member that would own the URL without the first: the URL is stored there then.
        assertThat(next).isEqualTo(chosen(choose(caches, query(0, owner), Map.of())));
        // Below eight requests in flight nothing moves, however idle the others are.
        MemberForecast some = new MemberForecast(7, 1000, 0, ServerState.UP, Reach.REACHED);
        assertThat(chosen(choose(caches, query(0), Map.of(owner, some)))).isEqualTo(owner);
    }

    @Property(tries = 100)
    void affinity_oneLeaves_onlyItsUrlsMove(
            @ForAll @IntRange(min = 2, max = 12) int members, @ForAll int url) {
        List<Announcement> all = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            all.add(announced("c" + i, cache("h/", 1 + i % 3)));
        }
        RouteQuery wanted = new RouteQuery("h", "/" + url, Set.of(), true, 0.5);
        String owner = chosen(choose(ClusterRouteTable.of(all), wanted, Map.of()));
        for (Announcement leaving : List.copyOf(all)) {
            List<Announcement> rest = new ArrayList<>(all);
            rest.remove(leaving);
            if (!leaving.member().text().equals(owner)) {
                assertThat(chosen(choose(ClusterRouteTable.of(rest), wanted, Map.of())))
                        .isEqualTo(owner);
            }
        }
    }

    @Test
    void affinity_manyUrls_ownedByWeight() {
        ClusterRouteTable caches = ClusterRouteTable.of(List.of(
                announced("c1", cache("h/", 1)),
                announced("c2", cache("h/", 1)),
                announced("c3", cache("h/", 2))));
        int[] owned = new int[4];
        for (int i = 0; i < 20_000; i++) {
            RouteQuery wanted = new RouteQuery("h", "/object/" + i, Set.of(), true, 0);
            owned[chosen(choose(caches, wanted, Map.of())).charAt(1) - '0']++;
        }
        assertThat(owned[1] / 20_000.0).isCloseTo(0.25, within(0.02));
        assertThat(owned[2] / 20_000.0).isCloseTo(0.25, within(0.02));
        assertThat(owned[3] / 20_000.0).isCloseTo(0.5, within(0.02));
    }
}
