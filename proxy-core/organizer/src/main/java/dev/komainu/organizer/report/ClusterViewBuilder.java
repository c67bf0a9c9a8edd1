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

/** Puts a view together. */
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
            List<EventLog.Event> news) {
        ClusterRouteTable table = membership.table();
        return new ClusterView(
                cluster,
                membership.self().text(),
                node,
                membership.own().incarnation() * 1_000,
                atMicros,
                membership.size(),
                table.digest(),
                membership.members().stream().map(ClusterViewBuilder::member).toList(),
                table.announcements().stream()
                        .flatMap(ClusterViewBuilder::routes)
                        .toList(),
                table.conflicts().stream().map(ClusterViewBuilder::conflict).toList(),
                lines(lines),
                servers,
                counts(counts),
                news.stream().map(ClusterViewBuilder::event).toList());
    }

    private static ClusterView.Member member(MemberView view) {
        Announcement said = view.announcement();
        MemberLoad report = view.report();
        return new ClusterView.Member(
                said.member().text(),
                said.line().host() + ":" + said.line().port(),
                said.incarnation() * 1_000,
                view.coordinator(),
                said.draining(),
                view.flaps(),
                view.outlook().state().text(),
                view.outlook().reach().name().toLowerCase(Locale.ROOT),
                view.outlook().delayMicros(),
                report == null ? 0 : report.inFlight(),
                report == null ? 0 : report.serviceMicros(),
                report == null ? 0 : report.served(),
                report == null ? 0 : report.faults());
    }

    private static Stream<ClusterView.Route> routes(Announcement said) {
        return said.routes().stream()
                .map((ServedRoute route) -> new ClusterView.Route(
                        route.prefix().toString(),
                        said.member().text(),
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

    /** Each loop has a line of its own to a member: here they are one. */
    static List<ClusterView.Line> lines(List<LineFigures> all) {
        Map<String, List<LineFigures>> byPeer = new LinkedHashMap<>();
        all.forEach(line -> byPeer.computeIfAbsent(line.to().member(), peer -> new ArrayList<>())
                .add(line));
        List<ClusterView.Line> lines = new ArrayList<>();
        byPeer.forEach((peer, parts) -> {
            LineFigures whole = LineFigures.together(parts);
            lines.add(new ClusterView.Line(
                    peer,
                    whole.connections().size(),
                    whole.streams(),
                    whole.waiting(),
                    whole.rttMicros(),
                    whole.sentBytes(),
                    whole.receivedBytes(),
                    whole.segmentBytes(),
                    whole.againBytes(),
                    whole.opened(),
                    whole.connectionsLost(),
                    whole.lastFailure(),
                    whole.over().text(),
                    whole.downSinceMillis() == 0 ? null : whole.downSinceMillis() * 1_000));
        });
        return lines;
    }

    private static List<ClusterView.Count> counts(FrontCounts counts) {
        List<ClusterView.Count> all = new ArrayList<>();
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            all.add(new ClusterView.Count(kind.text(), counts.of(kind)));
        }
        for (GatewayError why : GatewayError.values()) {
            if (counts.of(why) > 0) {
                all.add(new ClusterView.Count("refused/" + why.text(), counts.of(why)));
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
