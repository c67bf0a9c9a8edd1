package dev.komainu.central.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The present state of a cluster. Rates are between a member's last two views; absent where there
 * is none yet.
 *
 * @param heard time of the newest report of any member
 * @param fresh whether any member's view is recent; else all values are of the past
 * @param parts by digest, the largest first; more than one for a moment is a change on its way
 * @param partedSince since when at least two parts have each held on to their own table; absent:
 *     they do not
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
     * @param line where its line is reached
     * @param reports whether its own view is about now
     * @param heard its own last word; absent: never
     * @param present whether anybody sees it
     * @param state of its server, as it says: {@code up}, {@code saturated}, {@code stopped}
     * @param servers its own, when it reports itself
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
     * @param state what the member takes it for
     */
    public record Server(String address, String state) {}

    /** @param contested claimed for another content than is served: not used */
    public record Route(
            String prefix,
            String member,
            int weight,
            int capacity,
            boolean cache,
            String content,
            boolean contested) {}

    /**
     * From one member to another, as the first sees it.
     *
     * @param rttMillis absent: not measured
     * @param lossShare of the bytes sent, those sent again; absent: the kernel does not tell
     * @param requestsPerSecond that went over it
     * @param lost connections since the line began
     * @param failure of the last attempt to connect, or why the last connection was lost; empty:
     *     none
     * @param carrier {@code tcp}, {@code quic}; absent: an older member, which does not tell
     * @param downSince since when there is no connection; absent: there is one, or its member does
     *     not tell
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
