package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one service, by who told them. Our proxy tells its own settings and an agent
 * beside it the host's: neither list replaces the other, and only what one source told differently
 * from before is a change.
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

    /** @param remembered settings kept in the control database, tellers forgotten */
    ReportedSettings(Collection<Setting> remembered, long nowMicros) {
        remembered.forEach(setting -> this.remembered.put(setting.name(), setting));
        this.sinceMicros = nowMicros;
    }

    /** @param then absent when it is new, @param now absent when it is gone; never both */
    record Difference(@Nullable Setting then, @Nullable Setting now) {}

    /**
     * Takes one source's whole list and says what differs from what it told before. An empty list
     * says nothing.
     */
    List<Difference> tell(String source, List<Setting> settings, long nowMicros) {
        if (nowMicros - sinceMicros > REMEMBERED_MICROS) {
            remembered.clear();
        }
        List<Difference> differences = new ArrayList<>();
        if (settings.isEmpty()) {
            return differences;
        }
        Map<String, Setting> before = bySource.get(source);
        Map<String, Setting> after = new LinkedHashMap<>();
        for (Setting now : settings) {
            after.put(now.name(), now);
            Setting then = before == null ? remembered.remove(now.name()) : before.get(now.name());
            boolean appeared = then == null && before != null;
            if (appeared || (then != null && !then.value().equals(now.value()))) {
                differences.add(new Difference(then, now));
            }
        }
        if (before != null) {
            before.forEach((name, then) -> {
                if (!after.containsKey(name)) {
                    differences.add(new Difference(then, null));
                }
            });
        }
        bySource.put(source, after);
        return differences;
    }

    /** Everything told, each name once; the source that told first goes first. */
    List<Setting> all() {
        Map<String, Setting> all = new LinkedHashMap<>();
        bySource.values().forEach(told -> told.forEach(all::putIfAbsent));
        remembered.forEach(all::putIfAbsent);
        return List.copyOf(all.values());
    }
}
