package dev.komainu.organizer.line.kit;

import dev.komainu.organizer.line.LineSettings;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/**
 * Settings of lines that differ in some components, also in those that no file sets, and beyond the
 * range of a file.
 */
public final class Tuned {

    private Tuned() {}

    public static LineSettings withWindows(
            LineSettings usual, int streamBytes, int connectionBytes, long heldBytes) {
        return with(
                usual,
                Map.of(
                        "streamWindowBytes", streamBytes,
                        "connectionWindowBytes", connectionBytes,
                        "heldBytes", heldBytes));
    }

    public static LineSettings withTimes(
            LineSettings usual,
            Duration pingEvery,
            Duration silence,
            Duration backOff,
            Duration patience) {
        return with(
                usual,
                Map.of(
                        "pingEvery",
                        pingEvery,
                        "silence",
                        silence,
                        "backOff",
                        backOff,
                        "patience",
                        patience));
    }

    /**
     * Returns changed settings.
     *
     * @param changes values by component
     */
    public static LineSettings with(LineSettings usual, Map<String, Object> changes) {
        RecordComponent[] components = LineSettings.class.getRecordComponents();
        Object[] values = new Object[components.length];
        try {
            for (int i = 0; i < values.length; i++) {
                Object changed = changes.get(components[i].getName());
                values[i] = changed == null ? components[i].getAccessor().invoke(usual) : changed;
            }
            Class<?>[] types = Arrays.stream(components)
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<LineSettings> constructor =
                    LineSettings.class.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
