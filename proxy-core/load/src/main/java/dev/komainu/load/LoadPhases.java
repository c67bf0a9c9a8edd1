package dev.komainu.load;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of visits a second, by steps. Written {@code 100x60,200x60}: a hundred a second for a
 * minute, then two hundred; {@code 20-80x30} increases evenly from twenty to eighty within thirty
 * seconds. A step may have a name, {@code peak:200x60}; otherwise its name is its number, from 1.
 */
record LoadPhases(List<Phase> steps) {

    private static final Pattern STEP = Pattern.compile(
            "(?:([a-z][a-z0-9-]{0,23}):)?([0-9]{1,6}(?:\\.[0-9]+)?)(?:-([0-9]{1,6}(?:\\.[0-9]+)?))?x([0-9]{1,6}(?:\\.[0-9]+)?)");

    LoadPhases {
        steps = List.copyOf(steps);
    }

    /**
     * One step.
     *
     * @param name name in reports
     * @param from visits per second at its start
     * @param to visits per second at its end
     * @param seconds its length
     */
    record Phase(String name, double from, double to, double seconds) {}

    /**
     * Parses an option.
     *
     * @throws IllegalArgumentException with the invalid step
     */
    static LoadPhases parse(String text) {
        List<Phase> steps = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher step = STEP.matcher(part);
            if (!step.matches()) {
                throw new IllegalArgumentException(
                        "--phases: " + part + " (expected: RATExSECONDS or FROM-TOxSECONDS)");
            }
            double from = Double.parseDouble(step.group(2));
            double to = step.group(3) == null ? from : Double.parseDouble(step.group(3));
            double seconds = Double.parseDouble(step.group(4));
            if (seconds <= 0) {
                throw new IllegalArgumentException(
                        "--phases: " + part + " (expected: more than 0 seconds)");
            }
            String name =
                    step.group(1) == null ? Integer.toString(steps.size() + 1) : step.group(1);
            steps.add(new Phase(name, from, to, seconds));
        }
        return new LoadPhases(steps);
    }

    double seconds() {
        return steps.stream().mapToDouble(Phase::seconds).sum();
    }

    /** Returns the index of the step at {@code second}, from 0; the last one for later instants. */
    int stepAt(double second) {
        double t = second;
        for (int i = 0; i < steps.size() - 1; i++) {
            t -= steps.get(i).seconds();
            if (t < 0) {
                return i;
            }
        }
        return steps.size() - 1;
    }

    /** Returns the visits a second at {@code second} since the start; 0 after the last step. */
    double rateAt(double second) {
        double t = second;
        for (Phase step : steps) {
            if (t < step.seconds()) {
                return step.from() + (step.to() - step.from()) * t / step.seconds();
            }
            t -= step.seconds();
        }
        return 0;
    }
}
