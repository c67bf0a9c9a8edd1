package dev.komainu.organizer.route;

import dev.komainu.organizer.route.MemberForecast.Reach;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the member for a request: a pure function of the route table, the forecasts of the
 * members, and a random number.
 *
 * <ol>
 *   <li>The members that serve the longest prefix, without the excluded ones.
 *   <li>A member whose next attempt is due receives a request that can be repeated. So it returns
 *       to service.
 *   <li>Of the rest, the first of these groups that is not empty: members in good state; saturated
 *       members; members that drain or have weight 0.
 *   <li>Caches: the owner of the URL, by weighted rendezvous hashing, unless it has far more than
 *       its share of the load. Other members: at random, in proportion to weight / expected
 *       completion³.
 * </ol>
 *
 * <p>The expected completion is the round trip plus the service time times the rounds of waiting:
 * (in flight + 1) / capacity, at least 1. Because of the cube, a member that is twice as slow
 * receives an eighth. If each request went to the best member, all organizers would choose the same
 * member between two reports. Equal members receive requests exactly by weight.
 *
 * <p>An unknown value of a member is replaced by the mean of the other members. An uncertain one is
 * combined with that mean. A member that has just returned receives a part of its share.
 */
public final class MemberChoice {

    /** Used when no member has reported a service time: a fast server. */
    private static final long DEFAULT_SERVICE_MICROS = 1_000;
    /**
     * A cache may exceed its share by this factor before its URLs go to the next cache (bounded
     * loads, Mirrokni et al. 2016).
     */
    private static final double BOUND = 1.25;
    /** Below this number of requests in flight a cache never exceeds its share. */
    private static final int MIN_BOUND = 8;

    private MemberChoice() {}

    /**
     * Chooses the member for a request.
     *
     * @param forecasts returns the forecast of a member; callable by any thread if this method is
     */
    public static RouteDecision of(
            ClusterRouteTable table,
            RouteQuery query,
            Function<MemberId, MemberForecast> forecasts) {
        List<Candidate> serving = query.serversOnly()
                ? table.servers(query.host(), query.pathWithoutQuery())
                : table.candidates(query.host(), query.pathWithoutQuery());
        if (serving.isEmpty()) {
            return new RouteDecision.NoMember(RouteDecision.FailureReason.NO_ROUTE);
        }
        List<Rated> all = new ArrayList<>(serving.size());
        for (Candidate candidate : serving) {
            if (!query.excluded().contains(candidate.member())) {
                all.add(new Rated(candidate, forecasts.apply(candidate.member())));
            }
        }
        if (all.isEmpty()) {
            return new RouteDecision.NoMember(RouteDecision.FailureReason.ALL_EXCLUDED);
        }
        List<Rated> remaining = filter(all, rated -> rated.forecast.state() != ServerState.STOPPED);
        if (query.repeatable()) {
            for (Rated rated : remaining) {
                if (rated.forecast.reach() == Reach.DUE && !rated.isLastResort()) {
                    return rated.chosen(
                            RouteDecision.ChoiceReason.PROBE, Typical.of(List.of(rated)));
                }
            }
        }
        remaining = filter(remaining, rated -> rated.forecast.reach() == Reach.REACHED);
        List<Rated> healthy = filter(
                remaining,
                rated -> !rated.isLastResort() && rated.forecast.state() == ServerState.UP);
        if (!healthy.isEmpty()) {
            return balance(healthy, query);
        }
        List<Rated> saturated = filter(remaining, rated -> !rated.isLastResort());
        if (!saturated.isEmpty()) {
            return lastResort(balance(saturated, query));
        }
        if (!remaining.isEmpty()) {
            return lastResort(balance(remaining, query));
        }
        return new RouteDecision.NoMember(RouteDecision.FailureReason.ALL_DOWN);
    }

    /**
     * Returns the owner of an object among the caches. Unlike a choice this ignores the load: all
     * caches with the same table and the same reachable members name the same owner.
     *
     * @param caches the caches of the URL's prefix
     * @param url HOST/PATH with its query
     * @return null: no cache is up, reachable and not draining
     */
    public static @Nullable Candidate owner(
            List<Candidate> caches, String url, Function<MemberId, MemberForecast> forecasts) {
        Rated owner = null;
        double highest = 0;
        for (Candidate cache : caches) {
            Rated rated = new Rated(cache, forecasts.apply(cache.member()));
            double claim = claim(url, rated);
            boolean can = !rated.isLastResort()
                    && rated.forecast.state() != ServerState.STOPPED
                    && rated.forecast.reach() != Reach.RESTING;
            if (can && (owner == null || claim > highest)) {
                owner = rated;
                highest = claim;
            }
        }
        return owner == null ? null : owner.candidate;
    }

    private record Rated(Candidate candidate, MemberForecast forecast) {
        boolean isLastResort() {
            return candidate.draining() || candidate.route().weight() == 0;
        }

