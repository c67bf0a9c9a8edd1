package dev.komainu.central.group;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The figures by which a mirror can differ from its peers. A member differs in a block when its
 * value is beyond that of every peer, and beyond the median of the peers by a factor and by an
 * amount. A factor alone would name fast servers for noise, an amount alone slow ones.
 *
 * <pre>
 *                 factor   amount   at least, in a block
 * response           2      5 ms    20 responses of the member and of two peers
 * transfer           2     20 ms    20 transfers
 * failures           2      5 %     20 requests
 * retransmissions    3      3 %     50 packets
 * </pre>
 *
 * Both directions count for times: a mirror that responds in half of the time may serve an error
 * page. Fewer failures than the peers are no fault of a member.
 */
enum Difference {
    RESPONSE(2, 5, 20, true, MirrorWindow::responseMillis, window -> window.responses()),
    TRANSFER(2, 20, 20, true, MirrorWindow::transferMillis, window -> window.transfers()),
    FAILURES(2, 0.05, 20, false, MirrorWindow::failureShare, MirrorWindow::requests),
    RETRANSMISSIONS(3, 0.03, 50, false, MirrorWindow::repeatShare, MirrorWindow::packets);

    private final double factor;
    private final double amount;
    private final double needed;
    private final boolean bothDirections;
    private final ToDoubleFunction<MirrorWindow> value;
    private final ToDoubleFunction<MirrorWindow> samples;

    Difference(
            double factor,
            double amount,
            double needed,
            boolean bothDirections,
            ToDoubleFunction<MirrorWindow> value,
            ToDoubleFunction<MirrorWindow> samples) {
        this.factor = factor;
        this.amount = amount;
        this.needed = needed;
        this.bothDirections = bothDirections;
        this.value = value;
        this.samples = samples;
    }

    /** Returns the name in the API: lower case. */
    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the value of a window; {@code NaN} when it has too few samples. */
    double of(MirrorWindow window) {
        return samples.applyAsDouble(window) < needed ? Double.NaN : value.applyAsDouble(window);
    }

    /** Reports whether load explains a higher value, so that the share of requests counts. */
    boolean growsWithLoad() {
        return this != RETRANSMISSIONS;
    }

    /**
     * Returns 1 when a value is higher than those of the peers, -1 when it is lower, 0 when it does
     * not differ.
     *
     * @param median median of the peers
     * @param least lowest of the peers
     * @param most highest of the peers
     */
    int direction(double own, double median, double least, double most) {
        if (own > most && own >= factor * median && own - median >= amount) {
            return 1;
        }
        return bothDirections && own < least && own * factor <= median && median - own >= amount
                ? -1
                : 0;
    }
}
