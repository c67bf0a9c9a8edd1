package dev.komainu.organizer.member;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.FlapDetection;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.RouteConflict;
import dev.komainu.organizer.route.ServerState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who is in the group, and what each said of itself last; of these the route table. Knows no
 * network: views and messages come in, in any order, from any thread.
 *
 * @param <A> a member's address in the group: another one after each start
 */
final class MemberDirectory<A> {

    private static final int MOST_REMEMBERED = 4096;

    private final MemberForecasts forecasts;
    private final EventLog events;
    private final LongSupplier wallMillis;
    // Guarded by this.
    private final FlapDetection flapping = new FlapDetection();
    private Set<A> present = Set.of();
    private final Map<A, Entry> entries = new LinkedHashMap<>();
    private final Set<A> leaving = new HashSet<>();
    private Set<RouteConflict> conflicts = Set.of();

    /**
     * What was said last under a name, also after that member went: an old message that comes again
     * is known by it.
     */
    private final Map<MemberId, Announcement> last = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MemberId, Announcement> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private volatile ClusterRouteTable table = ClusterRouteTable.EMPTY;

    /** @param untilMillis when the right to it ends */
    private record Entry(
            Announcement announcement,
            long untilMillis,
            @Nullable ServerState state) {}

    MemberDirectory(MemberForecasts forecasts, EventLog events, LongSupplier wallMillis) {
        this.forecasts = forecasts;
        this.events = events;
        this.wallMillis = wallMillis;
    }

    ClusterRouteTable table() {
        return table;
    }

    /**
     * The group is now these.
     *
     * @param merged whether parts of it found each other
     */
    synchronized void view(Collection<A> members, boolean merged) {
        present = new LinkedHashSet<>(members);
        if (merged) {
            events.tell(
                    Kind.MERGED,
                    null,
                    "Parts of the cluster found each other: " + present.size() + " members");
        }
        for (A gone : new ArrayList<>(entries.keySet())) {
            if (!present.contains(gone)) {
                went(gone);
            }
        }
        leaving.retainAll(present);
        publish();
    }

    private void went(A gone) {
        Entry entry = entries.remove(gone);
        if (entry == null) {
            return;
        }
        MemberId member = entry.announcement.member();
        if (leaving.contains(gone)) {
            events.tell(Kind.LEFT, member, member + " left");
        } else {
            events.tell(
                    Kind.LOST,
                    member,
                    member + " is gone without a word: crashed, or out of reach");
        }
        turned(member);
    }

    /**
     * A member said what it serves.
     *
     * @param untilMillis when its right to it ends, {@link Long#MAX_VALUE}: never
     */
    synchronized void announced(A from, Announcement announcement, long untilMillis) {
        if (!present.contains(from) || leaving.contains(from)) {
            // It was on its way while its member went, or before this one heard of the view:
            // whoever misses it asks.
            return;
        }
        MemberId member = announcement.member();
        Entry known = entries.get(from);
        if (known != null && !known.announcement.member().equals(member)) {
            events.tell(
                    Kind.REFUSED,
                    member,
                    known.announcement.member() + " calls itself " + member + " now");
            return;
        }
        Announcement said = last.get(member);
        if (known != null && !announcement.isNewerThan(known.announcement)) {
            return;
        }
        if (said != null
                && said.isNewerThan(announcement)
                && entries.values().stream()
                        .noneMatch(entry -> entry.announcement.member().equals(member))) {
            events.tell(Kind.REFUSED, member, member + " says what it said before");
            return;
        }
        if (said == null || announcement.isNewerThan(said)) {
            last.remove(member);
            last.put(member, announcement);
        }
        boolean twice = known == null
                && entries.values().stream()
                        .anyMatch(entry -> entry.announcement.member().equals(member));
        entries.put(from, new Entry(announcement, untilMillis, known == null ? null : known.state));
        if (known == null) {
            events.tell(
                    Kind.JOINED,
                    member,
                    member + " serves " + prefixes(announcement) + ", its line is at "
                            + announcement.line().host() + ":"
                            + announcement.line().port());
            turned(member);
        } else {
            events.tell(
                    Kind.ROUTES_CHANGED,
                    member,
                    member + " serves " + prefixes(announcement)
                            + (announcement.draining() ? " and drains" : ""));
        }
        if (twice) {
            events.tell(
                    Kind.NAME_TWICE,
                    member,
                    "Two members are called " + member + "; the younger counts");
        }
        publish();
    }

