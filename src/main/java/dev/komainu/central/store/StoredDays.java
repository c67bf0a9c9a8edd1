package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Map;
import java.util.Set;

/**
 * The stored days as retention needs them. A store whose days have no roll-ups beside them leaves
 * the methods about these as they are. Writer thread only.
 */
interface StoredDays {

    /** Returns the bytes of each day that can be deleted. */
    Map<LocalDate, Long> bytesOfDays() throws SQLException;

    /** Returns the bytes of everything that counts towards the limit. */
    long bytes() throws SQLException;

    /**
     * Deletes a day permanently, unless it is in use.
     *
     * @return whether it was deleted
     */
    boolean delete(LocalDate day) throws SQLException, IOException;

    /** Reports whether everything of a day is in the roll-ups that stay when it is deleted. */
    default boolean isRolledUp(LocalDate day) {
        return true;
    }

    /** Returns the days that have roll-ups. */
    default Set<LocalDate> rolledUpDays() {
        return Set.of();
    }

    /** Reports whether roll-ups are too old, whose day is deleted. */
    default boolean hasOldRollUps(LocalDate today) {
        return false;
    }

    /** Deletes these roll-ups. */
    default void deleteOldRollUps(LocalDate today) {}
}
