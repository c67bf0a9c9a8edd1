package dev.komainu.proxy.disk;

import org.jspecify.annotations.Nullable;

/**
 * Where each record lies, by 64 bits of its name's hash. Names are not kept: whoever reads a record
 * compares.
 *
 * <pre>
 *   slot:   | hash 8 | place 8 | length and marks 4 | sameness 4 |        24 bytes, a quarter to two thirds of the slots taken
 *   place:  segment &lt;&lt; 32 | offset / 16                       ascending in the order of writing
 * </pre>
 *
 * Open addressing with linear probing in {@value #SHARDS} tables, each its own lock, held for a few
 * steps; a table doubles by itself, so that nobody waits for more than a {@value #SHARDS}th of all.
 * Safe for all threads.
 */
final class DiskIndex {

    private static final int SHARDS = 64;
    private static final int FIRST = 64;

    /** Asked for since it was written. */
    static final int HIT = 1 << 30;
    /** To be validated before it is used. */
    static final int SOFT = 1 << 29;
    /** A {@link DiskRecord#RULE}. */
    static final int RULE = 1 << 28;

    /** The same came newer from its origin: to be written again when that leaves memory. */
    static final int OLD = 1 << 27;

    /** Had priority when it was written last. */
    static final int GUARDED = 1 << 31;

    private static final int LENGTH = (1 << 27) - 1;

    /**
     * What a name leads to.
     *
     * @param length bytes of the record in its segment
     * @param sameness see {@link SameRepresentation}
     */
    record Spot(
            long place,
            long length,
            boolean hit,
            boolean soft,
            boolean rule,
            boolean old,
            int sameness) {

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
    Spot find(long hash) {
        return shard(hash).find(hash);
    }

    /**
     * @param marks {@link #HIT}, {@link #SOFT}, {@link #RULE}, {@link #OLD}, {@link #GUARDED}
     * @return the place it had before; -1: none
     */
    long put(long hash, long place, long length, int marks, int sameness) {
        return shard(hash).put(hash, place, (int) (length / DiskRecord.ALIGN) | marks, sameness);
    }

    /** The record moved, unless its place is another one by now. @return whether it did */
    boolean move(long hash, long from, long to, boolean guarded) {
        return shard(hash).move(hash, from, to, guarded);
    }

    /** Marks the record that lies there. */
    void mark(long hash, long place, int marks) {
        shard(hash).mark(hash, place, marks);
    }

    /** @return whether it was there */
    boolean remove(long hash) {
        return shard(hash).remove(hash, -1, Long.MAX_VALUE);
    }

    /** Only what lies there. */
    boolean remove(long hash, long place) {
        return shard(hash).remove(hash, place, Long.MAX_VALUE);
    }

    /** Only what was written before. */
    boolean removeBefore(long hash, long before) {
        return shard(hash).remove(hash, -1, before);
    }

    /** Forgets all of a segment. @return how many */
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

    /** Bytes of the records that are {@link #GUARDED}. */
    long guardedBytes() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.guardedBytes();
        }
        return sum;
    }

    /** Number of the records that are {@link #GUARDED}. */
    long guardedRecords() {
        long sum = 0;
        for (Shard shard : shards) {
            sum += shard.guardedRecords();
        }
        return sum;
    }

    /** Heap that the tables take. */
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
        private long[] hashes = new long[FIRST];
        private long[] places = new long[FIRST];
        private int[] marked = new int[FIRST];
        private int[] samenesses = new int[FIRST];
        private int count;
        private long guardedBytes;
        private int guardedRecords;

        private int home(long hash) {
            return (int) (hash ^ hash >>> 32) & places.length - 1;
        }

        private int slot(long hash) {
            int at = home(hash);
            while (places[at] != 0 && hashes[at] != hash) {
                at = at + 1 & places.length - 1;
            }
            return at;
        }

        synchronized @Nullable Spot find(long hash) {
            int at = slot(hash);
            if (places[at] == 0) {
                return null;
            }
            int marks = marked[at];
            return new Spot(
                    places[at],
                    (long) (marks & LENGTH) * DiskRecord.ALIGN,
                    (marks & HIT) != 0,
                    (marks & SOFT) != 0,
                    (marks & RULE) != 0,
                    (marks & OLD) != 0,
                    samenesses[at]);
        }

        synchronized long put(long hash, long place, int marks, int sameness) {
            if ((count + 1) * 3 > places.length * 2) {
                grow();
            }
            int at = slot(hash);
            long before = places[at] == 0 ? -1 : places[at];
            if (before == -1) {
                count++;
                marked[at] = 0;
            }
            hashes[at] = hash;
            places[at] = place;
            mark(at, marks);
            samenesses[at] = sameness;
            return before;
        }

        synchronized boolean move(long hash, long from, long to, boolean guarded) {
            int at = slot(hash);
            if (places[at] != from) {
                return false;
            }
            places[at] = to;
            mark(at, marked[at] & ~(HIT | GUARDED) | (guarded ? GUARDED : 0));
            return true;
        }

        /** Keeps the sums of what is guarded. */
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
            int at = slot(hash);
            if (places[at] == place) {
                mark(at, marked[at] | marks);
            }
        }

        synchronized boolean remove(long hash, long place, long before) {
            int at = slot(hash);
            if (places[at] == 0 || place >= 0 && places[at] != place || places[at] >= before) {
                return false;
            }
            clear(at);
            return true;
        }

        /** Empties a slot and closes the gap: what probed past it moves up. */
        private void clear(int slot) {
            mark(slot, 0);
            int hole = slot;
            int next = hole;
            while (true) {
                next = next + 1 & places.length - 1;
                if (places[next] == 0) {
                    break;
                }
                int home = home(hashes[next]);
                boolean between =
                        hole <= next ? hole < home && home <= next : hole < home || home <= next;
                if (!between) {
                    hashes[hole] = hashes[next];
                    places[hole] = places[next];
                    marked[hole] = marked[next];
                    samenesses[hole] = samenesses[next];
                    hole = next;
                }
            }
            places[hole] = 0;
            count--;
        }

        synchronized int removeSegment(long segment) {
            int removed = 0;
            int at = 0;
            while (at < places.length) {
                // What moves up into the slot is looked at there; what wraps around was looked at,
                // or is, later.
                if (places[at] != 0 && places[at] >>> 32 == segment) {
                    clear(at);
                    removed++;
                } else {
                    at++;
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
            int[] oldSamenesses = samenesses;
            hashes = new long[oldPlaces.length * 2];
            places = new long[oldPlaces.length * 2];
            marked = new int[oldPlaces.length * 2];
            samenesses = new int[oldPlaces.length * 2];
            for (int i = 0; i < oldPlaces.length; i++) {
                if (oldPlaces[i] != 0) {
                    int at = slot(oldHashes[i]);
                    hashes[at] = oldHashes[i];
                    places[at] = oldPlaces[i];
                    marked[at] = oldMarked[i];
                    samenesses[at] = oldSamenesses[i];
                }
            }
        }
    }
}
