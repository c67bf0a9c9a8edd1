package dev.komainu.intermediary.buffer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What one loop's idle clients hold of the budget: how many there are, what they keep together,
 * and, where shares decay, whose is to be halved at which look. So a look costs what falls due, not
 * what is there; and one that has come down to the least never falls due again. Where others want
 * what they keep, all come down to the least at once, those that are in a list.
 *
 * <pre>
 *   look       n      n+1      n+2      n+3
 *              ▼                 ▼
 *          found idle         halved                      lists by look, three in a ring
 * </pre>
 *
 * <p>The kernel's own bound of an idle connection stays as it is: nothing is outstanding there, and
 * what may be written when it is used again is counted. One event loop owns it.
 */
final class IdleReservations {

    /** Who woke or was closed meanwhile is still in a list, due at another look or at none. */
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

    /** What they keep. */
    long bytes() {
        return bytes;
    }

    /** Found idle at this look. */
    void add(BufferReservation reservation, boolean decays) {
        reservation.setCountedIdle(true);
        size++;
        bytes += reservation.shareBytes();
        if (decays) {
            // This look is the first of three.
            schedule(reservation, round + BufferReservation.ROUNDS_PER_HALVING - 1);
        }
    }

    private void schedule(BufferReservation reservation, long dueRound) {
        reservation.setDecayRound(dueRound);
        due.get((int) (dueRound % due.size())).add(reservation);
    }

    /**
     * It is used again, or gone, or looked at anew; before its share changes. Nothing, when it was
     * not idle.
     */
    void remove(BufferReservation reservation) {
        if (reservation.isCountedIdle()) {
            size--;
            bytes -= reservation.shareBytes();
            reservation.setCountedIdle(false);
        }
    }

    /** Others want it: all that decay keep the least. Each costs that once. */
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

    /** The next look: halves what is due. */
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
