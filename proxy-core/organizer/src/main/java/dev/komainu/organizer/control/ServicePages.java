package dev.komainu.organizer.control;

import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import dev.komainu.organizer.service.ServiceCounts;
import dev.komainu.organizer.service.ServiceEntries;
import dev.komainu.organizer.service.ServiceRefusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The pages of the control endpoint about the entries for other protocols. */
final class ServicePages {

    private ServicePages() {}

    static Map<String, Object> services(ServiceEntries services) {
        List<Object> all = new ArrayList<>();
        for (ServiceEntries.OpenEntry open : services.all()) {
            Map<String, Object> counts = new LinkedHashMap<>();
            for (ServiceCounts.Kind kind : ServiceCounts.Kind.values()) {
                counts.put(ServiceCounts.text(kind), open.counts().of(kind));
            }
            Map<String, Object> refused = new LinkedHashMap<>();
            for (ServiceRefusal reason : ServiceRefusal.values()) {
                refused.put(reason.text(), open.counts().of(reason));
            }
            Map<String, Object> broken = new LinkedHashMap<>();
            for (TunnelResetReason reason : TunnelResetReason.values()) {
                broken.put(ServiceCounts.text(reason), open.counts().of(reason));
            }
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("protocol", open.entry().protocol().text());
            entry.put("listen", listens(open));
            entry.put("service", open.entry().service());
            entry.put("open", open(open.counts()));
            entry.put("counts", counts);
            entry.put("refused", refused);
            entry.put("broken", broken);
            all.add(entry);
        }
        return Map.of("services", all);
    }

    static String listens(ServiceEntries.OpenEntry open) {
        return open.listens().getAddress().getHostAddress() + ":"
                + open.listens().getPort();
    }

    private static long open(ServiceCounts counts) {
        return Math.max(
                0, counts.of(ServiceCounts.Kind.OPENED) - counts.of(ServiceCounts.Kind.ENDED));
    }
}
