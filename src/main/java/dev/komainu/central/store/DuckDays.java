package dev.komainu.central.store;

import java.io.IOException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The day files with the files of their roll-ups, for retention. Writer thread only. */
final class DuckDays implements StoredDays {

    private static final Logger LOG = LoggerFactory.getLogger(DuckDays.class);

    private final DayFiles files;
    private final RollUpFiles rollUps;
    private final KeptAges kept;

    DuckDays(DayFiles files, RollUpFiles rollUps, KeptAges kept) {
        this.files = files;
        this.rollUps = rollUps;
        this.kept = kept;
    }

    @Override
    public Map<LocalDate, Long> bytesOfDays() {
        Map<LocalDate, Long> bytes = new TreeMap<>();
        files.all().forEach(file -> bytes.put(file.day(), file.bytes()));
        return bytes;
    }

    @Override
    public long bytes() {
        return files.storage().bytes();
    }

    @Override
    public boolean delete(LocalDate day) throws IOException {
        boolean deleted = false;
        for (DayFile file : filesOf(day)) {
            deleted |= files.delete(file);
        }
        return deleted;
    }

    @Override
    public boolean isRolledUp(LocalDate day) {
        return filesOf(day).stream().allMatch(rollUps::cover);
    }

    private List<DayFile> filesOf(LocalDate day) {
        return files.all().stream().filter(file -> file.day().equals(day)).toList();
    }

    @Override
    public Set<LocalDate> rolledUpDays() {
        return rollUps.all().stream().map(RollUpFile::day).collect(Collectors.toSet());
    }

    @Override
    public boolean hasOldRollUps(LocalDate today) {
        return !oldRollUps(today).isEmpty();
    }

    private List<RollUpFile> oldRollUps(LocalDate today) {
        return rollUps.all().stream()
                .filter(file -> file.day().isBefore(kept.oldest(file.level(), today))
                        && files.all().stream().noneMatch(file::isOf))
                .toList();
    }

    @Override
    public void deleteOldRollUps(LocalDate today) {
        for (RollUpFile file : oldRollUps(today)) {
            try {
                rollUps.delete(file);
                LOG.info("Store: deleted {} of {} (too old)", file.level().directory(), file.day());
            } catch (IOException e) {
                LOG.warn("Store: {} not deleted, retry later: {}", file.path(), e.getMessage());
            }
        }
    }
}
