package dev.komainu.central.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The present state of a cluster. Rates are between a member's last two views; absent when there
 * are not two yet.
 *
 * @param heard time of the newest report of any member
 * @param fresh whether any member's view is recent; else all values are of the past
 * @param parts by digest, the largest first; several for a short time are a change in progress
 * @param partedSince time since which at least two parts have each kept their own table; absent:
 *     they have not
 * @param members those in the view of any member, and those that reported within a day
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ClusterState(
        String name,
        Instant heard,
        boolean fresh,
        @Nullable Instant partedSince,
        List<Part> parts,
        List<Member> members,
        List<Route> routes,
        List<Line> lines,
        List<Conflict> conflicts) {

    /** The members that share one route table, and the members that the table names. */
    public record Part(String digest, List<String> reporters, List<String> members) {}

    /**
     * One member.
     *
     * @param node its host, when it reports itself
     * @param line address of its line
     * @param reports whether its own view is recent
     * @param heard time of its own last view; absent: never
     * @param present whether any member sees it
     * @param state state of its server, as it reports: {@code up}, {@code saturated},
     *     {@code stopped}
     * @param servers its own servers, when it reports itself
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Member(
            String name,
            @Nullable String node,
            String line,
            Instant started,
            boolean reports,
            @Nullable Instant heard,
            boolean present,
            boolean coordinator,
            boolean draining,
            boolean flapping,
            String state,
            long inFlight,
            double serviceMillis,
            @Nullable Double servedPerSecond,
            @Nullable Double faultsPerSecond,
            @Nullable Double requestsPerSecond,
            List<Server> servers) {}

    /**
     * A member's server.
     *
     * @param address as that member's settings name it
     * @param state state as the member reports it
     */
    public record Server(String address, String state) {}

    /**
     * A URL prefix in the route table.
     *
     * @param contested members that claim it for another content than the served one: not used
     */
    public record Route(
            String prefix,
            String member,
            int weight,
            int capacity,
            boolean cache,
            String content,
            boolean contested) {}

    /**
     * The connection of one member to another, as the first reports it.
     *
     * @param rttMillis absent: not measured
     * @param lossShare share of retransmitted bytes among the bytes sent; absent: the kernel does
     *     not report it
     * @param requestsPerSecond requests over this connection
     * @param lost connections lost since the line began
     * @param failure cause of the last failed attempt or lost connection; empty: none
     * @param carrier {@code tcp}, {@code quic}; absent: an older member, which does not report it
     * @param downSince time since which there is no connection; absent: there is one, or its member
     *     does not report it
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Line(
            String from,
            String to,
            int connections,
            int streams,
            int waiting,
            @Nullable Double rttMillis,
            @Nullable Double lossShare,
            @Nullable Double sentBytesPerSecond,
            @Nullable Double receivedBytesPerSecond,
            @Nullable Double requestsPerSecond,
            long lost,
            String failure,
            @Nullable String carrier,
            @Nullable Instant downSince) {}

    /** A prefix claimed for different contents. */
    public record Conflict(String prefix, List<String> served, List<String> contested) {}
}