    private static String prefixes(Announcement announcement) {
        return switch (announcement.routes().size()) {
            case 0 -> "nothing";
            case 1 -> announcement.routes().getFirst().prefix().toString();
            default -> announcement.routes().size() + " prefixes";
        };
    }

    /**
     * A member said how it does.
     *
     * @return whether its newest announcement is not known here
     */
    synchronized boolean reported(A from, MemberLoad report) {
        if (!present.contains(from) || leaving.contains(from)) {
            return false;
        }
        Entry entry = entries.get(from);
        if (entry == null) {
            return true;
        }
        MemberId member = entry.announcement.member();
        if (!report.member().equals(member)
                || report.incarnation() != entry.announcement.incarnation()) {
            events.tell(Kind.REFUSED, member, member + " reports for " + report.member());
            return false;
        }
        forecasts.reported(report);
        if (entry.state != report.state()) {
            entries.put(from, new Entry(entry.announcement, entry.untilMillis, report.state()));
            if (entry.state != null || report.state() != ServerState.UP) {
                events.tell(
                        Kind.SERVER_CHANGED,
                        member,
                        member + "'s server is " + report.state().text());
                turned(member);
            }
        }
        return report.announced() > entry.announcement.version();
    }

    /** A member goes by itself. */
    synchronized void farewell(A from, MemberId member, long incarnation) {
        Entry entry = entries.get(from);
        if (entry != null
                && entry.announcement.member().equals(member)
                && entry.announcement.incarnation() == incarnation) {
            leaving.add(from);
            // Nobody is to be sent there until the group has noticed.
            went(from);
            publish();
        }
    }

    private void turned(MemberId member) {
        if (flapping.changed(member, wallMillis.getAsLong()) == FlapDetection.Transition.BEGINS) {
            events.tell(
                    Kind.FLAPPING,
                    member,
                    member + " changed " + FlapDetection.CHANGES + " times within "
                            + FlapDetection.WITHIN_MILLIS / 1000 + " s");
        }
    }

    /** Every second: what ends by time. */
    synchronized void tick() {
        long now = wallMillis.getAsLong();
        for (MemberId member : flapping.watched()) {
            if (flapping.expire(member, now) == FlapDetection.Transition.ENDS) {
                events.tell(Kind.FLAPPING_OVER, member, member + " is calm again");
            }
        }
        boolean ended = false;
        for (Map.Entry<A, Entry> entry : List.copyOf(entries.entrySet())) {
            if (now >= entry.getValue().untilMillis) {
                MemberId member = entry.getValue().announcement.member();
                events.tell(Kind.REFUSED, member, member + "'s grant ended");
                entries.remove(entry.getKey());
                ended = true;
            }
        }
        if (ended) {
            publish();
        }
    }

    /** Whether a member comes and goes too often. */
    synchronized boolean flaps(MemberId member) {
        return flapping.isFlapping(member);
    }

    /** The address of whoever counts under a name; absent when nobody does. */
    synchronized @Nullable A address(MemberId member) {
        A found = null;
        Announcement newest = null;
        for (Map.Entry<A, Entry> entry : entries.entrySet()) {
            Announcement one = entry.getValue().announcement;
            if (one.member().equals(member) && (newest == null || one.isNewerThan(newest))) {
                newest = one;
                found = entry.getKey();
            }
        }
        return found;
    }

    /** The name under which an address announced itself; absent before. */
    synchronized @Nullable MemberId member(A address) {
        Entry entry = entries.get(address);
        return entry == null ? null : entry.announcement.member();
    }

    private void publish() {
        Map<MemberId, Announcement> counting = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            counting.merge(
                    entry.announcement.member(),
                    entry.announcement,
                    (one, other) -> other.isNewerThan(one) ? other : one);
        }
        ClusterRouteTable next = ClusterRouteTable.of(counting.values());
        if (next.digest().equals(table.digest())) {
            return;
        }
        table = next;
        forecasts.retain(counting.keySet());
        Set<RouteConflict> now = new LinkedHashSet<>(next.conflicts());
        for (RouteConflict conflict : now) {
            if (!conflicts.contains(conflict)) {
                events.tell(
                        Kind.CONFLICT,
                        null,
                        conflict.prefix() + " is served by " + conflict.served() + "; "
                                + conflict.contested()
                                + " claims it for another content and is left out");
            }
        }
        for (RouteConflict conflict : conflicts) {
            if (now.stream().noneMatch(other -> other.prefix().equals(conflict.prefix()))) {
                events.tell(
                        Kind.CONFLICT_OVER,
                        null,
                        conflict.prefix() + " is claimed for one content only");
            }
        }
        conflicts = now;
    }
}