        /** Weight 0 counts as 1: such a member is used only when there is no other. */
        int weight() {
            return Math.max(1, candidate.route().weight());
        }

        double expectedMicros(Typical typical) {
            double known = forecast.certainty();
            // The geometric mean, because shares are factors: a member that is half certain to be a
            // hundred times slower counts as ten times slower.
            double service = known == 0
                    ? typical.serviceMicros
                    : known == 1
                            ? forecast.serviceMicros()
                            : typical.serviceMicros
                                    * Math.pow(
                                            forecast.serviceMicros() / typical.serviceMicros,
                                            known);
            double delay =
                    forecast.delayMicros() == 0 ? typical.delayMicros : forecast.delayMicros();
            double rounds = Math.max(
                    1, (forecast.inFlight() + 1) / (double) candidate.route().capacity());
            return delay + service * rounds;
        }

        RouteDecision.Chosen chosen(RouteDecision.ChoiceReason reason, Typical typical) {
            return new RouteDecision.Chosen(candidate, reason, (long) expectedMicros(typical));
        }
    }

    /** The values used for a member with unknown ones. */
    private record Typical(double serviceMicros, double delayMicros) {

        /** Returns the mean values of members that serve the same prefix. */
        static Typical of(List<Rated> members) {
            double certain = 0;
            double rates = 0;
            long delays = 0;
            int measured = 0;
            for (Rated rated : members) {
                MemberForecast forecast = rated.forecast;
                if (forecast.serviceMicros() > 0) {
                    certain += forecast.certainty();
                    rates += forecast.certainty() / forecast.serviceMicros();
                }
                if (forecast.delayMicros() > 0) {
                    delays += forecast.delayMicros();
                    measured++;
                }
            }
            // The harmonic mean: a very slow member hardly counts. With an arithmetic mean, a
            // member that has just returned would be expected to be as slow.
            return new Typical(
                    rates == 0 ? DEFAULT_SERVICE_MICROS : certain / rates,
                    measured == 0 ? 0 : delays / measured);
        }
    }

    private static List<Rated> filter(List<Rated> all, Predicate<Rated> filter) {
        return all.stream().filter(filter).collect(Collectors.toCollection(ArrayList::new));
    }

    private static RouteDecision.Chosen lastResort(RouteDecision.Chosen decision) {
        return new RouteDecision.Chosen(
                decision.candidate(),
                RouteDecision.ChoiceReason.LAST_RESORT,
                decision.expectedMicros());
    }

    private static RouteDecision.Chosen balance(List<Rated> members, RouteQuery query) {
        Typical typical = Typical.of(members);
        if (members.stream().allMatch(rated -> rated.candidate.route().cache())) {
            return owner(members, query).chosen(RouteDecision.ChoiceReason.AFFINITY, typical);
        }
        double[] shares = new double[members.size()];
        double best = members.stream()
                .mapToDouble(rated -> rated.expectedMicros(typical))
                .min()
                .orElseThrow();
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            double slower = members.get(i).expectedMicros(typical) / best;
            shares[i] = members.get(i).forecast.share()
                    * members.get(i).weight()
                    / (slower * slower * slower);
            sum += shares[i];
        }
        double point = query.spread() * sum;
        int chosen = 0;
        while (chosen < shares.length - 1 && point >= shares[chosen]) {
            point -= shares[chosen++];
        }
        return members.get(chosen).chosen(RouteDecision.ChoiceReason.BALANCED, typical);
    }

    private static Rated owner(List<Rated> members, RouteQuery query) {
        String url = query.host() + query.path();
        List<Rated> ranked = members.stream()
                .sorted(Comparator.comparingDouble((Rated rated) -> -claim(url, rated))
                        .thenComparing(rated -> rated.candidate.member()))
                .toList();
        long inFlight = 0;
        long weights = 0;
        for (Rated rated : members) {
            inFlight += rated.forecast.inFlight();
            weights += rated.weight();
        }
        for (Rated rated : ranked) {
            double share = BOUND * (inFlight + 1) * rated.weight() / weights;
            if (rated.forecast.inFlight() < Math.max(MIN_BOUND, Math.ceil(share))) {
                return rated;
            }
        }
        return ranked.getFirst();
    }

    /**
     * Returns the claim of a member to a URL. The member with the highest claim owns the URL, with
     * a probability in proportion to its weight. A member that joins or leaves moves only its own
     * URLs (weighted rendezvous hashing: -w / ln u, u evenly distributed).
     */
    private static double claim(String url, Rated rated) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : url.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        for (byte b : rated.candidate.member().text().getBytes(StandardCharsets.US_ASCII)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        double even = ((mixed(hash) >>> 11) + 0.5) * 0x1p-53;
        return -rated.weight() / Math.log(even);
    }

    /**
     * Mixes the bits. FNV alone gives close values for names that differ in the last letter
     * (finalizer of SplitMix64).
     */
    private static long mixed(long hash) {
        long z = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
