package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.Drive;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The failed requests of SCSI and ATA disks, from {@code ioerr_cnt} of each. Other drivers count
 * none. One thread at a time.
 */
public final class DriveErrorCounts {

    private final Path block;
    private final Growth growth = new Growth();

    public DriveErrorCounts(Path sys) {
        this.block = sys.resolve("block");
    }

    /** Returns the disks with their counts. */
    public List<Drive> withErrors(List<Drive> drives) {
        List<Drive> counted = drives.stream().map(this::withErrors).toList();
        growth.end();
        return counted;
    }

    private Drive withErrors(Drive drive) {
        Long errors = number(SysFiles.text(
                block.resolve(drive.name().replace('/', '!')).resolve("device/ioerr_cnt")));
        return new Drive(
                drive.name(),
                drive.model(),
                drive.bytes(),
                errors,
                errors == null ? null : growth.of(drive.name(), errors),
                drive.failing());
    }

    /** Reads a number as the kernel writes it here, such as {@code 0x1f}. */
    private static @Nullable Long number(@Nullable String text) {
        try {
            return text == null ? null : Long.decode(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
