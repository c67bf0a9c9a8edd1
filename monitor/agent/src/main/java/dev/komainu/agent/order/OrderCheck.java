package dev.komainu.agent.order;

import dev.komainu.agent.discovery.configuration.ValueFilter;
import dev.komainu.telemetry.record.Order;
import java.util.regex.Pattern;

/** What every order must fulfil before anything is looked at. Pure. */
final class OrderCheck {

    /** Clocks of two hosts differ; an order from further in the future than this is none. */
    static final long SKEW_MICROS = 5 * 60 * 1_000_000L;

    /** Whatever it says itself, an older order is void. */
    static final long LONGEST_LIFE_MICROS = 60 * 60 * 1_000_000L;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SETTING =
            Pattern.compile("[A-Za-z][A-Za-z0-9_.:-]{0,80}( [a-z-]{1,40})?");

    private OrderCheck() {}

    /**
     * @throws OrderRefusedException with {@code malformed}, {@code other-node} or {@code expired}
     */
    static void check(Order order, String node, long nowMicros) throws OrderRefusedException {
        String wanted = order.wanted();
        boolean undoes = order.restores() != null;
        if (!ID.matcher(order.id()).matches()
                || !SETTING.matcher(order.setting()).matches()
                || undoes == (wanted != null)
                || undoes && !ID.matcher(String.valueOf(order.restores())).matches()
                || wanted != null && !isPlain(wanted)) {
            throw OrderRefusedException.untouched(
                    "malformed",
                    "order: " + order.setting() + " (expected: a setting and a plain value)");
        }
        if (!order.node().equals(node)) {
            throw OrderRefusedException.untouched(
                    "other-node", "node: " + order.node() + " (expected: " + node + ")");
        }
        boolean over = nowMicros > order.expiresMicros()
                || nowMicros - order.issuedMicros() > LONGEST_LIFE_MICROS;
        if (over || order.issuedMicros() - nowMicros > SKEW_MICROS) {
            throw OrderRefusedException.untouched(
                    "expired",
                    "valid for " + (order.expiresMicros() - order.issuedMicros()) / 1_000_000
                            + " s, " + (nowMicros - order.issuedMicros()) / 1_000_000
                            + " s old (is this host's clock right?)");
        }
    }

    /** A number or a known word, one line: nothing that could end a directive and begin another. */
    private static boolean isPlain(String value) {
        return !value.isBlank()
                && value.length() <= 64
                && value.chars().allMatch(c -> c >= ' ' && c < 127)
                && ValueFilter.is(value);
    }
}
