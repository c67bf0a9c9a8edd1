package dev.komainu.agent.order;

import dev.komainu.agent.discovery.configuration.ValueFilter;
import dev.komainu.telemetry.record.Order;
import java.util.regex.Pattern;

/** The conditions every order must fulfil before any file is read. Pure. */
final class OrderCheck {

    /** Tolerated clock difference of two hosts. An order from further in the future is refused. */
    static final long SKEW_MICROS = 5 * 60 * 1_000_000L;

    /** Maximum age of an order, whatever its own expiry is. */
    static final long LONGEST_LIFE_MICROS = 60 * 60 * 1_000_000L;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SETTING =
            Pattern.compile("[A-Za-z][A-Za-z0-9_.:-]{0,80}( [a-z-]{1,40})?");

    private OrderCheck() {}

    /**
     * Checks an order.
     *
     * @throws OrderRefusedException with {@code malformed}, {@code other-node} or {@code expired}
     */
    static void check(Order order, String node, long nowMicros) throws OrderRefusedException {
        String requested = order.wanted();
        boolean isUndo = order.restores() != null;
        if (!ID.matcher(order.id()).matches()
                || !SETTING.matcher(order.setting()).matches()
                || order.epoch() < 0
                || isUndo == (requested != null)
                || (isUndo && !ID.matcher(String.valueOf(order.restores())).matches())
                || (requested != null && !isPlain(requested))) {
            throw OrderRefusedException.untouched(
                    "malformed",
                    "order: " + order.setting() + " (expected: a setting and a plain value)");
        }
        if (!order.node().equals(node)) {
            throw OrderRefusedException.untouched(
                    "other-node", "node: " + order.node() + " (expected: " + node + ")");
        }
        boolean isExpired = nowMicros > order.expiresMicros()
                || nowMicros - order.issuedMicros() > LONGEST_LIFE_MICROS;
        if (isExpired || order.issuedMicros() - nowMicros > SKEW_MICROS) {
            throw OrderRefusedException.untouched(
                    "expired",
                    "valid for " + (order.expiresMicros() - order.issuedMicros()) / 1_000_000
                            + " s, " + (nowMicros - order.issuedMicros()) / 1_000_000
                            + " s old (check this host's clock)");
        }
    }

    /**
     * Reports whether a value is a number or a known word on one line, so that it cannot end a
     * directive and begin another.
     */
    private static boolean isPlain(String value) {
        return !value.isBlank()
                && value.length() <= 64
                && value.chars().allMatch(c -> c >= ' ' && c < 127)
                && ValueFilter.accepts(value);
    }
}
