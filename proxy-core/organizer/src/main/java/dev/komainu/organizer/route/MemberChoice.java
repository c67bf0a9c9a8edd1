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
 * Which member a request goes to: a pure function of the table, of what is to be expected of each
 * member, and of chance.
 *
 * <ol>
 *   <li>Those who serve the longest prefix, without the excluded.
 *   <li>A member whose next attempt is due gets a request that can be repeated: so it comes back
 *       in.
 *   <li>Of the rest the first of these that is not empty: those that do well; the saturated; those
 *       that drain or weigh nothing.
 *   <li>Caches: the URL's own one, by weighted rendezvous hashing, unless that has far more to do
 *       than its share. Others: by chance, in proportion to weight / expected completion³.
 * </ol>
 *
 * <p>Expected completion is the round trip, and what the server takes for one request as often as
 * requests wait before this one (in flight / capacity). The cube makes a member that is twice as
 * slow get an eighth. Always taking the best one instead would send all organizers to the same
 * member between two reports. Equal members share exactly by weight.
 *
 * <p>What is not known of a member, or was known once, is taken to be as with the others; and
 * whoever is newly back has a part of its share.
 */
public final class MemberChoice {

    /** Where nobody has said anything yet: a quick server. */
    private static final long USUAL_SERVICE_MICROS = 1_000;
    /**
     * How far beyond its share a cache may be before its URLs go to the next (bounded loads,
     * Mirrokni et al. 2016).
     */
    private static final double BOUND = 1.25;
    /** Below this many at once a cache is never beyond its share. */
    private static final int LEAST_BOUND = 8;

    private MemberChoice() {}

    /** @param outlooks of every member; any thread, as far as this permits it */
    public static RouteDecision of(
            ClusterRouteTable table,
            RouteQuery wanted,
            Function<MemberId, MemberForecast> outlooks) {
        List<Candidate> serving = wanted.serversOnly()
                ? table.servers(wanted.host(), wanted.pathWithoutQuery())
                : table.candidates(wanted.host(), wanted.pathWithoutQuery());
        if (serving.isEmpty()) {
            return new RouteDecision.Nobody(RouteDecision.WhyNot.NO_ROUTE);
        }
        List<Rated> all = new ArrayList<>(serving.size());
        for (Candidate candidate : serving) {
            if (!wanted.excluded().contains(candidate.member())) {
                all.add(new Rated(candidate, outlooks.apply(candidate.member())));
            }
        }
        if (all.isEmpty()) {
            return new RouteDecision.Nobody(RouteDecision.WhyNot.ALL_EXCLUDED);
        }
        List<Rated> asked = only(all, rated -> rated.outlook.state() != ServerState.STOPPED);
        if (wanted.repeatable()) {
            for (Rated rated : asked) {
                if (rated.outlook.reach() == Reach.DUE && !rated.isLast()) {
                    return rated.asked(RouteDecision.Why.PROBE, Usual.of(List.of(rated)));
                }
            }
        }
        asked = only(asked, rated -> rated.outlook.reach() == Reach.REACHED);
        List<Rated> well =
                only(asked, rated -> !rated.isLast() && rated.outlook.state() == ServerState.UP);
        if (!well.isEmpty()) {
            return among(well, wanted);
        }
        List<Rated> saturated = only(asked, rated -> !rated.isLast());
        if (!saturated.isEmpty()) {
            return lastResort(among(saturated, wanted));
        }
        if (!asked.isEmpty()) {
            return lastResort(among(asked, wanted));
        }
        return new RouteDecision.Nobody(RouteDecision.WhyNot.ALL_DOWN);
    }

    /**
     * The cache that an object belongs to. Unlike a choice, this knows no load: each cache that has
     * the same table and reaches the same members names the same owner, however busy that is.
     *
     * @param caches those that cache the URL's prefix
     * @param url HOST/PATH with its query
     * @return absent when there is none that is up, reached and not draining
     */
    public static @Nullable Candidate owner(
            List<Candidate> caches, String url, Function<MemberId, MemberForecast> outlooks) {
        Rated owner = null;
        double highest = 0;
        for (Candidate cache : caches) {
            Rated rated = new Rated(cache, outlooks.apply(cache.member()));
            double claim = claim(url, rated);
            boolean can = !rated.isLast()
                    && rated.outlook.state() != ServerState.STOPPED
                    && rated.outlook.reach() != Reach.RESTING;
            if (can && (owner == null || claim > highest)) {
                owner = rated;
                highest = claim;
            }
        }
        return owner == null ? null : owner.candidate;
    }

    private record Rated(Candidate candidate, MemberForecast outlook) {
        boolean isLast() {
            return candidate.draining() || candidate.route().weight() == 0;
        }

        /** What nobody weighs has one share all the same, where nobody else is left. */
        int weight() {
            return Math.max(1, candidate.route().weight());
        }

