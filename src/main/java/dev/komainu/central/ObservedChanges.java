package dev.komainu.central;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetListener;
import dev.komainu.central.order.Orders;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The recorder of setting changes that agents report, whatever their cause. The charts mark each of
 * them.
 */
@Component
final class ObservedChanges implements FleetListener {

    /**
     * Prefix of the keys under which discovery reports facts about files, such as that a file is
     * not loaded yet. They are not changes of settings.
     */
    private static final String NOT_A_SETTING = "file:";

    private static final int LONGEST_VALUE = 2_000;

    /**
     * Longest delay until an agent observes the effect of an order: run-time parameters are read
     * every two minutes.
     */
    private static final Duration ORDER_DELAY = Duration.ofSeconds(150);

    private final Changes changes;
    private final Orders orders;

    ObservedChanges(Changes changes, Orders orders, Fleet fleet) {
        this.changes = changes;
        this.orders = orders;
        fleet.listen(this);
    }

    @Override
    public void settingChanged(SettingChange change) {
        if (change.setting().startsWith(NOT_A_SETTING)
                || orders.isFromOrder(
                        change.service(), change.setting(), change.after(), ORDER_DELAY)) {
            return;
        }
        String title =
                change.setting() + ": " + shown(change.before()) + " → " + shown(change.after());
        changes.record(
                new Change.Wish(
                        change.service(),
                        title.length() > 200 ? title.substring(0, 199) + "…" : title,
                        change.setting(),
                        cut(change.before()),
                        cut(change.after()),
                        null,
                        null,
                        "Observed in " + change.source()),
                Change.AGENT,
                null);
    }

    @Override
    public void restarted(String service, long atMicros) {
        if (orders.restarted(service, ORDER_DELAY)) {
            return;
        }
        changes.record(
                new Change.Wish(
                        service,
                        "Restarted: the listening process has changed",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null),
                Change.AGENT,
                null);
    }

    private static String shown(@Nullable String value) {
        return value == null ? "–" : value;
    }

    private static @Nullable String cut(@Nullable String value) {
        return value == null || value.length() <= LONGEST_VALUE
                ? value
                : value.substring(0, LONGEST_VALUE);
    }
}
