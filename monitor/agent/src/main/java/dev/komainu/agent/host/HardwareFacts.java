package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostParts.Drive;
import dev.komainu.telemetry.record.HostParts.Fan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import oshi.SystemInfo;
import oshi.hardware.Baseboard;
import oshi.hardware.HWDiskStore;
import oshi.hardware.HardwareAbstractionLayer;
import oshi.hardware.NetworkIF;

/**
 * The hardware of this host as OSHI knows it. Only questions that OSHI answers without starting a
 * program on Linux: it would run lsblk for file systems, dmidecode for memory modules and serial
 * numbers, lshw for a model that the firmware does not tell, and vcgencmd for a temperature that it
 * does not find. One thread at a time.
 */
final class HardwareFacts {

    private static final int MOST = 64;
    private static final String UNKNOWN = "unknown";

    private final HardwareAbstractionLayer hardware = new SystemInfo().getHardware();

    /** Returns maker and model of the board; null when the firmware does not tell. */
    @Nullable
    String board() {
        Baseboard board = hardware.getComputerSystem().getBaseboard();
        String text = known(board.getManufacturer()) + " " + known(board.getModel());
        return text.isBlank() ? null : text.strip();
    }

    /** Returns the fans that OSHI finds; it starts no program for them. */
    List<Fan> fans() {
        List<Fan> fans = new ArrayList<>();
        for (int rpm : hardware.getSensors().getFanSpeeds()) {
            fans.add(new Fan("fan" + (fans.size() + 1), rpm));
        }
        return fans;
    }

    /** Returns the disks; at most 64. */
    List<Drive> drives() {
        List<Drive> drives = new ArrayList<>();
        for (HWDiskStore disk : hardware.getDiskStores()) {
            String model = known(disk.getModel());
            if (drives.size() < MOST && disk.getSize() > 0) {
                drives.add(new Drive(
                        disk.getName().replaceFirst("^/dev/", ""),
                        model.isEmpty() ? null : model,
                        disk.getSize(),
                        null,
                        null,
                        null));
            }
        }
        return drives;
    }

    /** Returns the models of the network cards by the names of their interfaces. */
    Map<String, String> cardModels() {
        Map<String, String> models = new HashMap<>();
        for (NetworkIF card : hardware.getNetworkIFs(false)) {
            String model = known(card.getDisplayName());
            if (!model.isEmpty() && !model.equals(card.getName())) {
                models.put(card.getName(), model);
            }
        }
        return models;
    }

    private static String known(@Nullable String text) {
        return text == null || text.equalsIgnoreCase(UNKNOWN) ? "" : text.strip();
    }
}
