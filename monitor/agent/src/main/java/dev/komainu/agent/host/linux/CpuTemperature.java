package dev.komainu.agent.host.linux;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The temperature of the CPU by the kernel's sensors, hwmon and thermal zones. */
public final class CpuTemperature {

    private static final Set<String> SENSORS =
            Set.of("coretemp", "k10temp", "zenpower", "cpu_thermal");
    private static final Set<String> ZONES = Set.of("x86_pkg_temp", "cpu-thermal", "cpu_thermal");
    private static final double MILLI = 1_000;

    private CpuTemperature() {}

    /** Returns the highest temperature in degrees; null without a sensor. */
    public static @Nullable Double read(Path sys) {
        Long highest = null;
        for (Path sensor : SysFiles.entries(sys.resolve("class/hwmon"))) {
            String name = SysFiles.text(sensor.resolve("name"));
            if (name != null && SENSORS.contains(name)) {
                for (Path file : SysFiles.entries(sensor)) {
                    if (file.getFileName().toString().matches("temp\\d+_input")) {
                        highest = higher(highest, SysFiles.number(file));
                    }
                }
            }
        }
        for (Path zone : SysFiles.entries(sys.resolve("class/thermal"))) {
            String type = SysFiles.text(zone.resolve("type"));
            if (type != null && ZONES.contains(type)) {
                highest = higher(highest, SysFiles.number(zone.resolve("temp")));
            }
        }
        return highest == null ? null : Double.valueOf(highest / MILLI);
    }

    private static @Nullable Long higher(@Nullable Long a, @Nullable Long b) {
        return a == null ? b : b == null || a >= b ? a : b;
    }
}
