package dev.komainu.central.api.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.cache.ProxyCalls;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.caches.ControlEndpoints;
import dev.komainu.central.caches.ProxyControl;
import dev.komainu.central.cluster.ClusterEvent;
import dev.komainu.central.cluster.ClusterEventTable;
import dev.komainu.central.cluster.ClusterState;
import dev.komainu.central.cluster.Clusters;
import dev.komainu.central.cluster.MemberServers;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The clusters of organizers: members, routes and events; drain and weight of a member. */
@RestController
class ClustersController {

    private static final int MOST_WEIGHT = 1_000;

    private final Clusters clusters;
    private final ClusterEventTable book;
    private final MemberServers servers;
    private final ControlEndpoints controls;
    private final ProxyControl control;
    private final Audit audit;

    ClustersController(
            Clusters clusters,
            ClusterEventTable book,
            MemberServers servers,
            ControlEndpoints controls,
            ProxyControl control,
            Audit audit) {
        this.clusters = clusters;
        this.book = book;
        this.servers = servers;
        this.controls = controls;
        this.control = control;
        this.audit = audit;
    }

    /**
     * The summary of a cluster.
     *
     * @param requestsPerSecond client requests at all reporting members
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ClusterSummary(
            String name,
            Instant heard,
            boolean fresh,
            @Nullable Instant partedSince,
            int members,
            int reporting,
            int troubled,
            long prefixes,
            int conflicts,
            @Nullable Double requestsPerSecond) {

        static ClusterSummary of(ClusterState cluster) {
            List<ClusterState.Member> members = cluster.members();
            return new ClusterSummary(
                    cluster.name(),
                    cluster.heard(),
                    cluster.fresh(),
                    cluster.partedSince(),
                    members.size(),
                    (int) members.stream().filter(ClusterState.Member::reports).count(),
                    (int) members.stream().filter(ClusterSummary::troubled).count(),
                    cluster.routes().stream()
                            .map(ClusterState.Route::prefix)
                            .distinct()
                            .count(),
                    cluster.conflicts().size(),
                    members.stream().allMatch(member -> member.requestsPerSecond() == null)
                            ? null
                            : members.stream()
                                    .mapToDouble(member -> member.requestsPerSecond() == null
                                            ? 0
                                            : member.requestsPerSecond())
                                    .sum());
        }

        private static boolean troubled(ClusterState.Member member) {
            return !member.present() || member.flapping() || !member.state().equals("up");
        }
    }

    /**
     * A cluster, the watched services among its members' servers, and the members that accept
     * orders.
     *
     * @param takeOrders members with a line in the file of {@code komainu.caches.file}
     */
    record ClusterDetail(ClusterState cluster, List<Watched> watched, List<String> takeOrders) {}

    /** A server of a member that is a watched service. */
    record Watched(String member, String address, String service, String name, String state) {}

    record DrainRequest(@Nullable Boolean on) {}

    record DrainResult(String member, boolean draining) {}

    record WeightRequest(@Nullable String prefix, @Nullable Integer weight) {}

    record WeightResult(String member, String prefix, int weight) {}

    @GetMapping("/api/v1/clusters")
    List<ClusterSummary> all() {
        return clusters.all().stream().map(ClusterSummary::of).toList();
    }

    @GetMapping("/api/v1/clusters/{cluster}")
    ClusterDetail cluster(@PathVariable String cluster) {
        ClusterState now = require(cluster);
        List<Watched> watched = now.members().stream()
                .flatMap(member -> member.servers().stream()
                        .flatMap(server -> servers.find(member.node(), server.address()).stream()
                                .map(assessment -> new Watched(
                                        member.name(),
                                        server.address(),
                                        assessment.profile().id(),
                                        assessment.profile().name(),
                                        assessment.judgement().state().label()))))
                .toList();
        List<String> takeOrders = now.members().stream()
                .map(ClusterState.Member::name)
                .filter(member -> controls.find(cluster + "/" + member, UnaryOperator.identity())
                        .filter(entry -> entry.token() != null)
                        .isPresent())
                .toList();
        return new ClusterDetail(now, watched, takeOrders);
    }

    @GetMapping("/api/v1/clusters/{cluster}/events")
    Page<ClusterEvent> events(
            @PathVariable String cluster,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<ClusterEvent> rows = book.list(
                cluster, Cursor.decodeNumber(cursor, Long.MAX_VALUE), Cursor.limit(limit) + 1);
        return Page.of(rows, limit, event -> Long.toString(event.id()));
    }

    @PutMapping("/api/v1/clusters/{cluster}/members/{member}/drain")
    DrainResult drain(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String cluster,
            @PathVariable String member,
            @RequestBody DrainRequest request) {
        Boolean on = request.on();
        new BodyChecks().that(on != null, "on", null, "true or false").orRefuse();
        boolean drain = Boolean.TRUE.equals(on);
        boolean was = member(cluster, member).draining();
        order(cluster, member, organizer -> {
            control.drain(organizer, drain);
            return drain;
        });
        audit.done(
                caller, "cluster.drain", cluster + "/" + member, auditText(was), auditText(drain));
        return new DrainResult(member, drain);
    }

    @PutMapping("/api/v1/clusters/{cluster}/members/{member}/weight")
    WeightResult weigh(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String cluster,
            @PathVariable String member,
            @RequestBody WeightRequest request) {
        Integer weight = request.weight();
        String prefix = request.prefix() == null ? "" : request.prefix();
        new BodyChecks()
                .text("prefix", prefix, 4_096)
                .that(
                        weight != null && weight >= 0 && weight <= MOST_WEIGHT,
                        "weight",
                        weight,
                        "0 to " + MOST_WEIGHT)
                .orRefuse();
        int newWeight = weight == null ? 0 : weight;
        member(cluster, member);
        String was = require(cluster).routes().stream()
                .filter(route -> route.member().equals(member) && route.prefix().equals(prefix))
                .map(route -> Integer.toString(route.weight()))
                .findFirst()
                .orElse(null);
        order(cluster, member, organizer -> {
            control.weigh(organizer, prefix, newWeight);
            return newWeight;
        });
        audit.done(
                caller,
                "cluster.weight",
                cluster + "/" + member,
                was == null ? null : prefix + " " + was,
                prefix + " " + newWeight);
        return new WeightResult(member, prefix, newWeight);
    }

    private static String auditText(boolean draining) {
        return draining ? "draining" : "serving";
    }

    private ClusterState require(String cluster) {
        return clusters.find(cluster).orElseThrow(ProblemException.notFound("cluster", cluster));
    }

    private ClusterState.Member member(String cluster, String member) {
        return require(cluster).members().stream()
                .filter(each -> each.name().equals(member))
                .findFirst()
                .orElseThrow(ProblemException.notFound("member", member));
    }

    private <T> void order(String cluster, String member, ProxyCalls.Call<T> order) {
        String name = cluster + "/" + member;
        ControlEndpoints.Entry organizer = controls.find(name, UnaryOperator.identity())
                .orElseThrow(
                        () -> new ProblemException(
                                Problem.conflict(
                                        "member-takes-no-orders",
                                        "member: " + name
                                                + " (expected: a line for it in the file of komainu.caches.file)")));
        ProxyCalls.call(organizer, order);
    }
}
