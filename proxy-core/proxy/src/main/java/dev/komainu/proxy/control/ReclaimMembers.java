package dev.komainu.proxy.control;

import dev.komainu.proxy.connection.ReclaimFigures;
import java.util.LinkedHashMap;
import java.util.Map;

/** Idle connections and what they hold, as {@code /control/v1/stats} tells them. */
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
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("resource", level.resource().text());
        told.put("used", level.limit() > 0 ? level.used() : null);
        told.put("limit", level.limit() > 0 ? level.limit() : null);
        told.put("beginPercent", level.threshold().beginPercent());
        told.put("endPercent", level.threshold().endPercent());
        told.put("short", level.isShort());
        return told;
    }

    private static Map<String, Object> closed(ReclaimFigures.Closed closed) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("side", closed.side().text());
        told.put("reason", closed.why().text());
        told.put("count", closed.count());
        return told;
    }
}
