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
 * The members of the group with the last announcement of each, and the route table made of these.
 * It has no access to the network: views and messages come in any order, from any thread.
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
     * The last announcement under each name, also after its member left. It detects an old message
     * that comes again.
     */
    private final Map<MemberId, Announcement> last = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MemberId, Announcement> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private volatile ClusterRouteTable table = ClusterRouteTable.EMPTY;

    /**
     * Entry of one member.
     *
     * @param untilMillis time at which its grant expires
     */
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
     * Sets the members of the group.
     *
     * @param merged whether parts of the group were merged
     */
    synchronized void view(Collection<A> members, boolean merged) {
        present = new LinkedHashSet<>(members);
        if (merged) {
            events.add(
                    Kind.MERGED,
                    null,
                    "Parts of the cluster were merged: " + present.size() + " members");
        }
        for (A removed : new ArrayList<>(entries.keySet())) {
            if (!present.contains(removed)) {
                remove(removed);
            }
        }
        leaving.retainAll(present);
        publish();
    }

    private void remove(A removed) {
        Entry entry = entries.remove(removed);
        if (entry == null) {
            return;
        }
        MemberId member = entry.announcement.member();
        if (leaving.contains(removed)) {
            events.add(Kind.LEFT, member, member + " left");
        } else {
            events.add(Kind.LOST, member, member + " was lost: it crashed or is unreachable");
        }
        countChange(member);
    }

    /**
     * Handles an announcement of a member.
     *
     * @param untilMillis time at which its grant expires, {@link Long#MAX_VALUE}: never
     */
    synchronized void announced(A from, Announcement announcement, long untilMillis) {
        if (!present.contains(from) || leaving.contains(from)) {
            // The message was under way while its member left, or before this member received the
            // view. A member that misses it requests it.
            return;
        }
        MemberId member = announcement.member();
        Entry known = entries.get(from);
        if (known != null && !known.announcement.member().equals(member)) {
            events.add(
                    Kind.REFUSED,
                    member,
                    known.announcement.member() + " now announces itself as " + member);
            return;
        }
        Announcement previous = last.get(member);
        if (known != null && !announcement.isNewerThan(known.announcement)) {
            return;
        }
        if (previous != null
                && previous.isNewerThan(announcement)
                && entries.values().stream()
                        .noneMatch(entry -> entry.announcement.member().equals(member))) {
            events.add(Kind.REFUSED, member, member + " repeats an old announcement");
            return;
        }
        if (previous == null || announcement.isNewerThan(previous)) {
            last.remove(member);
            last.put(member, announcement);
        }
        boolean isDuplicate = known == null
                && entries.values().stream()
                        .anyMatch(entry -> entry.announcement.member().equals(member));
        entries.put(from, new Entry(announcement, untilMillis, known == null ? null : known.state));
        if (known == null) {
            events.add(
                    Kind.JOINED,
                    member,
                    member + " serves " + prefixes(announcement) + ", its line is at "
                            + announcement.line().host() + ":"
                            + announcement.line().port());
            countChange(member);
        } else {
            events.add(
                    Kind.ROUTES_CHANGED,
                    member,
                    member + " serves " + prefixes(announcement)
                            + (announcement.draining() ? " and drains" : ""));
        }
        if (isDuplicate) {
            events.add(
                    Kind.NAME_TWICE,
                    member,
                    "Two members have the name " + member + "; the younger counts");
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
     * Handles a report of a member.
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
            events.add(Kind.REFUSED, member, member + " sent a report for " + report.member());
            return false;
        }
        forecasts.reported(report);
        if (entry.state != report.state()) {
            entries.put(from, new Entry(entry.announcement, entry.untilMillis, report.state()));
            if (entry.state != null || report.state() != ServerState.UP) {
                events.add(
                        Kind.SERVER_CHANGED,
                        member,
                        member + "'s server is " + report.state().text());
                countChange(member);
            }
        }
        return report.announced() > entry.announcement.version();
    }

    /** Handles a member's announcement that it leaves. */
    synchronized void farewell(A from, MemberId member, long incarnation) {
        Entry entry = entries.get(from);
        if (entry != null
                && entry.announcement.member().equals(member)
                && entry.announcement.incarnation() == incarnation) {
            leaving.add(from);
            // No request must go there until the group has removed it.
            remove(from);
            publish();
        }
    }

    private void countChange(MemberId member) {
        if (flapping.changed(member, wallMillis.getAsLong()) == FlapDetection.Transition.BEGINS) {
            events.add(
                    Kind.FLAPPING,
                    member,
                    member + " changed " + FlapDetection.CHANGES + " times within "
                            + FlapDetection.WITHIN_MILLIS / 1000 + " s");
        }
    }

    /** Ends what has expired. Called every second. */
    synchronized void tick() {
        long now = wallMillis.getAsLong();
        for (MemberId member : flapping.watched()) {
            if (flapping.expire(member, now) == FlapDetection.Transition.ENDS) {
                events.add(Kind.FLAPPING_OVER, member, member + " is stable again");
            }
        }
        boolean ended = false;
        for (Map.Entry<A, Entry> entry : List.copyOf(entries.entrySet())) {
            if (now >= entry.getValue().untilMillis) {
                MemberId member = entry.getValue().announcement.member();
                events.add(Kind.REFUSED, member, member + "'s grant ended");
                entries.remove(entry.getKey());
                ended = true;
            }
        }
        if (ended) {
            publish();
        }
    }

    /** Returns whether a member joins and leaves too often. */
    synchronized boolean isFlapping(MemberId member) {
        return flapping.isFlapping(member);
    }

    /** Returns the address of the member that counts under a name; absent: none. */
    synchronized @Nullable A address(MemberId member) {
        A found = null;
        Announcement newest = null;
        for (Map.Entry<A, Entry> entry : entries.entrySet()) {
            Announcement announcement = entry.getValue().announcement;
            if (announcement.member().equals(member)
                    && (newest == null || announcement.isNewerThan(newest))) {
                newest = announcement;
                found = entry.getKey();
            }
        }
        return found;
    }

    /** Returns the name under which an address announced itself; absent before. */
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
                    (announcement, other) ->
                            other.isNewerThan(announcement) ? other : announcement);
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
                events.add(
                        Kind.CONFLICT,
                        null,
                        conflict.prefix() + " is served by " + conflict.served() + "; "
                                + conflict.contested()
                                + " claims it for another content and is ignored");
            }
        }
        for (RouteConflict conflict : conflicts) {
            if (now.stream().noneMatch(other -> other.prefix().equals(conflict.prefix()))) {
                events.add(
                        Kind.CONFLICT_OVER,
                        null,
                        conflict.prefix() + " is claimed for one content only, again");
            }
        }
        conflicts = now;
    }
}
