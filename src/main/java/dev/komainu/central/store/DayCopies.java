package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The day files of a store, for copies while it is in use. Every method may be called from any
 * thread.
 */
public interface DayCopies {

    /** Returns the day files of a store; a store on a server has none. */
    static DayCopies of(RecordStore store) {
        return store instanceof DayCopies files ? files : NoDays.NONE;
    }

    /** Returns the stored days, oldest first. */
    List<LocalDate> days();

    /** Returns the file of a day. */
    Path file(LocalDate day);

    /**
     * Returns a mark of a day that is complete in its file, so that the file may be copied as it
     * is. The mark changes with the content; compare it again after copying. Empty for the newest
     * day, and for a day with changes that are not in its file yet.
     */
    Optional<String> settled(LocalDate day);

    /**
     * Copies a day as of one instant into a new file. Batches that were acknowledged before the
     * call are in the copy, each as a whole.
     *
     * @return the number of rows of each table
     * @throws StoreException when the day is not stored, or the copy failed
     */
    Map<String, Long> copy(LocalDate day, Path to);

    /** Returns the number of rows of each table of a day. */
    Map<String, Long> rows(LocalDate day);

    /**
     * Reads a copy from its first row to its last.
     *
     * @return the number of rows of each table
     * @throws IOException when DuckDB cannot read it
     */
    static Map<String, Long> read(Path copy) throws IOException {
        return DayFileRows.read(copy);
    }
}
