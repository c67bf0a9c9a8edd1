package dev.komainu.central.store;

import dev.komainu.telemetry.record.Batch;
import java.sql.SQLException;
import java.util.List;

/**
 * The part of a store that differs from database to database: how a group of batches is committed.
 * All methods are called by the writer thread only.
 */
interface StoreEngine {

    /**
     * Commits batches that are not stored yet. Afterwards their names are known, and their windows
     * wait for the next roll-up.
     *
     * @throws SQLException when they could not be committed; none of them counts then, not even in
     *     part
     */
    void write(List<Batch> batches) throws SQLException;

    /**
     * Makes the database usable again after a failure, if it can be. Batches that were committed
     * although the commit was reported as failed are known afterwards.
     *
     * @return whether the failed write may be tried again at once
     */
    boolean recover(Exception failure);

    /** Reports whether every other batch would fail in the same way. */
    boolean isAway(Exception failure);

    /** Writes the open roll-ups. */
    void rollUp() throws SQLException;

    /** Deletes the days that are too old or too many. */
    void sweep() throws SQLException;

    /**
     * Deletes the oldest days, whatever their age, because the disk of this service is nearly full.
     *
     * @param wanted bytes to free; less is freed when there are no other days than today's
     */
    void makeRoom(long wanted) throws SQLException;

    void close() throws SQLException;
}
