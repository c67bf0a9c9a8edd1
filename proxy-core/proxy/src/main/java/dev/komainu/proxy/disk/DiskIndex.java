package dev.komainu.proxy.disk;

import org.jspecify.annotations.Nullable;

/**
 * The location of each record, by 64 bits of its name's hash. Names are not stored: the reader of a
 * record compares them.
 *
 * <pre>
 *   slot:   | hash 8 | place 8 | length and marks 4 | representation 4 |   24 bytes; a table doubles at two thirds
 *   place:  segment &lt;&lt; 32 | offset / 16                               ascending in the order of writing
 * </pre>
 *
 * Open addressing with linear probing in {@value #SHARDS} tables, each with its own lock, which is
 * held for a few steps. Each table doubles on its own, so that a caller waits for at most one
 * {@value #SHARDS}th of all records. Thread-safe.
 */
final class DiskIndex {

    private static final int SHARDS = 64;
    private static final int INITIAL_SLOTS = 64;

    /** The record was requested since it was written. */
    static final int HIT = 1 << 30;
    /** The record must be validated before it is used. */
    static final int SOFT = 1 << 29;
    /** The record is a {@link DiskRecord#RULE}. */
    static final int RULE = 1 << 28;

    /**
     * The origin sent the same representation again: the record is rewritten when the newer
     * response leaves memory.
     */
    static final int OLD = 1 << 27;

    /** The record had priority when it was last written. */
    static final int GUARDED = 1 << 31;

    private static final int LENGTH = (1 << 27) - 1;

    /**
     * The index's data about one record.
     *
     * @param length bytes of the record in its segment
     * @param representationHash see {@link SameRepresentation}
     */
    record Entry(
            long place,
            long length,
            boolean hit,
            boolean soft,
            boolean rule,
            boolean old,
            int representationHash) {

        long segment() {
            return place >>> 32;
        }

        long offset() {
            return (place & 0xFFFFFFFFL) * DiskRecord.ALIGN;
        }
    }

    static long place(long segment, long offset) {
        return segment << 32 | offset / DiskRecord.ALIGN;
    }

    private final Shard[] shards = new Shard[SHARDS];

