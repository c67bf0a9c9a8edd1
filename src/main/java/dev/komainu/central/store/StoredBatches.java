package dev.komainu.central.store;

import dev.komainu.telemetry.record.BatchId;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * The batches of a store by the day of their arrival, in the order in which they were stored. Names
 * are read some thousands at a time, records some tens of thousands, so a day of any size fits into
 * memory. One thread.
 */
abstract class StoredBatches implements AutoCloseable {

    /** Names that are read at a time. */
    private static final int NAMES = 20_000;

    /** Records that are read at a time, unless one batch has more. */
    private static final int RECORDS = 50_000;

    /**
     * The name of a stored batch.
     *
     * @param records number of records that it was sent with
     */
    record Name(BatchId id, long ordinal, long receivedMicros, int records) {}

    /** A receiver of batches. */
    @FunctionalInterface
    interface BatchSink {
        void take(StoredBatch batch) throws SQLException;
    }

    /** A receiver of records as wire messages, with their keys. */
    @FunctionalInterface
    interface BodySink {
        void take(long key, byte[] body) throws SQLException;
    }

    /** Returns the days that have batches, oldest first. */
    abstract List<LocalDate> days() throws SQLException;

    /** Returns the first names of a day above an ordinal, by ordinal. */
    abstract List<Name> names(LocalDate day, long above, int most) throws SQLException;

    /** Passes on the records of a range of ordinals, both ends included, by their keys. */
    abstract void bodies(LocalDate day, long first, long last, BodySink sink) throws SQLException;

    @Override
    public abstract void close() throws SQLException;

    /** Returns the number of batches of a day. */
    abstract long count(LocalDate day) throws SQLException;

    /** Passes on every batch of a day. */
    final void read(LocalDate day, BatchSink sink) throws SQLException {
        long above = 0;
        for (List<Name> names = names(day, above, NAMES);
                !names.isEmpty();
                names = names(day, above, NAMES)) {
            above = names.getLast().ordinal();
            int from = 0;
            while (from < names.size()) {
                int to = from + 1;
                for (long records = names.get(from).records();
                        to < names.size() && records + names.get(to).records() <= RECORDS;
                        to++) {
                    records += names.get(to).records();
                }
                read(day, names.subList(from, to), sink);
                from = to;
            }
        }
    }

    private void read(LocalDate day, List<Name> names, BatchSink sink) throws SQLException {
        List<List<byte[]>> bodies = new ArrayList<>();
        names.forEach(name -> bodies.add(new ArrayList<>()));
        int[] at = {0};
        bodies(day, names.getFirst().ordinal(), names.getLast().ordinal(), (key, body) -> {
            long ordinal = key >> Rows.KEY_BITS;
            while (at[0] < names.size() && names.get(at[0]).ordinal() < ordinal) {
                at[0]++;
            }
            // Rows of an ordinal without a name do not count.
            if (at[0] < names.size() && names.get(at[0]).ordinal() == ordinal) {
                bodies.get(at[0]).add(body);
            }
        });
        for (int i = 0; i < names.size(); i++) {
            Name name = names.get(i);
            sink.take(new StoredBatch(name.id(), name.receivedMicros(), bodies.get(i)));
        }
    }
}
