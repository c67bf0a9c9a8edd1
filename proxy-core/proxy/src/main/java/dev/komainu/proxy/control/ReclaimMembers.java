package dev.komainu.proxy.control;

import dev.komainu.proxy.connection.ReclaimFigures;
import java.util.LinkedHashMap;
import java.util.Map;

/** The members of {@code /control/v1/stats} on idle connections and their resources. */
final class ReclaimMembers {

    private ReclaimMembers() {}

    static Map<String, Object> of(ReclaimFigures f) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("enabled", f.enabled());
        all.put("clientIdleMillis", f.clientIdleMillis());
        all.put("resources", f.levels().stream().map(ReclaimMembers::level).toList());
        all.put("ageSeconds", ReclaimFigures.AGE_SECONDS);
        all.put("idleClients", f.clientAges());
        all.put("idleOrigins", f.originAges());
        all.put("closed", f.closed().stream().map(ReclaimMembers::closed).toList());
        return all;
    }

    private static Map<String, Object> level(ReclaimFigures.Level level) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("resource", level.resource().text());
        members.put("used", level.limit() > 0 ? level.used() : null);
        members.put("limit", level.limit() > 0 ? level.limit() : null);
        members.put("beginPercent", level.threshold().beginPercent());
        members.put("endPercent", level.threshold().endPercent());
        members.put("short", level.isShort());
        return members;
    }

    private static Map<String, Object> closed(ReclaimFigures.Closed closed) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("side", closed.side().text());
        members.put("reason", closed.why().text());
        members.put("count", closed.count());
        return members;
    }
}