        double expectedMicros(Usual usual) {
            double known = outlook.certainty();
            // The geometric mean: in factors, as shares are. Half known to be a hundred times as
            // slow is ten times as slow.
            double service = known == 0
                    ? usual.serviceMicros
                    : known == 1
                            ? outlook.serviceMicros()
                            : usual.serviceMicros
                                    * Math.pow(
                                            outlook.serviceMicros() / usual.serviceMicros, known);
            double delay = outlook.delayMicros() == 0 ? usual.delayMicros : outlook.delayMicros();
            double turns = Math.max(
                    1, (outlook.inFlight() + 1) / (double) candidate.route().capacity());
            return delay + service * turns;
        }

        RouteDecision.Ask asked(RouteDecision.Why why, Usual usual) {
            return new RouteDecision.Ask(candidate, why, (long) expectedMicros(usual));
        }
    }

    /** What stands in for what is not known of a member. */
    private record Usual(double serviceMicros, double delayMicros) {

        /** Of members that serve the same. */
        static Usual of(List<Rated> members) {
            double certain = 0;
            double rates = 0;
            long delays = 0;
            int measured = 0;
            for (Rated rated : members) {
                MemberForecast outlook = rated.outlook;
                if (outlook.serviceMicros() > 0) {
                    certain += outlook.certainty();
                    rates += outlook.certainty() / outlook.serviceMicros();
                }
                if (outlook.delayMicros() > 0) {
                    delays += outlook.delayMicros();
                    measured++;
                }
            }
            // The harmonic mean: one that takes very long hardly counts, or whoever is back would
            // be taken for as slow.
            return new Usual(
                    rates == 0 ? USUAL_SERVICE_MICROS : certain / rates,
                    measured == 0 ? 0 : delays / measured);
        }
    }

    private static List<Rated> only(List<Rated> all, Predicate<Rated> which) {
        return all.stream().filter(which).collect(Collectors.toCollection(ArrayList::new));
    }

    private static RouteDecision.Ask lastResort(RouteDecision.Ask ask) {
        return new RouteDecision.Ask(
                ask.candidate(), RouteDecision.Why.LAST_RESORT, ask.expectedMicros());
    }

    private static RouteDecision.Ask among(List<Rated> members, RouteQuery wanted) {
        Usual usual = Usual.of(members);
        if (members.stream().allMatch(rated -> rated.candidate.route().cache())) {
            return owner(members, wanted).asked(RouteDecision.Why.AFFINITY, usual);
        }
        double[] shares = new double[members.size()];
        double best = members.stream()
                .mapToDouble(rated -> rated.expectedMicros(usual))
                .min()
                .orElseThrow();
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            double slower = members.get(i).expectedMicros(usual) / best;
            shares[i] = members.get(i).outlook.share()
                    * members.get(i).weight()
                    / (slower * slower * slower);
            sum += shares[i];
        }
        double at = wanted.spread() * sum;
        int chosen = 0;
        while (chosen < shares.length - 1 && at >= shares[chosen]) {
            at -= shares[chosen++];
        }
        return members.get(chosen).asked(RouteDecision.Why.BALANCED, usual);
    }

    private static Rated owner(List<Rated> members, RouteQuery wanted) {
        String url = wanted.host() + wanted.path();
        List<Rated> ranked = members.stream()
                .sorted(Comparator.comparingDouble((Rated rated) -> -claim(url, rated))
                        .thenComparing(rated -> rated.candidate.member()))
                .toList();
        long inFlight = 0;
        long weights = 0;
        for (Rated rated : members) {
            inFlight += rated.outlook.inFlight();
            weights += rated.weight();
        }
        for (Rated rated : ranked) {
            double share = BOUND * (inFlight + 1) * rated.weight() / weights;
            if (rated.outlook.inFlight() < Math.max(LEAST_BOUND, Math.ceil(share))) {
                return rated;
            }
        }
        return ranked.getFirst();
    }

    /**
     * A member's claim to a URL: the highest of all is its owner, with a probability in proportion
     * to its weight, and whoever comes or goes moves only URLs of its own (weighted rendezvous
     * hashing: -w / ln u, u evenly distributed).
     */
    private static double claim(String url, Rated rated) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : url.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ b & 0xff) * 0x100000001b3L;
        }
        for (byte b : rated.candidate.member().text().getBytes(StandardCharsets.US_ASCII)) {
            hash = (hash ^ b & 0xff) * 0x100000001b3L;
        }
        double even = ((mixed(hash) >>> 11) + 0.5) * 0x1p-53;
        return -rated.weight() / Math.log(even);
    }

    /**
     * FNV alone leaves names that differ in their last letter near each other (finalizer of
     * SplitMix64).
     */
    private static long mixed(long hash) {
        long z = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