    DiskIndex() {
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new Shard();
        }
    }

    private Shard shard(long hash) {
        return shards[(int) (hash >>> 58)];
    }

    @Nullable
    Entry find(long hash) {
        return shard(hash).find(hash);
    }

    /**
     * Enters a record.
     *
     * @param marks {@link #HIT}, {@link #SOFT}, {@link #RULE}, {@link #OLD}, {@link #GUARDED}
     * @return the previous place; -1: none
     */
    long put(long hash, long place, long length, int marks, int representationHash) {
        return shard(hash)
                .put(hash, place, (int) (length / DiskRecord.ALIGN) | marks, representationHash);
    }

    /**
     * Changes a record's place, unless the current place differs from {@code from}.
     *
     * @return whether the place was changed
     */
    boolean move(long hash, long from, long to, boolean guarded) {
        return shard(hash).move(hash, from, to, guarded);
    }

    /** Adds marks to the record at this place. */
    void mark(long hash, long place, int marks) {
        shard(hash).mark(hash, place, marks);
    }

    /** Removes a record. Returns whether there was one. */
    boolean remove(long hash) {
        return shard(hash).remove(hash, -1, Long.MAX_VALUE);
    }

    /** Removes a record if it lies at this place. */
    boolean remove(long hash, long place) {
        return shard(hash).remove(hash, place, Long.MAX_VALUE);
    }

    /** Removes a record if it was written before this place. */
    boolean removeBefore(long hash, long before) {
        return shard(hash).remove(hash, -1, before);
    }

    /** Removes all records of a segment. Returns their number. */
    int removeSegment(long segment) {
        int count = 0;
        for (Shard shard : shards) {
            count += shard.removeSegment(segment);
        }
        return count;
    }

    long size() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.size();
        }
        return sum;
    }

    /** Returns the bytes of the records that are {@link #GUARDED}. */
    long guardedBytes() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.guardedBytes();
        }
        return sum;
    }

    /** Returns the number of the records that are {@link #GUARDED}. */
    long guardedRecords() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.guardedRecords();
        }
        return sum;
    }

    /** Returns the heap bytes of the tables. */
    long bytes() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.slots() * 24L + 128;
        }
        return sum;
    }

    private static final class Shard {

        // Guarded by this. A place of 0 is an empty slot: no record lies at the beginning of
        // segment 0.
        private long[] hashes = new long[INITIAL_SLOTS];
        private long[] places = new long[INITIAL_SLOTS];
        private int[] marked = new int[INITIAL_SLOTS];
        private int[] representationHashes = new int[INITIAL_SLOTS];
        private int count;
        private long guardedBytes;
        private int guardedRecords;

        private int preferredSlot(long hash) {
            return (int) (hash ^ hash >>> 32) & places.length - 1;
        }

        private int slot(long hash) {
            int index = preferredSlot(hash);
            while (places[index] != 0 && hashes[index] != hash) {
                index = index + 1 & places.length - 1;
            }
            return index;
        }

        synchronized @Nullable Entry find(long hash) {
            int index = slot(hash);
            if (places[index] == 0) {
                return null;
            }
            int marks = marked[index];
            return new Entry(
                    places[index],
                    (long) (marks & LENGTH) * DiskRecord.ALIGN,
                    (marks & HIT) != 0,
                    (marks & SOFT) != 0,
                    (marks & RULE) != 0,
                    (marks & OLD) != 0,
                    representationHashes[index]);
        }

        synchronized long put(long hash, long place, int marks, int representationHash) {
            if ((count + 1) * 3 > places.length * 2) {
                grow();
            }
            int index = slot(hash);
            long before = places[index] == 0 ? -1 : places[index];
            if (before == -1) {
                count++;
                marked[index] = 0;
            }
            hashes[index] = hash;
            places[index] = place;
            mark(index, marks);
            representationHashes[index] = representationHash;
            return before;
        }

        synchronized boolean move(long hash, long from, long to, boolean guarded) {
            int index = slot(hash);
            if (places[index] != from) {
                return false;
            }
            places[index] = to;
            mark(index, (marked[index] & ~(HIT | GUARDED)) | (guarded ? GUARDED : 0));
            return true;
        }

        /** Sets a slot's marks and updates the guarded totals. */
        private void mark(int slot, int marks) {
            guardedBytes += guarded(marks) - guarded(marked[slot]);
            // The mark is the sign bit.
            guardedRecords += (marks >>> 31) - (marked[slot] >>> 31);
            marked[slot] = marks;
        }

        private static long guarded(int marks) {
            return (marks & GUARDED) == 0 ? 0 : (long) (marks & LENGTH) * DiskRecord.ALIGN;
        }

        synchronized long guardedBytes() {
            return guardedBytes;
        }

        synchronized int guardedRecords() {
            return guardedRecords;
        }

        synchronized void mark(long hash, long place, int marks) {
            int index = slot(hash);
            if (places[index] == place) {
                mark(index, marked[index] | marks);
            }
        }

        synchronized boolean remove(long hash, long place, long before) {
            int index = slot(hash);
            if (places[index] == 0
                    || (place >= 0 && places[index] != place)
                    || places[index] >= before) {
                return false;
            }
            clear(index);
            return true;
        }

        /** Empties a slot and closes the gap: entries that were probed past it move up. */
        private void clear(int slot) {
            mark(slot, 0);
            int hole = slot;
            int next = hole;
            while (true) {
                next = next + 1 & places.length - 1;
                if (places[next] == 0) {
                    break;
                }
                int preferredSlot = preferredSlot(hashes[next]);
                boolean between = hole <= next
                        ? hole < preferredSlot && preferredSlot <= next
                        : hole < preferredSlot || preferredSlot <= next;
                if (!between) {
                    hashes[hole] = hashes[next];
                    places[hole] = places[next];
                    marked[hole] = marked[next];
                    representationHashes[hole] = representationHashes[next];
                    hole = next;
                }
            }
            places[hole] = 0;
            count--;
        }

        synchronized int removeSegment(long segment) {
            int removed = 0;
            int index = 0;
            while (index < places.length) {
                // An entry that moves up into the slot is checked there; one that wraps around is
                // checked before or later.
                if (places[index] != 0 && places[index] >>> 32 == segment) {
                    clear(index);
                    removed++;
                } else {
                    index++;
                }
            }
            return removed;
        }

        synchronized int size() {
            return count;
        }

        synchronized int slots() {
            return places.length;
        }

        private void grow() {
            long[] oldHashes = hashes;
            long[] oldPlaces = places;
            int[] oldMarked = marked;
            int[] oldSamenesses = representationHashes;
            hashes = new long[oldPlaces.length * 2];
            places = new long[oldPlaces.length * 2];
            marked = new int[oldPlaces.length * 2];
            representationHashes = new int[oldPlaces.length * 2];
            for (int i = 0; i < oldPlaces.length; i++) {
                if (oldPlaces[i] != 0) {
                    int index = slot(oldHashes[i]);
                    hashes[index] = oldHashes[i];
                    places[index] = oldPlaces[i];
                    marked[index] = oldMarked[i];
                    representationHashes[index] = oldSamenesses[i];
                }
            }
        }
    }
}
