package dev.komainu.central.label;

import dev.komainu.telemetry.record.Label;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The labels of one service that count: each key once, the one of the origin with the highest
 * precedence, at most {@link Label#MOST_OF_A_SERVICE}. Immutable.
 *
 * @param all in order of their keys
 */
public record ServiceLabels(List<ServiceLabel> all) {

    public static final ServiceLabels NONE = new ServiceLabels(List.of());

    public ServiceLabels {
        all = List.copyOf(all);
    }

    /**
     * Returns the labels that count among these. Of two with one key and one origin, the first
     * counts. When there are more than a service may have, those of the lowest precedence are left
     * out.
     */
    static ServiceLabels of(Collection<ServiceLabel> given) {
        Map<String, ServiceLabel> byKey = new LinkedHashMap<>();
        given.stream()
                .filter(one -> one.label().isWellFormed())
                .sorted(Comparator.comparing(ServiceLabel::origin))
                .forEach(one -> byKey.putIfAbsent(one.key(), one));
        return byKey.isEmpty()
                ? NONE
                : new ServiceLabels(byKey.values().stream()
                        .limit(Label.MOST_OF_A_SERVICE)
                        .sorted(Comparator.comparing(ServiceLabel::key))
                        .toList());
    }

    /** Returns these labels, and those of {@code other} whose keys are not among them. */
    public ServiceLabels or(ServiceLabels other) {
        if (other.all.isEmpty()) {
            return this;
        }
        Map<String, ServiceLabel> byKey = new TreeMap<>();
        other.all.forEach(one -> byKey.put(one.key(), one));
        all.forEach(one -> byKey.put(one.key(), one));
        return new ServiceLabels(new ArrayList<>(byKey.values()));
    }

    /** Returns the value of a key; null when the service has no such label. */
    public @Nullable String value(String key) {
        for (ServiceLabel one : all) {
            if (one.key().equals(key)) {
                return one.value();
            }
        }
        return null;
    }

    public boolean has(Label label) {
        return label.value().equals(value(label.key()));
    }

    /** Returns the values by key, in order of the keys. */
    public SequencedMap<String, String> values() {
        SequencedMap<String, String> values = new LinkedHashMap<>();
        all.forEach(one -> values.put(one.key(), one.value()));
        return values;
    }
}
