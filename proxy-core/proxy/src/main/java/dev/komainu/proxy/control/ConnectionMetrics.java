package dev.komainu.proxy.control;

import dev.komainu.proxy.connection.ReclaimFigures;
import dev.komainu.proxy.connection.ReclaimFigures.Level;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of idle connections and of the resources that they hold; a part of
 * {@link MetricsPage}.
 */
final class ConnectionMetrics {

    private final StringBuilder out = new StringBuilder();

    private ConnectionMetrics() {}

    static StringBuilder of(ReclaimFigures f) {
        ConnectionMetrics page = new ConnectionMetrics();
        page.head(
                "reclaim_enabled",
                "gauge",
                "1 while idle connections are closed early when a resource is short.");
        page.line("reclaim_enabled", "", f.enabled() ? 1 : 0);
        page.head(
                "client_idle_timeout_seconds",
                "gauge",
                "Present idle timeout of client connections.");
        page.line("client_idle_timeout_seconds", "", f.clientIdleMillis() / 1000.0);
        page.head("idle_connections", "gauge", "Idle connections by side and age in seconds.");
        page.ages("client", f.clientAges());
        page.ages("origin", f.originAges());
        page.head(
                "idle_closed_total",
                "counter",
                "Idle connections closed by the proxy, by side and reason.");
        for (ReclaimFigures.Closed closed : f.closed()) {
            page.line(
                    "idle_closed_total",
                    "side=\"" + closed.side().text() + "\",reason=\""
                            + closed.why().text() + "\"",
                    (double) closed.count());
        }
        page.levels(f.levels(), "resource_used", "Used amount of a resource.", Level::used);
        page.levels(
                f.levels(),
                "resource_limit",
                "Limit of a resource, in the same unit.",
                Level::limit);
        page.levels(
                f.levels(),
                "resource_reclaim_begin_ratio",
                "Used share of a resource at which idle connections start to be closed.",
                level -> level.threshold().beginPercent() / 100.0);
        page.levels(
                f.levels(),
                "resource_reclaim_end_ratio",
                "Used share of a resource at which the closing ends.",
                level -> level.threshold().endPercent() / 100.0);
        page.levels(
                f.levels(),
                "resource_short",
                "1 while idle connections are closed for this resource.",
                level -> level.isShort() ? 1 : 0);
        return page.out;
    }

    private void ages(String side, List<Integer> classes) {
        List<Integer> bounds = ReclaimFigures.AGE_SECONDS;
        for (int i = 0; i < classes.size(); i++) {
            String age = (i == 0 ? "0" : bounds.get(i - 1)) + "-"
                    + (i < bounds.size() ? bounds.get(i) : "");
            line("idle_connections", "side=\"" + side + "\",age=\"" + age + "\"", classes.get(i));
        }
    }

    private void levels(
            List<Level> levels, String name, String help, ToDoubleFunction<Level> value) {
        head(name, "gauge", help);
        for (Level level : levels) {
            if (level.limit() > 0) {
                line(
                        name,
                        "resource=\"" + level.resource().text() + "\"",
                        value.applyAsDouble(level));
            }
        }
    }

    private void head(String name, String type, String help) {
        out.append("# HELP komainu_proxy_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE komainu_proxy_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void line(String name, String labels, double value) {
        out.append("komainu_proxy_").append(name);
        if (!labels.isEmpty()) {
            out.append('{').append(labels).append('}');
        }
        out.append(' ')
                .append(
                        value == Math.rint(value)
                                ? Long.toString((long) value)
                                : Double.toString(value))
                .append('\n');
    }
}
