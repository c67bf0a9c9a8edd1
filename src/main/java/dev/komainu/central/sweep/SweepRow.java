package dev.komainu.central.sweep;

import dev.komainu.central.sweep.SweepVerdict.OnFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The verdict on one service of a recording with one threshold multiplied; a line of a part's file.
 *
 * @param mark position of the threshold; {@link #BASE} for the thresholds in use
 * @param factor position of the factor
 */
record SweepRow(int mark, int factor, String service, SweepVerdict verdict) {

    static final int BASE = -1;

    String line() {
        StringBuilder faults = new StringBuilder();
        for (OnFault fault : verdict.faults()) {
            faults.append(faults.isEmpty() ? "" : ",")
                    .append(fault.right() ? 1 : 0)
                    .append(':')
                    .append(String.format(Locale.ROOT, "%.3f", fault.delay()));
        }
        return String.join(
                "\t",
                "" + mark,
                "" + factor,
                service,
                "" + verdict.alarms(),
                String.format(Locale.ROOT, "%.6f", verdict.hours()),
                faults);
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException when it is no such line
     */
    static SweepRow of(String line) {
        String[] parts = line.split("\t", -1);
        if (parts.length != 6) {
            throw new IllegalArgumentException(line + " (expected: six columns)");
        }
        List<OnFault> faults = new ArrayList<>();
        if (!parts[5].isEmpty()) {
            for (String fault : parts[5].split(",", -1)) {
                int colon = fault.indexOf(':');
                faults.add(new OnFault(
                        fault.startsWith("1"), Double.parseDouble(fault.substring(colon + 1))));
            }
        }
        return new SweepRow(
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                parts[2],
                new SweepVerdict(faults, Integer.parseInt(parts[3]), Double.parseDouble(parts[4])));
    }
}
