package dev.komainu.central.store;

import java.io.IOException;
import java.io.OutputStream;
import java.time.LocalDate;
import java.util.List;

/**
 * The export of closed days for other programs, while the store is in use. Every method may be
 * called from any thread.
 */
public interface DayExports {

    /**
     * A stored day.
     *
     * @param closed whether it is over, and can be exported
     * @param bytes on disk, without its roll-ups
     * @param rolledUp whether its roll-ups of a minute and an hour are stored
     */
    record StoredDay(LocalDate day, boolean closed, long bytes, boolean rolledUp) {}

    /** Returns the exports of a store; one on a server has no days that can be exported. */
    static DayExports of(RecordStore store) {
        return store instanceof DayExports files ? files : NoDays.NONE;
    }

    /** Returns the stored days, newest first. */
    List<StoredDay> storedDays();

    /** The receiver of an export. */
    @FunctionalInterface
    interface Target {

        /**
         * Begins the export, which was not refused. Called once.
         *
         * @return receives the bytes of the file; an exception from it cancels the export
         */
        OutputStream open() throws IOException;
    }

    /**
     * Writes the records of a kind of a closed day as a Parquet file. The bytes are passed on while
     * the file is made, so that a receiver that has gone ends the export.
     *
     * @throws RefusedException before {@link Target#open}
     * @throws IOException from the target, or when the file could not be made; then the target has
     *     a part of it
     */
    void export(LocalDate day, ExportKind kind, Target target) throws IOException, RefusedException;

    /** The refusal of an export; its message tells why. */
    final class RefusedException extends Exception {

        private static final long serialVersionUID = 1L;

        /** The reason of a refusal. */
        public enum Reason {
            /** The day is not stored. */
            UNKNOWN,
            /** The day is not over. */
            OPEN,
            /** Another export runs. */
            BUSY,
            /** The disk has too little room. */
            NO_ROOM
        }

        private final Reason reason;

        RefusedException(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }
}
