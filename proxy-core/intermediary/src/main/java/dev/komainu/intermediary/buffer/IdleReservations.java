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
                    0, BufferReservation.LOOKS_A_HALVING)
            .<List<BufferReservation>>mapToObj(i -> new ArrayList<>())
            .toList();

    private long look;
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
    void begins(BufferReservation one, boolean decays) {
        one.park(true);
        size++;
        bytes += one.shareBytes();
        if (decays) {
            // This look is the first of three.
            falls(one, look + BufferReservation.LOOKS_A_HALVING - 1);
        }
    }

    private void falls(BufferReservation one, long at) {
        one.decaysAt(at);
        due.get((int) (at % due.size())).add(one);
    }

    /**
     * It is used again, or gone, or looked at anew; before its share changes. Nothing, when it was
     * not idle.
     */
    void ends(BufferReservation one) {
        if (one.isParked()) {
            size--;
            bytes -= one.shareBytes();
            one.park(false);
        }
    }

    /** Others want it: all that decay keep the least. Each costs that once. */
    void press() {
        for (List<BufferReservation> each : due) {
            for (BufferReservation one : each) {
                if (one.isParked()) {
                    bytes -= one.shareBytes();
                    one.press();
                    bytes += one.shareBytes();
                    one.decaysAt(-1);
                }
            }
            each.clear();
        }
    }

    /** The next look: halves what is due. */
    void decay() {
        look++;
        int at = (int) (look % due.size());
        List<BufferReservation> now = List.copyOf(due.get(at));
        due.get(at).clear();
        for (BufferReservation one : now) {
            if (one.decaysAt() != look) {
                continue;
            }
            long before = one.shareBytes();
            if (one.decay()) {
                falls(one, look + BufferReservation.LOOKS_A_HALVING);
            }
            bytes -= before - one.shareBytes();
        }
    }
}
