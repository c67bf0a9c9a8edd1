package dev.komainu.central.group;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The settings of servers side by side, those that differ first. Pure. */
public final class SettingsTable {

    private SettingsTable() {}

    /**
     * One setting.
     *
     * @param differs whether two of the members have different values
     * @param odd the only member whose value differs from that of all others; absent when there is
     *     none, or when there are fewer than three members
     * @param values by member; null when it does not report the setting
     */
    public record Row(
            String name,
            boolean differs,
            @Nullable String odd,
            Map<String, @Nullable String> values) {}

    /** Compares the settings of these servers; those that name a process are left out. */
    public static List<Row> of(Collection<ServiceProfile> members) {
        Map<String, Map<String, String>> byName = new TreeMap<>();
        for (ServiceProfile member : members) {
            for (Setting setting : member.settings()) {
                if (isComparable(setting.name())) {
                    byName.computeIfAbsent(setting.name(), name -> new HashMap<>())
                            .put(member.id(), setting.value());
                }
            }
        }
        List<Row> rows = new ArrayList<>();
        byName.forEach((name, given) -> {
            Map<String, @Nullable String> values = new LinkedHashMap<>();
            members.forEach(member -> values.put(member.id(), given.get(member.id())));
            boolean differs = new HashSet<>(values.values()).size() > 1;
            rows.add(new Row(name, differs, differs ? odd(values) : null, values));
        });
        rows.sort(Comparator.comparing((Row row) -> row.odd() == null)
                .thenComparing(row -> !row.differs())
                .thenComparing(Row::name));
        return rows;
    }

    private static boolean isComparable(String name) {
        return !name.equals(ServiceSighting.OF_POOL + "process")
                && !name.startsWith("origin:")
                && !name.equals("file:config-pending");
    }

    private static @Nullable String odd(Map<String, @Nullable String> values) {
        if (values.size() <= MirrorWatch.LEAST_PEERS) {
            return null;
        }
        String odd = null;
        for (Map.Entry<String, @Nullable String> one : values.entrySet()) {
            long equal = values.values().stream()
                    .filter(value -> Objects.equals(value, one.getValue()))
                    .count();
            if (equal == 1) {
                if (odd != null) {
                    return null;
                }
                odd = one.getKey();
            } else if (equal != values.size() - 1) {
                return null;
            }
        }
        return odd;
    }
}
