package dev.komainu.central;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetListener;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Writes down every change of a setting that agents saw, whoever made it, so that it marks the charts. */
@Component
final class SightedChanges implements FleetListener {

    private static final int LONGEST_VALUE = 2_000;

    private final Changes changes;

    SightedChanges(Changes changes, Fleet fleet) {
        this.changes = changes;
        fleet.listen(this);
    }

    @Override
    public void settingChanged(SettingChange change) {
        String title = change.setting() + ": " + shown(change.before()) + " → " + shown(change.after());
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
        changes.record(
                new Change.Wish(service, "Restarted: another process listens", null, null, null, null, null, null),
                Change.AGENT,
                null);
    }

    private static String shown(@Nullable String value) {
        return value == null ? "–" : value;
    }

    private static @Nullable String cut(@Nullable String value) {
        return value == null || value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE);
    }
}
