package dev.komainu.proxy;

import dev.komainu.intermediary.connection.Ending;
import dev.komainu.proxy.connection.ReclaimSettings;
import dev.komainu.proxy.connection.Threshold;
import dev.komainu.settings.SettingText;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Reads everything about the reclamation of idle connections. */
final class ReclaimValues {

    private ReclaimValues() {}

    /** @param idleTimeout {@code connections.idle-timeout}: where it is written, nobody stays longer unasked */
    static ReclaimSettings read(SettingValues values, Duration idleTimeout) {
        ReclaimSettings d = ReclaimSettings.DEFAULT;
        Duration plentiful = values.text("connections.idle-timeout") == null ? d.plentiful() : idleTimeout;
        Map<Ending, Threshold> own = new HashMap<>();
        values.list("connections.reclaim-at", ReclaimSettings::parse)
                .forEach(entry -> own.put(entry.getKey(), entry.getValue()));
        return new ReclaimSettings(
                values.value("connections.reclaim", d.enabled(), SettingText::truth),
                new Threshold(
                        values.value("connections.reclaim-begin", d.usual().beginPercent(), SettingText::integer),
                        values.value("connections.reclaim-end", d.usual().endPercent(), SettingText::integer)),
                own,
                values.value("connections.idle-timeout-plentiful", plentiful, SettingText::duration),
                values.value("connections.wait", d.patience(), SettingText::duration));
    }
}
