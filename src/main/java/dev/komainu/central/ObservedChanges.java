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
 * Records every change of a setting that agents report, whatever caused it, so that the charts mark
 * it.
 */
@Component
final class ObservedChanges implements FleetListener {

    /**
     * Beginning of the keys by which discovery reports facts about files, such as that one is not
     * loaded yet. They are no changes of settings.
     */
    private static final String NOT_A_SETTING = "file:";

    private static final int LONGEST_VALUE = 2_000;

    /**
     * Kernel values are looked at every two minutes: so late may an agent see what an order of ours
     * did.
     */
    private static final Duration OUR_OWN = Duration.ofSeconds(150);

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
                || orders.isOurs(change.service(), change.setting(), change.after(), OUR_OWN)) {
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
                        "Seen in " + change.source()),
                Change.AGENT,
                null);
    }

    @Override
    public void restarted(String service, long atMicros) {
        if (orders.restarted(service, OUR_OWN)) {
            return;
        }
        changes.record(
                new Change.Wish(
                        service,
                        "Restarted: another process listens",
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
