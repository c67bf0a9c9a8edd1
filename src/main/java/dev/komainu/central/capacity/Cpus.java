package dev.komainu.central.capacity;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.BitSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The CPUs that one server may use: those that its affinity or cpuset allows ({@code limit:cpus},
 * from {@code /proc/PID/status}), and the time that its control group allows
 * ({@code cgroup:cpu.max}). Immutable, pure.
 *
 * @param allowed numbers of the CPUs; empty: all
 * @param cores number of CPUs; absent without a host sample
 * @param quota CPU seconds a second; absent without a limit
 */
record Cpus(
        BitSet allowed, @Nullable Double cores, @Nullable Double quota) {

    private static final int MOST = 4_096;
    private static final Pattern LIST =
            Pattern.compile("\\d{1,5}(-\\d{1,5})?(,\\d{1,5}(-\\d{1,5})?)*");

    /**
     * Reads the settings of a service.
     *
     * @param present CPUs of its host; 0: not known
     */
    static Cpus of(ServiceProfile service, int present) {
        BitSet allowed = list(service.setting("limit:cpus"));
        if (present > 0 && !allowed.isEmpty()) {
            allowed.clear(present, Math.max(present, allowed.length()));
        }
        int count = allowed.isEmpty() ? present : allowed.cardinality();
        return new Cpus(
                allowed,
                present == 0 ? null : (double) count,
                quota(service.setting("cgroup:cpu.max")));
    }

    /** Parses {@code 0-3,8}; empty when the setting is absent or malformed. */
    private static BitSet list(@Nullable Setting setting) {
        BitSet cpus = new BitSet();
        if (setting == null || !LIST.matcher(setting.value()).matches()) {
            return cpus;
        }
        for (String range : setting.value().split(",")) {
            String[] ends = range.split("-");
            int from = Integer.parseInt(ends[0]);
            int to = Integer.parseInt(ends[ends.length - 1]);
            if (from <= to && to < MOST) {
                cpus.set(from, to + 1);
            }
        }
        return cpus;
    }

    /** Parses {@code 50000 100000}: microseconds of each period; {@code max}: no limit. */
    private static @Nullable Double quota(@Nullable Setting setting) {
        if (setting == null || !setting.value().matches("\\d{1,15} \\d{1,15}")) {
            return null;
        }
        String[] parts = setting.value().split(" ");
        double period = Double.parseDouble(parts[1]);
        double quota = Double.parseDouble(parts[0]) / period;
        return period > 0 && quota > 0 ? quota : null;
    }

    /**
     * Returns the used share of the CPUs that the server may use, by any process; {@code NaN} where
     * the sample names none of them.
     */
    double busy(HostSample sample) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < sample.resources().cpus().size(); i++) {
            if (allowed.isEmpty() || allowed.get(i)) {
                CpuShare cpu = sample.resources().cpus().get(i);
                sum += cpu.user() + cpu.kernel() + cpu.steal();
                count++;
            }
        }
        return count == 0 ? Double.NaN : sum / count;
    }
}
