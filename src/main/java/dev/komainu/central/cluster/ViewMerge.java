package dev.komainu.central.cluster;

import dev.komainu.telemetry.record.ClusterView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A merge of the views of a cluster's members. For each member its own recent view counts, else the
 * newest view of another member that sees it. A pure function of views and a clock.
 */
final class ViewMerge {

    private final String name;
    private final Instant now;
    private final Map<String, ReportedView> reports = new TreeMap<>();
    private final List<ReportedView> fresh;
    /** The view that describes each member that is seen. */
    private final Map<String, ReportedView> witnesses = new TreeMap<>();
    /** Members that any view reports as flapping. */
    private final Set<String> flapping = new TreeSet<>();

    private ViewMerge(String name, Collection<ReportedView> views, Instant now) {
        this.name = name;
        this.now = now;
        views.forEach(report -> reports.put(report.view().member(), report));
        List<ReportedView> about = reports.values().stream()
                .filter(report -> report.isFresh(now))
                .sorted(Comparator.comparing(ReportedView::heard).reversed())
                .toList();
        // When all members are silent, the last views are used; the result is marked as old.
        fresh = about.isEmpty() ? newest(reports.values()) : about;
        for (ReportedView report : fresh) {
            for (ClusterView.Member member : report.view().peers().members()) {
                witnesses.putIfAbsent(member.name(), report);
                if (member.flapping()) {
                    flapping.add(member.name());
                }
            }
        }
        for (ReportedView report : fresh) {
            witnesses.put(report.view().member(), report);
        }
    }

    /**
     * Merges views to the state of a cluster.
     *
     * @param views at least one view; at most the newest of each member counts
     */
    static ClusterState of(String name, Collection<ReportedView> views, Instant now) {
        return new ViewMerge(name, views, now).merge();
    }

    private static List<ReportedView> newest(Collection<ReportedView> all) {
        return all.stream().max(Comparator.comparing(ReportedView::heard)).stream()
                .toList();
    }

    private ClusterState merge() {
        Instant heard = reports.values().stream()
                .map(ReportedView::heard)
                .max(Instant::compareTo)
                .orElse(now);
        List<ClusterState.Conflict> conflicts = conflicts();
        return new ClusterState(
                name,
                heard,
                reports.values().stream().anyMatch(report -> report.isRecent(now)),
                partedSince(),
                parts(),
                members(),
                routes(conflicts),
                lines(),
                conflicts);
    }

    private @Nullable Instant partedSince() {
        Map<String, Instant> holders = new LinkedHashMap<>();
        for (ReportedView report : fresh) {
            if (report.isFresh(now) && report.isSettled(now)) {
                holders.merge(
                        report.view().routing().digest(),
                        report.digestSince(),
                        (first, second) -> first.isBefore(second) ? first : second);
            }
        }
        return holders.size() < 2
                ? null
                : holders.values().stream().max(Instant::compareTo).orElse(null);
    }

    private List<ClusterState.Part> parts() {
        Map<String, List<ReportedView>> byDigest = new LinkedHashMap<>();
        fresh.forEach(report -> byDigest.computeIfAbsent(
                        report.view().routing().digest(), digest -> new ArrayList<>())
                .add(report));
        List<ClusterState.Part> parts = new ArrayList<>();
        byDigest.forEach((digest, holders) -> {
            Set<String> sees = new TreeSet<>();
            holders.forEach(report ->
                    report.view().peers().members().forEach(member -> sees.add(member.name())));
            parts.add(new ClusterState.Part(
                    digest,
                    holders.stream()
                            .map(report -> report.view().member())
                            .sorted()
                            .toList(),
                    List.copyOf(sees)));
        });
        parts.sort(
                Comparator.comparing((ClusterState.Part part) -> -part.members().size())
                        .thenComparing(ClusterState.Part::digest));
        return parts;
    }

    private List<ClusterState.Member> members() {
        Set<String> names = new TreeSet<>(reports.keySet());
        names.addAll(witnesses.keySet());
        return names.stream().map(this::member).toList();
    }

    private ClusterState.Member member(String member) {
        ReportedView own = reports.get(member);
        ReportedView witness = witnesses.get(member);
        ReportedView witnessOrOwn = witness != null ? witness : own;
        ClusterView.Member described =
                witnessOrOwn == null ? null : of(witnessOrOwn.view(), member);
        boolean isReporting =
                own != null && (own.isFresh(now) || (witness != null && own.isRecent(now)));
        return new ClusterState.Member(
                member,
                own == null ? null : own.view().node(),
                described == null ? "" : described.line(),
                at(
                        described == null
                                ? own == null ? 0 : own.view().startedMicros()
                                : described.startedMicros()),
                isReporting,
                own == null ? null : own.heard(),
                witness != null,
                described != null && described.coordinator(),
                described != null && described.draining(),
                flapping.contains(member),
                described == null ? "up" : described.state(),
                described == null ? 0 : described.load().inFlight(),
                described == null ? 0 : described.load().serviceMicros() / 1e3,
                witnessOrOwn == null || described == null
                        ? null
                        : rate(witnessOrOwn, view -> served(view, member)),
                witnessOrOwn == null || described == null
                        ? null
                        : rate(witnessOrOwn, view -> faults(view, member)),
                own == null || !isReporting ? null : rate(own, ViewMerge::requests),
                own == null
                        ? List.of()
                        : own.view().servers().stream()
                                .map(server ->
                                        new ClusterState.Server(server.address(), server.state()))
                                .toList());
    }

