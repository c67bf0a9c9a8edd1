package dev.komainu.organizer.control;

import dev.komainu.intermediary.process.ReloadCounts;
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

/** What the endpoint tells, as maps and lists. */
final class ClusterPages {

    private ClusterPages() {}

    static Map<String, Object> members(Membership membership) {
        List<Object> members = new ArrayList<>();
        for (MemberView view : membership.members()) {
            Map<String, Object> one = new LinkedHashMap<>();
            Announcement announcement = view.announcement();
            one.put("member", announcement.member());
            one.put("self", view.self());
            one.put("coordinator", view.coordinator());
            one.put(
                    "line",
                    announcement.line().host() + ":" + announcement.line().port());
            one.put("sinceMillis", announcement.incarnation());
            one.put("version", announcement.version());
            one.put("prefixes", announcement.routes().size());
            one.put("draining", announcement.draining());
            one.put("flapping", view.flaps());
            one.put("server", view.outlook().state().text());
            one.put("reach", view.outlook().reach().name().toLowerCase(Locale.ROOT));
            one.put("delayMicros", view.outlook().delayMicros());
            MemberLoad report = view.report();
            if (report != null) {
                one.put("inFlight", report.inFlight());
                one.put("serviceMicros", report.serviceMicros());
                one.put("served", report.served());
                one.put("faults", report.faults());
                Map<String, Long> delays = new TreeMap<>();
                report.delayMicros().forEach((member, micros) -> delays.put(member.text(), micros));
                one.put("delaysMicros", delays);
            }
            members.add(one);
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
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("prefix", route.prefix());
                one.put("member", announcement.member());
                one.put("weight", route.weight());
                one.put("capacity", route.capacity());
                one.put("cache", route.cache());
                one.put("content", route.content());
                one.put("draining", announcement.draining());
                routes.add(one);
            }
        }
        List<Object> conflicts = new ArrayList<>();
        for (RouteConflict conflict : table.conflicts()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("prefix", conflict.prefix());
            one.put("served", conflict.served());
            one.put("contested", conflict.contested());
            conflicts.add(one);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("digest", table.digest());
        all.put("routes", routes);
        all.put("conflicts", conflicts);
        return all;
    }

    static Map<String, Object> choice(Membership membership, UrlPrefix url) {
        ClusterRouteTable table = membership.table();
        RouteQuery wanted = new RouteQuery(
                url.host(),
                url.path(),
                Set.of(),
                true,
                ThreadLocalRandom.current().nextDouble());
        Map<String, Object> all = new LinkedHashMap<>();
        switch (MemberChoice.of(table, wanted, membership.outlooks()::of)) {
            case RouteDecision.Ask ask -> {
                all.put("member", ask.candidate().member());
                all.put("prefix", ask.candidate().route().prefix());
                all.put(
                        "line",
                        ask.candidate().line().host() + ":"
                                + ask.candidate().line().port());
                all.put("why", text(ask.why()));
                all.put("expectedMicros", ask.expectedMicros());
            }
            case RouteDecision.Nobody nobody -> {
                all.put("member", null);
                all.put("why", text(nobody.why()));
            }
        }
        List<Object> candidates = new ArrayList<>();
        for (Candidate candidate : table.candidates(url.host(), url.path())) {
            MemberForecast outlook = membership.outlooks().of(candidate.member());
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("member", candidate.member());
            one.put("weight", candidate.route().weight());
            one.put("draining", candidate.draining());
            one.put("server", outlook.state().text());
            one.put("reach", text(outlook.reach()));
            one.put("inFlight", outlook.inFlight());
            one.put("serviceMicros", outlook.serviceMicros());
            one.put("delayMicros", outlook.delayMicros());
            candidates.add(one);
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
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("number", event.number());
            one.put("atMillis", event.atMillis());
            one.put("kind", event.kind().text());
            one.put("member", event.member());
            one.put("text", event.text());
            list.add(one);
        }
        return Map.of("events", list);
    }

    /** Prometheus text format 0.0.4. */
    static String metrics(Membership membership, EventLog events) {
        StringBuilder out = new StringBuilder(1024);
        line(
                out,
                "komainu_organizer_group_members",
                "gauge",
                "Members of the group",
                membership.size());
        ClusterRouteTable table = membership.table();
        line(
                out,
                "komainu_organizer_members",
                "gauge",
                "Members that announced themselves",
                table.announcements().size());
        line(
                out,
                "komainu_organizer_conflicts",
                "gauge",
                "Prefixes claimed for different contents",
                table.conflicts().size());
        out.append("# HELP komainu_organizer_events_total What happened in the cluster, by kind\n");
        out.append("# TYPE komainu_organizer_events_total counter\n");
        Map<EventLog.Kind, Long> counts = events.counts();
        for (EventLog.Kind kind : EventLog.Kind.values()) {
            out.append("komainu_organizer_events_total{kind=\"")
                    .append(kind.text())
                    .append("\"} ")
                    .append(counts.getOrDefault(kind, 0L))
                    .append('\n');
        }
        return out.toString();
    }

    /** Of a configuration that can be read again. */
    static String reloads(ReloadCounts.Figures figures) {
        StringBuilder out = new StringBuilder(512);
        line(
                out,
                "komainu_organizer_reloads_total",
                "counter",
                "Reloads of the configuration that were done",
                figures.done());
        line(
                out,
                "komainu_organizer_reloads_refused_total",
                "counter",
                "Reloads that changed nothing because of mistakes",
                figures.refused());
        line(
                out,
                "komainu_organizer_configuration_generation",
                "gauge",
                "The configuration in force: 1 at the start, one more with each reload",
                figures.generation());
        return out.toString();
    }

    private static void line(StringBuilder out, String name, String type, String help, long value) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        out.append(name).append(' ').append(value).append('\n');
    }
}
