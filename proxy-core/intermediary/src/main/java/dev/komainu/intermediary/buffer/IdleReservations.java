package dev.komainu.intermediary.buffer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The reservations of one loop's idle clients: their number, their shares together, and, where
 * shares decay, the round in which each is halved. A round costs only the reservations that are
 * due. A share at the minimum is never due again. When others need the bytes, all shares in the
 * lists fall to the minimum at once.
 *
 * <pre>
 *   round      n      n+1      n+2      n+3
 *              ▼                 ▼
 *          found idle         halved                      lists by round, three in a ring
 * </pre>
 *
 * <p>The kernel's own limit of an idle connection stays: nothing is outstanding there, and bytes
 * written when it is used again are counted. One event loop owns it.
 */
final class IdleReservations {

    /**
     * A reservation that was used again or closed meanwhile is still in a list, but due in another
     * round or in none.
     */
    private final List<List<BufferReservation>> due = IntStream.range(
                    0, BufferReservation.ROUNDS_PER_HALVING)
            .<List<BufferReservation>>mapToObj(i -> new ArrayList<>())
            .toList();

    private long round;
    private int size;
    private long bytes;

    int size() {
        return size;
    }

    /** Returns the shares together. */
    long bytes() {
        return bytes;
    }

    /** Adds a reservation that was found idle in this round. */
    void add(BufferReservation reservation, boolean decays) {
        reservation.setCountedIdle(true);
        size++;
        bytes += reservation.shareBytes();
        if (decays) {
            // This round is the first of three.
            schedule(reservation, round + BufferReservation.ROUNDS_PER_HALVING - 1);
        }
    }

    private void schedule(BufferReservation reservation, long dueRound) {
        reservation.setDecayRound(dueRound);
        due.get((int) (dueRound % due.size())).add(reservation);
    }

    /**
     * Removes a reservation before its share changes: it is used again, closed, or measured anew.
     * Does nothing when it was not idle.
     */
    void remove(BufferReservation reservation) {
        if (reservation.isCountedIdle()) {
            size--;
            bytes -= reservation.shareBytes();
            reservation.setCountedIdle(false);
        }
    }

    /** Reduces all shares that decay to the minimum. Costs each share this once. */
    void shrinkAll() {
        for (List<BufferReservation> list : due) {
            for (BufferReservation reservation : list) {
                if (reservation.isCountedIdle()) {
                    bytes -= reservation.shareBytes();
                    reservation.shrinkIfIdle();
                    bytes += reservation.shareBytes();
                    reservation.setDecayRound(-1);
                }
            }
            list.clear();
        }
    }

    /** Begins the next round: halves the shares that are due. */
    void nextRound() {
        round++;
        int slot = (int) (round % due.size());
        List<BufferReservation> now = List.copyOf(due.get(slot));
        due.get(slot).clear();
        for (BufferReservation reservation : now) {
            if (reservation.decayRound() != round) {
                continue;
            }
            long before = reservation.shareBytes();
            if (reservation.decay()) {
                schedule(reservation, round + BufferReservation.ROUNDS_PER_HALVING);
            }
            bytes -= before - reservation.shareBytes();
        }
    }
}
