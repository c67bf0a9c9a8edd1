package dev.komainu.organizer.report;

import dev.komainu.organizer.front.FrontCounts;
import dev.komainu.organizer.front.GatewayError;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.MemberView;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.RouteConflict;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.telemetry.record.ClusterView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The builder of cluster views. */
final class ClusterViewBuilder {

    private ClusterViewBuilder() {}

    static ClusterView of(
            String cluster,
            String node,
            long atMicros,
            Membership membership,
            List<LineFigures> lines,
            FrontCounts counts,
            List<ClusterView.Server> servers,
            List<EventLog.Event> newEvents) {
        ClusterRouteTable table = membership.table();
        return new ClusterView(
                cluster,
                membership.self().text(),
                node,
                membership.own().incarnation() * 1_000,
                atMicros,
                new ClusterView.Peers(
                        membership.size(),
                        membership.members().stream()
                                .map(ClusterViewBuilder::member)
                                .toList(),
                        lines(lines)),
                new ClusterView.Routing(
                        table.digest(),
                        table.announcements().stream()
                                .flatMap(ClusterViewBuilder::routes)
                                .toList(),
                        table.conflicts().stream()
                                .map(ClusterViewBuilder::conflict)
                                .toList()),
                servers,
                counts(counts),
                newEvents.stream().map(ClusterViewBuilder::event).toList());
    }

    private static ClusterView.Member member(MemberView view) {
        Announcement announcement = view.announcement();
        MemberLoad report = view.report();
        return new ClusterView.Member(
                announcement.member().text(),
                announcement.line().host() + ":" + announcement.line().port(),
                announcement.incarnation() * 1_000,
                view.coordinator(),
                announcement.draining(),
                view.flaps(),
                view.forecast().state().text(),
                view.forecast().reach().name().toLowerCase(Locale.ROOT),
                view.forecast().delayMicros(),
                new ClusterView.Member.Load(
                        report == null ? 0 : report.inFlight(),
                        report == null ? 0 : report.serviceMicros(),
                        report == null ? 0 : report.served(),
                        report == null ? 0 : report.faults()));
    }

    private static Stream<ClusterView.Route> routes(Announcement announcement) {
        return announcement.routes().stream()
                .map((ServedRoute route) -> new ClusterView.Route(
                        route.prefix().toString(),
                        announcement.member().text(),
                        route.weight(),
                        route.capacity(),
                        route.cache(),
                        route.content()));
    }

    private static ClusterView.Conflict conflict(RouteConflict conflict) {
        return new ClusterView.Conflict(
                conflict.prefix().toString(),
                conflict.served().stream().map(MemberId::text).toList(),
                conflict.contested().stream().map(MemberId::text).toList());
    }

    /** Returns the lines to each member, with the lines of all event loops combined. */
    static List<ClusterView.Line> lines(List<LineFigures> all) {
        Map<String, List<LineFigures>> byPeer = new LinkedHashMap<>();
        all.forEach(line -> byPeer.computeIfAbsent(line.to().member(), peer -> new ArrayList<>())
                .add(line));
        List<ClusterView.Line> lines = new ArrayList<>();
        byPeer.forEach((peer, parts) -> {
            LineFigures combined = LineFigures.together(parts);
            lines.add(new ClusterView.Line(
                    peer,
                    combined.over().text(),
                    new ClusterView.Line.Use(
                            combined.connections().size(),
                            combined.streams(),
                            combined.waiting(),
                            combined.opened(),
                            combined.connectionsLost()),
                    combined.rttMicros(),
                    new ClusterView.Line.Traffic(
                            combined.sentBytes(),
                            combined.receivedBytes(),
                            combined.segmentBytes(),
                            combined.againBytes()),
                    combined.lastFailure(),
                    combined.downSinceMillis() == 0 ? null : combined.downSinceMillis() * 1_000));
        });
        return lines;
    }

    private static List<ClusterView.Count> counts(FrontCounts counts) {
        List<ClusterView.Count> all = new ArrayList<>();
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            all.add(new ClusterView.Count(kind.text(), counts.of(kind)));
        }
        for (GatewayError error : GatewayError.values()) {
            if (counts.of(error) > 0) {
                all.add(new ClusterView.Count("refused/" + error.text(), counts.of(error)));
            }
        }
        return all;
    }

    private static ClusterView.Event event(EventLog.Event event) {
        return new ClusterView.Event(
                event.number(),
                event.atMillis() * 1_000,
                event.kind().text(),
                event.member() == null ? null : event.member().text(),
                event.text());
    }
}
