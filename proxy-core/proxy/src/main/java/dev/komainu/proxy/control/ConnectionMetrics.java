package dev.komainu.proxy.control;

import dev.komainu.proxy.connection.ReclaimFigures;
import dev.komainu.proxy.connection.ReclaimFigures.Level;
import dev.komainu.telemetry.metrics.MetricFamily;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of idle connections and of the resources that they hold; a part of
 * {@link MetricsPage}.
 */
final class ConnectionMetrics {

    private ConnectionMetrics() {}

    static List<MetricFamily> of(ReclaimFigures f) {
        MetricFamily idle = MetricFamily.gauge(
                "idle_connections", "Idle connections by side and age in seconds.");
        ages(idle, "client", f.clientAges());
        ages(idle, "origin", f.originAges());
        MetricFamily closed = MetricFamily.counter(
                "idle_closed", "Idle connections closed by the proxy, by side and reason.");
        for (ReclaimFigures.Closed part : f.closed()) {
            closed.sample(
                    part.count(),
                    "side",
                    part.side().text(),
                    "reason",
                    part.why().text());
        }
        return List.of(
                MetricFamily.gauge(
                                "reclaim_enabled",
                                "1 while idle connections are closed early when a resource is short.")
                        .sample(f.enabled() ? 1 : 0),
                MetricFamily.gauge(
                                "client_idle_timeout_seconds",
                                "Present idle timeout of client connections.")
                        .sample(f.clientIdleMillis() / 1000.0),
                idle,
                closed,
                levels(f, "resource_used", "Used amount of a resource.", Level::used),
                levels(f, "resource_limit", "Limit of a resource, in the same unit.", Level::limit),
                levels(
                        f,
                        "resource_reclaim_begin_ratio",
                        "Used share of a resource at which idle connections start to be closed.",
                        level -> level.threshold().beginPercent() / 100.0),
                levels(
                        f,
                        "resource_reclaim_end_ratio",
                        "Used share of a resource at which the closing ends.",
                        level -> level.threshold().endPercent() / 100.0),
                levels(
                        f,
                        "resource_short",
                        "1 while idle connections are closed for this resource.",
                        level -> level.isShort() ? 1 : 0));
    }

    private static void ages(MetricFamily family, String side, List<Integer> classes) {
        List<Integer> bounds = ReclaimFigures.AGE_SECONDS;
        for (int i = 0; i < classes.size(); i++) {
            String age = (i == 0 ? "0" : bounds.get(i - 1)) + "-"
                    + (i < bounds.size() ? bounds.get(i) : "");
            family.sample(classes.get(i), "side", side, "age", age);
        }
    }

    private static MetricFamily levels(
            ReclaimFigures f, String name, String help, ToDoubleFunction<Level> value) {
        MetricFamily family = MetricFamily.gauge(name, help);
        for (Level level : f.levels()) {
            if (level.limit() > 0) {
                family.sample(
                        value.applyAsDouble(level), "resource", level.resource().text());
            }
        }
        return family;
    }
}
