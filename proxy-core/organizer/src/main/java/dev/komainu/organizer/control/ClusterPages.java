package dev.komainu.organizer.control;

import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.MemberView;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.MemberChoice;
import dev.komainu.organizer.route.MemberForecast;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.RouteConflict;
import dev.komainu.organizer.route.RouteDecision;
import dev.komainu.organizer.route.RouteQuery;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/** The pages of the control endpoint about the cluster, as maps and lists. */
final class ClusterPages {

    private ClusterPages() {}

    static Map<String, Object> members(Membership membership) {
        List<Object> members = new ArrayList<>();
        for (MemberView view : membership.members()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            Announcement announcement = view.announcement();
            entry.put("member", announcement.member());
            entry.put("self", view.self());
            entry.put("coordinator", view.coordinator());
            entry.put(
                    "line",
                    announcement.line().host() + ":" + announcement.line().port());
            entry.put("sinceMillis", announcement.incarnation());
            entry.put("version", announcement.version());
            entry.put("prefixes", announcement.routes().size());
            entry.put("draining", announcement.draining());
            entry.put("flapping", view.flaps());
            entry.put("server", view.forecast().state().text());
            entry.put("reach", view.forecast().reach().name().toLowerCase(Locale.ROOT));
            entry.put("delayMicros", view.forecast().delayMicros());
            MemberLoad report = view.report();
            if (report != null) {
                entry.put("inFlight", report.inFlight());
                entry.put("serviceMicros", report.serviceMicros());
                entry.put("served", report.served());
                entry.put("faults", report.faults());
                Map<String, Long> delays = new TreeMap<>();
                report.delayMicros().forEach((member, micros) -> delays.put(member.text(), micros));
                entry.put("delaysMicros", delays);
            }
            members.add(entry);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("self", membership.self());
        all.put("group", membership.size());
        all.put("digest", membership.table().digest());
        all.put("members", members);
        return all;
    }

    static Map<String, Object> table(ClusterRouteTable table) {
        List<Object> routes = new ArrayList<>();
        for (Announcement announcement : table.announcements()) {
            for (ServedRoute route : announcement.routes()) {
                Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("prefix", route.prefix());
                entry.put("member", announcement.member());
                entry.put("weight", route.weight());
                entry.put("capacity", route.capacity());
                entry.put("cache", route.cache());
                entry.put("content", route.content());
                entry.put("draining", announcement.draining());
                routes.add(entry);
            }
        }
        List<Object> conflicts = new ArrayList<>();
        for (RouteConflict conflict : table.conflicts()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("prefix", conflict.prefix());
            entry.put("served", conflict.served());
            entry.put("contested", conflict.contested());
            conflicts.add(entry);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("digest", table.digest());
        all.put("routes", routes);
        all.put("conflicts", conflicts);
        return all;
    }

    static Map<String, Object> choice(Membership membership, UrlPrefix url) {
        ClusterRouteTable table = membership.table();
        RouteQuery query = new RouteQuery(
                url.host(),
                url.path(),
                Set.of(),
                true,
                ThreadLocalRandom.current().nextDouble());
        Map<String, Object> all = new LinkedHashMap<>();
        switch (MemberChoice.of(table, query, membership.forecasts()::of)) {
            case RouteDecision.Chosen chosen -> {
                all.put("member", chosen.candidate().member());
                all.put("prefix", chosen.candidate().route().prefix());
                all.put(
                        "line",
                        chosen.candidate().line().host() + ":"
                                + chosen.candidate().line().port());
                all.put("why", text(chosen.reason()));
                all.put("expectedMicros", chosen.expectedMicros());
            }
            case RouteDecision.NoMember none -> {
                all.put("member", null);
                all.put("why", text(none.reason()));
            }
        }
        List<Object> candidates = new ArrayList<>();
        for (Candidate candidate : table.candidates(url.host(), url.path())) {
            MemberForecast forecast = membership.forecasts().of(candidate.member());
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("member", candidate.member());
            entry.put("weight", candidate.route().weight());
            entry.put("draining", candidate.draining());
            entry.put("server", forecast.state().text());
            entry.put("reach", text(forecast.reach()));
            entry.put("inFlight", forecast.inFlight());
            entry.put("serviceMicros", forecast.serviceMicros());
            entry.put("delayMicros", forecast.delayMicros());
            candidates.add(entry);
        }
        all.put("candidates", candidates);
        return all;
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Map<String, Object> events(EventLog events, long after) {
        List<Object> list = new ArrayList<>();
        for (EventLog.Event event : events.after(after)) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("number", event.number());
            entry.put("atMillis", event.atMillis());
            entry.put("kind", event.kind().text());
            entry.put("member", event.member());
            entry.put("text", event.text());
            list.add(entry);
        }
        return Map.of("events", list);
    }
}
