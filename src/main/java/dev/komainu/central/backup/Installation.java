package dev.komainu.central.backup;

import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.store.DayCopies;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Everything that a backup holds.
 *
 * @param product version of the service
 * @param work directory for temporary files of its own, on a local disk
 * @param files further files by their names in the backup, below {@code files/}; those that do not
 *     exist are left out
 * @param settings the installation's settings as YAML
 * @param missing what belongs to the installation and is not copied, a sentence each
 */
public record Installation(
        String product,
        Path work,
        ControlData control,
        DayCopies days,
        Map<String, Path> files,
        String settings,
        List<String> missing) {

    public Installation {
        files = Map.copyOf(files);
        missing = List.copyOf(missing);
    }
}
