package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of organizers as one of its members sees it, and what that member did. Every member
 * tells it for itself: whoever hears several sees at once when they do not see the same.
 *
 * <p>It is about now: it is not stored, only what {@code events} tell is.
 *
 * @param member who tells
 * @param node its host
 * @param startedMicros when this member's present life began; with the member's name it tells one
 *     life from another
 * @param group how many are in its group, announced or not
 * @param digest of its route table: equal wherever the table is
 * @param members all who announced themselves, itself among them
 * @param conflicts prefixes claimed for different contents
 * @param lines to other members, as this one sees them
 * @param servers of this member: those that it would hear about
 * @param counts what became of requests since the start, by name
 * @param events since its last view
 */
public record ClusterView(
        String cluster,
        String member,
        String node,
        long startedMicros,
        long atMicros,
        int group,
        String digest,
        List<Member> members,
        List<Route> routes,
        List<Conflict> conflicts,
        List<Line> lines,
        List<Server> servers,
        List<Count> counts,
        List<Event> events)
        implements TelemetryRecord {

    public ClusterView {
        members = List.copyOf(members);
        routes = List.copyOf(routes);
        conflicts = List.copyOf(conflicts);
        lines = List.copyOf(lines);
        servers = List.copyOf(servers);
        counts = List.copyOf(counts);
        events = List.copyOf(events);
    }

    /**
     * One member, by what it said last.
     *
     * @param line where its line is reached, {@code ADDRESS:PORT}
     * @param startedMicros of its present life
     * @param state of its server: {@code up}, {@code saturated}, {@code stopped}
     * @param reach {@code reached}, {@code due} (may be tried again), {@code resting}
     * @param delayMicros round trip from who tells; 0: not measured
     * @param inFlight requests its server has
     * @param serviceMicros what its server takes for one, a moving mean; 0: none seen
     * @param served requests its server answered since its start
     * @param faults requests its server refused or broke off
     */
    public record Member(
            String name,
            String line,
            long startedMicros,
            boolean coordinator,
            boolean draining,
            boolean flapping,
            String state,
            String reach,
            long delayMicros,
            long inFlight,
            long serviceMicros,
            long served,
            long faults) {}

    /** @param content names what is served; empty: whatever others serve there */
    public record Route(
            String prefix,
            String member,
            int weight,
            int capacity,
            boolean cache,
            String content) {}

    /** A prefix claimed for different contents: whose is served, whose is not. */
    public record Conflict(String prefix, List<String> served, List<String> contested) {
        public Conflict {
            served = List.copyOf(served);
            contested = List.copyOf(contested);
        }
    }

    /**
     * All connections to one member together.
     *
     * @param waiting requests without a connection
     * @param rttMicros the kernel's, mean over connections, else a ping's; 0: not measured
     * @param sentBytes of the connections there are now
     * @param receivedBytes of these
     * @param segmentBytes sent by the kernel, with what was sent again; 0: it does not tell
     * @param againBytes of these, sent again
     * @param opened requests since the line began
     * @param lost connections since then
     * @param failure of the last attempt to connect, or why the last connection was lost; empty:
     *     none
     * @param carrier what it runs over, {@code tcp} or {@code quic}; absent: its member does not
     *     tell
     * @param downMicros since when there is no connection; absent: there is one, or its member does
     *     not tell
     */
    public record Line(
            String to,
            int connections,
            int streams,
            int waiting,
            long rttMicros,
            long sentBytes,
            long receivedBytes,
            long segmentBytes,
            long againBytes,
            long opened,
            long lost,
            String failure,
            @Nullable String carrier,
            @Nullable Long downMicros) {}

    /**
     * @param address {@code HOST:PORT} as this member's settings name it @param state what it is
     *     taken for
     */
    public record Server(String address, String state) {}

    public record Count(String name, long count) {}

    /**
     * Something that happened, as this member saw it.
     *
     * @param number counts from 1 in this life, without gaps
     * @param kind such as {@code joined}, {@code lost}, {@code conflict}
     * @param member absent: it is about no single one
     * @param text a sentence for people
     */
    public record Event(
            long number,
            long atMicros,
            String kind,
            @Nullable String member,
            String text) {}
}
