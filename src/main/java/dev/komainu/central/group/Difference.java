package dev.komainu.central.group;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.group.OddMember.Clue;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures by which a mirror can differ from its peers. A member differs in a block when its
 * value is above that of every peer, and above the median of the peers by a factor and by an
 * amount, or as much below the lowest of them. A factor alone would name fast servers for noise, an
 * amount alone slow ones.
 *
 * <pre>
 *                 factor   amount   at least, in a block
 * response           2      5 ms    20 responses of the member and of two peers
 * transfer           2     20 ms    20 transfers
 * slow responses     2     30 %     20 responses
 * slow transfers     2     30 %     20 transfers
 * failures           2      5 %     20 requests
 * retransmissions    3      3 %     50 packets
 * troubled           2     30 %     none
 * </pre>
 *
 * The medians do not see a fault that less than half of the requests meet, such as a slow disk
 * behind pages of which most are in memory. Slow responses are those that take longer than a time
 * t; the member differs when its share for one t is that much above the shares of its peers for
 * t/2. So requests must take twice as long. The 30 % leave room for peers whose clients request
 * other pages: a median or a higher percentile would jump where fast and slow pages meet.
 *
 * <p>Troubled is the share of the seconds in which the state of the member was a saturation or a
 * fault, while its peers had none. Its state follows from the host, the control group and the
 * server's own figures too, which the others do not show.
 *
 * <p>Both directions count for medians of times: a mirror that responds in half of the time may
 * serve an error page. Fewer failures than the peers are no fault of a member.
 */
enum Difference {
    RESPONSE(
            "response",
            2,
            5,
            20,
            window -> window.response().medianMillis(),
            window -> window.response().count()),
    TRANSFER(
            "transfer",
            2,
            20,
            20,
            window -> window.transfer().medianMillis(),
            window -> window.transfer().count()),
    SLOW_RESPONSES("slowResponses", MirrorWindow::response, 1),
    SLOW_TRANSFERS("slowTransfers", MirrorWindow::transfer, 2),
    FAILURES("failures", 2, 0.05, 20, MirrorWindow::failureShare, MirrorWindow::requests),
    RETRANSMISSIONS(
            "retransmissions", 3, 0.03, 50, MirrorWindow::repeatShare, MirrorWindow::packets),
    TROUBLED("troubled", 2, 0.3, 0, MirrorWindow::troubledShare, window -> 0);

    private final String text;
    private final double factor;
    private final double amount;
    private final double needed;
    private final ToDoubleFunction<MirrorWindow> value;
    private final ToDoubleFunction<MirrorWindow> samples;
    private final @Nullable Function<MirrorWindow, BlockTimes> times;
    private final int firstStep;

    Difference(
            String text,
            double factor,
            double amount,
            double needed,
            ToDoubleFunction<MirrorWindow> value,
            ToDoubleFunction<MirrorWindow> samples) {
        this.text = text;
        this.factor = factor;
        this.amount = amount;
        this.needed = needed;
        this.value = value;
        this.samples = samples;
        this.times = null;
        this.firstStep = 0;
    }

    /**
     * A share of slow requests.
     *
     * @param firstStep step of {@link BlockTimes} that the shortest time t is
     */
    Difference(String text, Function<MirrorWindow, BlockTimes> times, int firstStep) {
        this.text = text;
        this.factor = 2;
        this.amount = 0.3;
        this.needed = 20;
        this.value = window -> Double.NaN;
        this.samples = window -> times.apply(window).count();
        this.times = times;
        this.firstStep = firstStep;
    }

    /** Returns the name in the API. */
    @JsonValue
    public String text() {
        return text;
    }

    /** Reports whether load explains a higher value, so that the share of requests counts. */
    boolean growsWithLoad() {
        return this != RETRANSMISSIONS;
    }

    /**
     * Compares a member with its peers. Empty when it does not differ, or has too few samples, or
     * fewer than {@code leastPeers} of the peers have enough.
     */
    Optional<Finding> compare(MirrorWindow own, List<MirrorWindow> peers, int leastPeers) {
        List<MirrorWindow> enough = peers.stream().filter(this::hasEnough).toList();
        if (!hasEnough(own) || enough.size() < leastPeers) {
            return Optional.empty();
        }
        if (times == null) {
            double[] values = sorted(enough, value);
            double mine = value.applyAsDouble(own);
            return finding(direction(mine, values), mine, values, null);
        }
        Function<MirrorWindow, BlockTimes> read = times;
        Optional<Finding> clearest = Optional.empty();
        for (int step = firstStep; step < BlockTimes.STEP_COUNT; step++) {
            int slow = step;
            double mine = read.apply(own).longerThan(slow);
            // The peers are judged by half of the time, and shown by the same time.
            double[] judged = sorted(enough, peer -> read.apply(peer).longerThan(slow - 1));
            double[] shown = sorted(enough, peer -> read.apply(peer).longerThan(slow));
            Optional<Finding> found =
                    finding(direction(mine, judged), mine, shown, BlockTimes.stepMillis(slow));
            if (found.isPresent()
                    && (clearest.isEmpty()
                            || found.get().distance() > clearest.get().distance())) {
                clearest = found;
            }
        }
        return clearest;
    }

    private boolean hasEnough(MirrorWindow window) {
        return samples.applyAsDouble(window) >= needed;
    }

    private Optional<Finding> finding(
            int direction, double own, double[] peers, @Nullable Double longerThanMillis) {
        return direction == 0
                ? Optional.empty()
                : Optional.of(new Finding(
                        direction,
                        new Clue(
                                text,
                                this == RESPONSE || this == TRANSFER ? "millis" : "share",
                                own,
                                MirrorWatch.median(peers),
                                peers[0],
                                peers[peers.length - 1],
                                longerThanMillis,
                                true)));
    }

    /**
     * Returns 1 when a value is above those of the peers, -1 below them, 0 when it does not differ.
     * Below means below the lowest of them: the median is high when two peers are slow, and a good
     * mirror is not named for their fault.
     */
    private int direction(double own, double[] peers) {
        double median = MirrorWatch.median(peers);
        if (own > peers[peers.length - 1] && own >= factor * median && own - median >= amount) {
            return 1;
        }
        boolean bothDirections = this == RESPONSE || this == TRANSFER;
        return bothDirections && own * factor <= peers[0] && peers[0] - own >= amount ? -1 : 0;
    }

    private static double[] sorted(
            List<MirrorWindow> peers, ToDoubleFunction<MirrorWindow> figure) {
        return peers.stream().mapToDouble(figure).sorted().toArray();
    }

    /**
     * A difference in one block.
     *
     * @param direction 1: above the peers; -1: below them
     */
    record Finding(int direction, Clue clue) {

        double distance() {
            return Math.abs(clue.value() - clue.peersMedian());
        }
    }
}
