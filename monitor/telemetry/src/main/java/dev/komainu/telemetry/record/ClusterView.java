package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of organizers as one of its members sees it, and that member's own counters. Every
 * member reports its own view, so different views of several members are visible at once.
 *
 * <p>It describes the present: the view is not stored, only its {@code events} are.
 *
 * @param member the reporting member
 * @param node its host
 * @param startedMicros start of this member's current run; together with the name it identifies the
 *     run
 * @param peers the members of the cluster and the lines to them
 * @param routing the route table
 * @param servers the member's own servers whose states it requests
 * @param counts results of requests since the start, by name
 * @param events events since its last view
 */
public record ClusterView(
        String cluster,
        String member,
        String node,
        long startedMicros,
        long atMicros,
        Peers peers,
        Routing routing,
        List<Server> servers,
        List<Count> counts,
        List<Event> events)
        implements TelemetryRecord {

    /**
     * The members of the cluster and the lines to them.
     *
     * @param group number of members in its group, announced or not
     * @param members all members that announced themselves, including this one
     * @param lines its lines to other members
     */
    @FieldGroup
    public record Peers(int group, List<Member> members, List<Line> lines) {

        public Peers {
            members = List.copyOf(members);
            lines = List.copyOf(lines);
        }
    }

    /**
     * The route table.
     *
     * @param digest hash of its route table: equal for equal tables
     * @param conflicts prefixes announced with different contents
     */
    @FieldGroup
    public record Routing(String digest, List<Route> routes, List<Conflict> conflicts) {

        public Routing {
            routes = List.copyOf(routes);
            conflicts = List.copyOf(conflicts);
        }
    }

    public ClusterView {
        servers = List.copyOf(servers);
        counts = List.copyOf(counts);
        events = List.copyOf(events);
    }

    /**
     * One member, according to its last announcement.
     *
     * @param line address of its line, {@code ADDRESS:PORT}
     * @param startedMicros start of its current run
     * @param state state of its server: {@code up}, {@code saturated}, {@code stopped}
     * @param reach {@code reached}, {@code due} (may be tried again), {@code resting}
     * @param delayMicros round trip from the reporting member; 0: not measured
     * @param load the requests at the server of a member
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
            Load load) {
        /**
         * The requests at the server of a member.
         *
         * @param inFlight requests in progress at its server
         * @param serviceMicros service time of its server per request, a moving mean; 0: not
         *     measured
         * @param served requests its server has served since its start
         * @param faults requests its server refused or aborted
         */
        @FieldGroup
        public record Load(long inFlight, long serviceMicros, long served, long faults) {}
    }

    /**
     * A route of the cluster.
     *
     * @param content names the content; empty: the prefix's content as other members serve it
     */
    public record Route(
            String prefix,
            String member,
            int weight,
            int capacity,
            boolean cache,
            String content) {}

    /**
     * A prefix announced with different contents: the members whose content is served, and those
     * whose content is not.
     */
    public record Conflict(String prefix, List<String> served, List<String> contested) {
        public Conflict {
            served = List.copyOf(served);
            contested = List.copyOf(contested);
        }
    }

    /**
     * All connections to one member together.
     *
     * @param carrier the transport, {@code tcp} or {@code quic}; absent: not reported by the member
     * @param use the connections to the member and the requests over them
     * @param rttMicros the kernel's value, mean over connections, else a ping's; 0: not measured
     * @param traffic the bytes over the current connections
     * @param failure of the last attempt to connect, or the cause of the last lost connection;
     *     empty: none
     * @param downMicros time since which there is no connection; absent: there is one, or the
     *     member does not report it
     */
    public record Line(
            String to,
            @Nullable String carrier,
            Use use,
            long rttMicros,
            Traffic traffic,
            String failure,
            @Nullable Long downMicros) {
        /**
         * The connections to the member and the requests over them.
         *
         * @param waiting requests without a connection
         * @param opened requests since the line was created
         * @param lost connections lost since the line was created
         */
        @FieldGroup
        public record Use(int connections, int streams, int waiting, long opened, long lost) {}

        /**
         * The bytes over the current connections.
         *
         * @param sentBytes bytes sent over the current connections
         * @param receivedBytes bytes received over the current connections
         * @param segmentBytes bytes sent by the kernel, including retransmissions; 0: unknown
         * @param againBytes retransmitted bytes of these
         */
        @FieldGroup
        public record Traffic(
                long sentBytes, long receivedBytes, long segmentBytes, long againBytes) {}
    }

    /**
     * A server of this member.
     *
     * @param address {@code HOST:PORT} as this member's settings name it
     * @param state its state according to this member
     */
    public record Server(String address, String state) {}

    public record Count(String name, long count) {}

    /**
     * An event, as this member saw it.
     *
     * @param number counts from 1 in this run, without gaps
     * @param kind such as {@code joined}, {@code lost}, {@code conflict}
     * @param member absent: the event concerns no single member
     * @param text a sentence for people
     */
    public record Event(
            long number,
            long atMicros,
            String kind,
            @Nullable String member,
            String text) {}
}
