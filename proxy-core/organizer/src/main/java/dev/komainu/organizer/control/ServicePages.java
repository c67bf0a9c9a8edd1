package dev.komainu.organizer.control;

import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import dev.komainu.organizer.service.ServiceCounts;
import dev.komainu.organizer.service.ServiceEntries;
import dev.komainu.organizer.service.ServiceRefusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the endpoint tells of entries for other protocols. */
final class ServicePages {

    private ServicePages() {}

    static Map<String, Object> services(ServiceEntries services) {
        List<Object> all = new ArrayList<>();
        for (ServiceEntries.Open one : services.all()) {
            Map<String, Object> counts = new LinkedHashMap<>();
            for (ServiceCounts.Kind kind : ServiceCounts.Kind.values()) {
                counts.put(ServiceCounts.text(kind), one.counts().of(kind));
            }
            Map<String, Object> refused = new LinkedHashMap<>();
            for (ServiceRefusal why : ServiceRefusal.values()) {
                refused.put(why.text(), one.counts().of(why));
            }
            Map<String, Object> broken = new LinkedHashMap<>();
            for (TunnelResetReason why : TunnelResetReason.values()) {
                broken.put(ServiceCounts.text(why), one.counts().of(why));
            }
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("protocol", one.entry().protocol().text());
            entry.put("listen", listens(one));
            entry.put("service", one.entry().service());
            entry.put("open", open(one.counts()));
            entry.put("counts", counts);
            entry.put("refused", refused);
            entry.put("broken", broken);
            all.add(entry);
        }
        return Map.of("services", all);
    }

    private static String listens(ServiceEntries.Open one) {
        return one.listens().getAddress().getHostAddress() + ":" + one.listens().getPort();
    }

    private static long open(ServiceCounts counts) {
        return Math.max(
                0, counts.of(ServiceCounts.Kind.OPENED) - counts.of(ServiceCounts.Kind.ENDED));
    }

    static String metrics(ServiceEntries services) {
        StringBuilder out = new StringBuilder(1024);
        out.append(
                "# HELP komainu_organizer_service_total Clients of an entry for another protocol, by what became of them\n");
        out.append("# TYPE komainu_organizer_service_total counter\n");
        for (ServiceEntries.Open one : services.all()) {
            for (ServiceCounts.Kind kind : ServiceCounts.Kind.values()) {
                line(
                        out,
                        "komainu_organizer_service_total",
                        one,
                        "kind",
                        ServiceCounts.text(kind),
                        one.counts().of(kind));
            }
        }
        out.append(
                "# HELP komainu_organizer_service_refused_total What clients of an entry were refused, by reason\n");
        out.append("# TYPE komainu_organizer_service_refused_total counter\n");
        for (ServiceEntries.Open one : services.all()) {
            for (ServiceRefusal why : ServiceRefusal.values()) {
                line(
                        out,
                        "komainu_organizer_service_refused_total",
                        one,
                        "reason",
                        why.text(),
                        one.counts().of(why));
            }
        }
        out.append(
                "# HELP komainu_organizer_service_broken_total Connections of an entry that were reset in the middle, by reason\n");
        out.append("# TYPE komainu_organizer_service_broken_total counter\n");
        for (ServiceEntries.Open one : services.all()) {
            for (TunnelResetReason why : TunnelResetReason.values()) {
                line(
                        out,
                        "komainu_organizer_service_broken_total",
                        one,
                        "reason",
                        ServiceCounts.text(why),
                        one.counts().of(why));
            }
        }
        return out.toString();
    }

    private static void line(
            StringBuilder out,
            String name,
            ServiceEntries.Open one,
            String label,
            String value,
            long count) {
        out.append(name)
                .append("{protocol=\"")
                .append(one.entry().protocol().text())
                .append("\",listen=\"")
                .append(listens(one))
                .append("\",service=\"")
                .append(one.entry().service())
                .append("\",")
                .append(label)
                .append("=\"")
                .append(value)
                .append("\"} ")
                .append(count)
                .append('\n');
    }
}
