package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.MemoryErrors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The errors of the memory, from EDAC (kernel: Documentation/admin-guide/ras.rst): of each module
 * where the driver counts by module, else of each controller. One thread at a time.
 */
public final class MemoryErrorCounts {

    private static final int MOST = 64;

    private final Path controllers;
    private final Growth growth = new Growth();

    public MemoryErrorCounts(Path sys) {
        this.controllers = sys.resolve("devices/system/edac/mc");
    }

    /** Reads the counts, at most 64; empty when the kernel does not count. */
    public List<MemoryErrors> read() {
        List<MemoryErrors> errors = new ArrayList<>();
        for (Path controller : SysFiles.entries(controllers)) {
            String name = controller.getFileName().toString();
            if (name.matches("mc\\d+")) {
                int before = errors.size();
                for (Path module : SysFiles.entries(controller)) {
                    String slot = module.getFileName().toString();
                    if (slot.matches("(dimm|rank)\\d+")) {
                        add(errors, place(module, name + " " + slot), module, "dimm_");
                    }
                }
                if (errors.size() == before) {
                    add(errors, name, controller, "");
                }
            }
        }
        growth.end();
        return errors;
    }

    private static String place(Path module, String otherwise) {
        String label = SysFiles.text(module.resolve("dimm_label"));
        return label == null ? otherwise : label;
    }

    private void add(List<MemoryErrors> errors, String place, Path directory, String prefix) {
        Long corrected = SysFiles.number(directory.resolve(prefix + "ce_count"));
        Long uncorrected = SysFiles.number(directory.resolve(prefix + "ue_count"));
        if ((corrected != null || uncorrected != null) && errors.size() < MOST) {
            errors.add(new MemoryErrors(
                    place,
                    orZero(corrected),
                    orZero(uncorrected),
                    growth.of(directory + " ce", orZero(corrected)),
                    growth.of(directory + " ue", orZero(uncorrected))));
        }
    }

    private static long orZero(@Nullable Long count) {
        return count == null ? 0 : count;
    }
}
