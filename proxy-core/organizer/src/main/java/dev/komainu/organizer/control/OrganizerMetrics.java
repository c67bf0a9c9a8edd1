package dev.komainu.organizer.control;

import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontCounts;
import dev.komainu.organizer.front.GatewayError;
import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.GroupMessages;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.service.ServiceCounts;
import dev.komainu.organizer.service.ServiceEntries;
import dev.komainu.organizer.service.ServiceRefusal;
import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.List;
import java.util.function.Supplier;

/** The metrics of a member. */
final class OrganizerMetrics {

    private static final String PREFIX = "komainu_organizer_";

    private OrganizerMetrics() {}

    /** Counts of a member; the parts are thread-safe and read at each page. */
    private record Counts(
            Membership membership, EventLog events, Front front, ServiceEntries services) {}

    static PublishedMetrics<?> of(
            Membership membership, EventLog events, Front front, ServiceEntries services) {
        Counts counts = new Counts(membership, events, front, services);
        return new PublishedMetrics<Counts>(PREFIX, () -> counts, meters -> {
            cluster(meters);
            requests(meters);
            pages(meters);
            meters.families(its -> services(its.services().all()));
        });
    }

    /** Returns the metrics of configuration reloads. */
    static PublishedMetrics<?> of(Supplier<ReloadCounts.Figures> reloads) {
        return new PublishedMetrics<ReloadCounts.Figures>(PREFIX, reloads, meters -> {
            meters.counter(
                    "reloads", "Applied reloads of the configuration", ReloadCounts.Figures::done);
            meters.counter(
                    "reloads_refused",
                    "Reloads refused because of mistakes",
                    ReloadCounts.Figures::refused);
            meters.gauge(
                    "configuration_generation",
                    "Number of the configuration in force: 1 at the start, incremented with each reload",
                    ReloadCounts.Figures::generation);
        });
    }

    private static void cluster(PublishedMetrics.Meters<Counts> meters) {
        meters.gauge(
                "group_members", "Members of the group", its -> its.membership().size());
        meters.gauge(
                "members",
                "Members with an announcement",
                its -> its.membership().table().announcements().size());
        meters.gauge(
                "conflicts",
                "Prefixes claimed for different contents",
                its -> its.membership().table().conflicts().size());
        meters.counter(
                "group_messages_refused",
                "Messages of members refused by their type",
                its -> GroupMessages.refused());
        for (EventLog.Kind kind : EventLog.Kind.values()) {
            meters.counter(
                    "events",
                    "Events in the cluster, by kind",
                    its -> its.events().counts().getOrDefault(kind, 0L),
                    "kind",
                    kind.text());
        }
    }

    private static void requests(PublishedMetrics.Meters<Counts> meters) {
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            meters.counter(
                    "requests",
                    "Requests by what became of them; one request may count for several kinds",
                    its -> its.front().counts().of(kind),
                    "kind",
                    kind.text());
        }
        for (GatewayError error : GatewayError.values()) {
            meters.counter(
                    "refused",
                    "Requests without a response of a server, by reason",
                    its -> its.front().counts().of(error),
                    "reason",
                    error.text());
        }
    }

    private static void pages(PublishedMetrics.Meters<Counts> meters) {
        meters.gauge("pages_known", "Pages with learnt objects", its -> {
            PageLearner.Figures known = its.front().pageFigures();
            return known == null ? 0 : known.pages();
        });
        meters.gauge(
                "pages_held_bytes",
                "Responses pushed by peers and not yet requested, in bytes",
                its -> its.front().pushStoreBytes());
        for (PageCounts.Kind kind : PageCounts.Kind.values()) {
            meters.counter(
                    "pages",
                    "Pushed responses by what became of them; bytes where the kind says so",
                    its -> its.front().pageCounts().of(kind),
                    "kind",
                    kind.text());
        }
    }

    private static List<MetricFamily> services(List<ServiceEntries.OpenEntry> entries) {
        MetricFamily clients = MetricFamily.counter(
                "service", "Clients of an entry for another protocol, by what became of them");
        MetricFamily refused =
                MetricFamily.counter("service_refused", "Refused clients of an entry, by reason");
        MetricFamily broken = MetricFamily.counter(
                "service_broken",
                "Connections of an entry that were reset before their end, by reason");
        for (ServiceEntries.OpenEntry open : entries) {
            for (ServiceCounts.Kind kind : ServiceCounts.Kind.values()) {
                sample(clients, open, open.counts().of(kind), "kind", ServiceCounts.text(kind));
            }
            for (ServiceRefusal reason : ServiceRefusal.values()) {
                sample(refused, open, open.counts().of(reason), "reason", reason.text());
            }
            for (TunnelResetReason reason : TunnelResetReason.values()) {
                sample(
                        broken,
                        open,
                        open.counts().of(reason),
                        "reason",
                        ServiceCounts.text(reason));
            }
        }
        return List.of(clients, refused, broken);
    }

    private static void sample(
            MetricFamily family,
            ServiceEntries.OpenEntry open,
            long count,
            String label,
            String value) {
        family.sample(
                count,
                "protocol",
                open.entry().protocol().text(),
                "listen",
                ServicePages.listens(open),
                "service",
                String.valueOf(open.entry().service()),
                label,
                value);
    }
}
