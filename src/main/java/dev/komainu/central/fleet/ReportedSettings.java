package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one service, by source. Komainu's proxy reports its own settings and an agent
 * beside it the host's: neither list replaces the other, and only a value that one source reported
 * differently before is a change.
 *
 * <p>Guarded by the fleet's lock.
 */
final class ReportedSettings {

    /**
     * Time after which settings from before a restart of the central service are dropped if no
     * source reports them again.
     */
    private static final long REMEMBERED_MICROS = 15 * 60 * 1_000_000L;

    private final Map<String, Map<String, Setting>> bySource = new LinkedHashMap<>();
    private final Map<String, Setting> remembered = new LinkedHashMap<>();
    private final long sinceMicros;

    /**
     * Creates the settings after a restart.
     *
     * @param remembered settings stored in the control database, without their sources
     */
    ReportedSettings(Collection<Setting> remembered, long nowMicros) {
        remembered.forEach(setting -> this.remembered.put(setting.name(), setting));
        this.sinceMicros = nowMicros;
    }

    /**
     * The difference of one setting; at least one value is present.
     *
     * @param before previous value; absent when it is new
     * @param after present value; absent when it is gone
     */
    record Difference(@Nullable Setting before, @Nullable Setting after) {}

    /**
     * Replaces one source's list.
     *
     * @return the differences from its previous list; an empty list is ignored
     */
    List<Difference> replace(String source, List<Setting> settings, long nowMicros) {
        if (nowMicros - sinceMicros > REMEMBERED_MICROS) {
            remembered.clear();
        }
        List<Difference> differences = new ArrayList<>();
        if (settings.isEmpty()) {
            return differences;
        }
        Map<String, Setting> previous = bySource.get(source);
        Map<String, Setting> current = new LinkedHashMap<>();
        for (Setting setting : settings) {
            current.put(setting.name(), setting);
            Setting old = previous == null
                    ? remembered.remove(setting.name())
                    : previous.get(setting.name());
            boolean appeared = old == null && previous != null;
            if (appeared || (old != null && !old.value().equals(setting.value()))) {
                differences.add(new Difference(old, setting));
            }
        }
        if (previous != null) {
            previous.forEach((name, old) -> {
                if (!current.containsKey(name)) {
                    differences.add(new Difference(old, null));
                }
            });
        }
        bySource.put(source, current);
        return differences;
    }

    /**
     * Returns all settings, each name once; the source that reported a setting first has
     * precedence.
     */
    List<Setting> all() {
        Map<String, Setting> all = new LinkedHashMap<>();
        bySource.values().forEach(reported -> reported.forEach(all::putIfAbsent));
        remembered.forEach(all::putIfAbsent);
        return List.copyOf(all.values());
    }
}
