package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Map;

/** The stored days as retention needs them. Writer thread only. */
interface StoredDays {

    /** Returns the bytes of each day that can be deleted. */
    Map<LocalDate, Long> bytesOfDays() throws SQLException;

    /** Returns the bytes of everything that counts towards the limit. */
    long bytes() throws SQLException;

    /** Deletes a day permanently. */
    void delete(LocalDate day) throws SQLException, IOException;
}
