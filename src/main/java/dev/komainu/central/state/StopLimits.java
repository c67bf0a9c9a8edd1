package dev.komainu.central.state;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;

/** The limits of the classification of stops by their names, for trying other ones. */
public final class StopLimits {

    private StopLimits() {}

    /** Returns the limits in use. Those in whole seconds are whole numbers. */
    public static Map<String, Double> usual() {
        Map<String, Double> limits = new LinkedHashMap<>();
        for (RecordComponent limit : StopClassifier.Limits.class.getRecordComponents()) {
            limits.put(limit.getName(), value(limit));
        }
        return limits;
    }

    /** Reports whether a limit is a whole number. */
    public static boolean isWhole(String name) {
        for (RecordComponent limit : StopClassifier.Limits.class.getRecordComponents()) {
            if (limit.getName().equals(name)) {
                return limit.getType() != double.class;
            }
        }
        throw new IllegalArgumentException(
                "limit: " + name + " (expected: one of " + usual().keySet() + ")");
    }

    /**
     * Returns a model with other limits.
     *
     * @param changed limits by name; the others stay
     */
    public static StateModel model(
            RuleSet ruleSet, RulesByService rules, Map<String, Double> changed) {
        return new StateModel(ruleSet, rules, limits(changed));
    }

    private static StopClassifier.Limits limits(Map<String, Double> changed) {
        RecordComponent[] components = StopClassifier.Limits.class.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            Double other = changed.get(components[i].getName());
            double value = other == null ? value(components[i]) : other;
            if (types[i] == double.class) {
                values[i] = value;
            } else {
                values[i] = (int) Math.round(value);
            }
        }
        try {
            Constructor<StopClassifier.Limits> constructor =
                    StopClassifier.Limits.class.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("limits of stops", e);
        }
    }

    private static double value(RecordComponent limit) {
        try {
            return ((Number) limit.getAccessor().invoke(StopClassifier.Limits.USUAL)).doubleValue();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("limit " + limit.getName(), e);
        }
    }
}
