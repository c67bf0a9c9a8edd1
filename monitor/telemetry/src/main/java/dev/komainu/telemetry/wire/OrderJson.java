package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.OrderOutcome;
import java.util.Locale;

/** JSON of an order's outcome. */
final class OrderJson {

    private OrderJson() {}

    static void write(OrderOutcome it, JsonObjectWriter out) {
        out.text("order", it.order());
        out.text("node", it.node());
        out.text("service", it.service());
        out.text("state", it.state().name().toLowerCase(Locale.ROOT));
        out.text("reason", it.reason());
        out.text("detail", it.detail());
        out.text("file", it.file());
        out.text("before", it.before());
        out.text("after", it.after());
        out.int64("restored", it.restored() ? 1 : 0);
        out.int64("begunMicros", it.begunMicros());
        out.int64("atMicros", it.atMicros());
    }

    static OrderOutcome read(JsonObjectReader in) throws MalformedBatchException {
        return new OrderOutcome(
                in.text("order"),
                in.text("node"),
                in.text("service"),
                in.oneOf(
                        "state",
                        label -> OrderOutcome.State.valueOf(label.toUpperCase(Locale.ROOT)),
                        "done, refused, failed"),
                in.text("reason"),
                in.text("detail"),
                in.textOrAbsent("file"),
                in.textOrAbsent("before"),
                in.textOrAbsent("after"),
                in.count("restored") != 0,
                in.int64("begunMicros"),
                in.int64("atMicros"));
    }
}