    private static ClusterView.@Nullable Member of(ClusterView view, String member) {
        for (ClusterView.Member candidate : view.peers().members()) {
            if (candidate.name().equals(member)) {
                return candidate;
            }
        }
        return null;
    }

    private List<ClusterState.Route> routes(List<ClusterState.Conflict> conflicts) {
        List<ClusterState.Route> routes = new ArrayList<>();
        witnesses.forEach((member, witness) -> {
            for (ClusterView.Route route : witness.view().routing().routes()) {
                if (route.member().equals(member)) {
                    routes.add(new ClusterState.Route(
                            route.prefix(),
                            member,
                            route.weight(),
                            route.capacity(),
                            route.cache(),
                            route.content(),
                            conflicts.stream()
                                    .anyMatch(conflict -> conflict.prefix().equals(route.prefix())
                                            && conflict.contested().contains(member))));
                }
            }
        });
        routes.sort(Comparator.comparing(ClusterState.Route::prefix)
                .thenComparing(ClusterState.Route::member));
        return routes;
    }

    private List<ClusterState.Conflict> conflicts() {
        Set<ClusterState.Conflict> all = new LinkedHashSet<>();
        for (ReportedView report : fresh) {
            for (ClusterView.Conflict conflict : report.view().routing().conflicts()) {
                all.add(new ClusterState.Conflict(
                        conflict.prefix(), conflict.served(), conflict.contested()));
            }
        }
        return List.copyOf(all);
    }

    private List<ClusterState.Line> lines() {
        List<ClusterState.Line> lines = new ArrayList<>();
        for (ReportedView report : fresh) {
            for (ClusterView.Line line : report.view().peers().lines()) {
                lines.add(new ClusterState.Line(
                        report.view().member(),
                        line.to(),
                        line.use().connections(),
                        line.use().streams(),
                        line.use().waiting(),
                        line.rttMicros() == 0 ? null : line.rttMicros() / 1e3,
                        line.traffic().segmentBytes() == 0
                                ? null
                                : (double) line.traffic().againBytes()
                                        / line.traffic().segmentBytes(),
                        rate(report, view -> of(view, line.to(), ViewMerge::sent)),
                        rate(
                                report,
                                view -> of(view, line.to(), one -> one.traffic().receivedBytes())),
                        rate(
                                report,
                                view -> of(view, line.to(), one -> one.use().opened())),
                        line.use().lost(),
                        line.failure(),
                        line.carrier(),
                        line.downMicros() == null
                                ? null
                                : Instant.EPOCH.plus(line.downMicros(), ChronoUnit.MICROS)));
            }
        }
        lines.sort(
                Comparator.comparing(ClusterState.Line::from).thenComparing(ClusterState.Line::to));
        return lines;
    }

    /**
     * Returns the bytes sent, with headers and retransmissions where the kernel reports them; else
     * bodies only.
     */
    private static long sent(ClusterView.Line line) {
        return line.traffic().segmentBytes() == 0
                ? line.traffic().sentBytes()
                : line.traffic().segmentBytes();
    }

    /** A counter of a view; absent when the view does not contain it. */
    @FunctionalInterface
    private interface Counted {
        @Nullable
        Long of(ClusterView view);
    }

    private static @Nullable Long of(
            ClusterView view,
            String to,
            java.util.function.ToLongFunction<ClusterView.Line> figure) {
        for (ClusterView.Line line : view.peers().lines()) {
            if (line.to().equals(to)) {
                return figure.applyAsLong(line);
            }
        }
        return null;
    }

    private static @Nullable Long served(ClusterView view, String member) {
        ClusterView.Member described = of(view, member);
        return described == null ? null : described.load().served();
    }

    private static @Nullable Long faults(ClusterView view, String member) {
        ClusterView.Member described = of(view, member);
        return described == null ? null : described.load().faults();
    }

    private static @Nullable Long requests(ClusterView view) {
        for (ClusterView.Count count : view.counts()) {
            if (count.name().equals("requests")) {
                return count.count();
            }
        }
        return null;
    }

    /**
     * Returns the rate of a counter; absent when the counter has decreased, because a connection
     * was closed or a member restarted.
     */
    private static @Nullable Double rate(ReportedView report, Counted what) {
        Double seconds = report.seconds();
        ClusterView earlier = report.before();
        Long then = earlier == null ? null : what.of(earlier);
        Long now = what.of(report.view());
        return seconds == null || then == null || now == null
                ? null
                : Math.max(0, now - then) / seconds;
    }

    private static Instant at(long micros) {
        return Instant.ofEpochMilli(micros / 1_000);
    }
}
