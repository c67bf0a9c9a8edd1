package dev.komainu.central.indices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of one server in phases: the values that packets, kernel and proxy report each second,
 * and the expected states. The test language of the state model; files are in {@code scenarios/}.
 *
 * @param story description, one or two sentences
 * @param kind server kind
 * @param settings of the server
 * @param phases in order
 * @param expect states over time
 */
public record Scenario(
        String story,
        @Nullable String kind,
        @Nullable Map<String, String> settings,
        List<Phase> phases,
        List<Expectation> expect) {

    /**
     * A phase of a scenario.
     *
     * @param seconds length
     * @param packets each second's window; absent: no window at all. Values are numbers or
     *     {@code A..B} (a ramp over the phase), {@code A/B} (alternating by the second),
     *     {@code A~N} (noise of N per cent, always the same)
     * @param host each ten seconds' sample; absent: none
     * @param proxy each second's window of Komainu's proxy; absent: none
     * @param origin each second's window of the origin side; absent: that side is not watched
     */
    public record Phase(
            int seconds,
            @Nullable Map<String, String> packets,
            @Nullable Map<String, String> host,
            @Nullable Map<String, String> proxy,
            @Nullable Map<String, String> origin) {

        private Phase with(String which, Map<String, String> with) {
            return new Phase(
                    seconds,
                    changed(packets, which + "packets.", with),
                    changed(host, which + "host.", with),
                    changed(proxy, which + "proxy.", with),
                    changed(origin, which + "origin.", with));
        }

        private static @Nullable Map<String, String> changed(
                @Nullable Map<String, String> before, String which, Map<String, String> with) {
            Map<String, String> values = new LinkedHashMap<>(before == null ? Map.of() : before);
            with.forEach((name, value) -> {
                if (name.startsWith(which)) {
                    values.put(name.substring(which.length()), value);
                }
            });
            values.values().removeIf("none"::equals);
            return values.isEmpty() ? before : values;
        }
    }

    /**
     * An expected state at an instant, a state reached within a time, a fault from its onset to its
     * end, or a state that must not occur.
     *
     * @param at second of the story
     * @param from with {@code until}: the state holds all the time between
     * @param state the expected state
     * @param within seconds after {@code at} in which it must be reached at the latest
     * @param namedWithin seconds after {@code from}, the fault's onset, in which {@code state} must
     *     be reached, and then kept until the fault ends at {@code until}, for each position of the
     *     onset within the agent's interval
     * @param recoveredWithin seconds after {@code until} in which {@code normal} must be reached,
     *     and then kept until the scenario ends or the next onset
     * @param never a state, or beginning of one, that never occurs
     */
    public record Expectation(
            @Nullable Integer at,
            @Nullable Integer from,
            @Nullable Integer until,
            @Nullable String state,
            @Nullable Integer within,
            @Nullable Integer namedWithin,
            @Nullable Integer recoveredWithin,
            @Nullable String never) {}

    /**
     * Returns the same scenario with other values.
     *
     * @param with {@code host.idle} and the like of the last phase, {@code usual.host.idle} of
     *     those before it, {@code settings.NAME}, {@code kind}; the value {@code none} removes one
     */
    public Scenario with(Map<String, String> with) {
        Map<String, String> set = new LinkedHashMap<>(settings == null ? Map.of() : settings);
        with.forEach((name, value) -> {
            if (name.startsWith("settings.")) {
                set.put(name.substring("settings.".length()), value);
            }
        });
        List<Phase> changed = new ArrayList<>();
        for (Phase phase : phases) {
            changed.add(phase.with(phase == phases.getLast() ? "" : "usual.", with));
        }
        return new Scenario(story, with.getOrDefault("kind", kind), set, changed, expect);
    }

    /** Returns the value of a field at a second of a phase. */
    static double value(String written, int second, int length) {
        if (written.contains("..")) {
            String[] ends = written.split("\\.\\.");
            double from = Double.parseDouble(ends[0]);
            return from + (Double.parseDouble(ends[1]) - from) * second / Math.max(1, length - 1);
        }
        if (written.contains("/")) {
            String[] turns = written.split("/");
            return Double.parseDouble(turns[second % turns.length]);
        }
        if (written.contains("~")) {
            String[] parts = written.split("~");
            double base = Double.parseDouble(parts[0]);
            double wave = Math.sin(second * 12.9898) * 43_758.5453;
            return base
                    * (1
                            + (wave - Math.floor(wave) - 0.5)
                                    * 2
                                    * Double.parseDouble(parts[1])
                                    / 100);
        }
        return Double.parseDouble(written);
    }

    static Map<String, Double> values(
            @Nullable Map<String, String> written, int second, int length) {
        Map<String, Double> values = new LinkedHashMap<>();
        if (written != null) {
            written.forEach((name, value) -> values.put(name, value(value, second, length)));
        }
        return values;
    }
}
