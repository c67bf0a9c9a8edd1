package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.Sensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The temperatures by the kernel's sensors, hwmon and thermal zones (kernel:
 * Documentation/hwmon/sysfs-interface.rst, Documentation/driver-api/thermal/sysfs-api.rst).
 */
public final class Temperatures {

    private static final int MOST = 64;
    private static final double MILLI = 1_000;

    /** Above this a limit is a default of the driver and not one of the part. */
    private static final double HIGHEST_LIMIT = 150;

    private static final Set<String> CPU_SENSORS =
            Set.of("coretemp", "k10temp", "zenpower", "cpu_thermal");
    private static final Set<String> CPU_ZONES =
            Set.of("x86_pkg_temp", "cpu-thermal", "cpu_thermal");
    private static final Pattern INPUT = Pattern.compile("(temp\\d+)_input");
    private static final Pattern TRIP = Pattern.compile("(trip_point_\\d+)_type");

    private Temperatures() {}

    /**
     * All temperatures.
     *
     * @param cpuCelsius the highest temperature of the CPU; null without a sensor
     */
    public record Reading(List<Sensor> sensors, @Nullable Double cpuCelsius) {}

    /** Reads the sensors, at most 64. */
    public static Reading read(Path sys) {
        List<Sensor> sensors = new ArrayList<>();
        Double highest = null;
        for (Path chip : SysFiles.entries(sys.resolve("class/hwmon"))) {
            String name = SysFiles.text(chip.resolve("name"));
            for (Path file : name == null ? List.<Path>of() : SysFiles.entries(chip)) {
                Matcher input = INPUT.matcher(file.getFileName().toString());
                Double celsius = input.matches() ? celsius(file) : null;
                if (celsius != null && name != null) {
                    if (CPU_SENSORS.contains(name)) {
                        highest = highest == null ? celsius : Math.max(highest, celsius);
                    }
                    add(sensors, chip(chip, name, input.group(1), celsius));
                }
            }
        }
        for (Path zone : SysFiles.entries(sys.resolve("class/thermal"))) {
            String type = SysFiles.text(zone.resolve("type"));
            Double celsius = celsius(zone.resolve("temp"));
            if (type != null && celsius != null) {
                if (CPU_ZONES.contains(type)) {
                    highest = highest == null ? celsius : Math.max(highest, celsius);
                }
                add(sensors, new Sensor(type, celsius, criticalTrip(zone)));
            }
        }
        return new Reading(sensors, highest);
    }

    private static void add(List<Sensor> sensors, Sensor sensor) {
        if (sensors.size() < MOST) {
            sensors.add(sensor);
        }
    }

    private static Sensor chip(Path chip, String name, String input, double celsius) {
        String label = SysFiles.text(chip.resolve(input + "_label"));
        Double limit = limit(celsius(chip.resolve(input + "_crit")));
        return new Sensor(
                label == null ? name : name + " " + label,
                celsius,
                limit == null ? limit(celsius(chip.resolve(input + "_max"))) : limit);
    }

    private static @Nullable Double criticalTrip(Path zone) {
        for (Path file : SysFiles.entries(zone)) {
            Matcher trip = TRIP.matcher(file.getFileName().toString());
            if (trip.matches() && "critical".equals(SysFiles.text(file))) {
                return limit(celsius(zone.resolve(trip.group(1) + "_temp")));
            }
        }
        return null;
    }

    private static @Nullable Double limit(@Nullable Double celsius) {
        return celsius == null || celsius <= 0 || celsius > HIGHEST_LIMIT ? null : celsius;
    }

    private static @Nullable Double celsius(Path file) {
        Long milli = SysFiles.number(file);
        return milli == null ? null : Double.valueOf(milli / MILLI);
    }
}
