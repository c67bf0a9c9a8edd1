package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The day files of a store and the files of its roll-ups, for copies while it is in use. Every
 * method may be called from any thread.
 */
public interface DayCopies {

    /** Name under which the rows of a file of roll-ups are counted. */
    String ROLL_UPS = "rollups";

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
     * A file of roll-ups. It never changes, and may be copied as it is; a day that is rolled up
     * again gets a file with another name.
     *
     * @param name path below the store's directory, with slashes
     */
    record RollUpCopy(String name, Path file, long rows) {}

    /**
     * Returns the files of roll-ups, oldest first. A day that is deleted after this call, and was
     * not before, may be missing in them, so copy the days first.
     */
    List<RollUpCopy> rollUps();

    /**
     * Reads a copy of a day or of roll-ups from its first row to its last.
     *
     * @return the number of rows of each table
     * @throws IOException when DuckDB cannot read it
     */
    static Map<String, Long> read(Path copy) throws IOException {
        return DayFileRows.read(copy);
    }
}
