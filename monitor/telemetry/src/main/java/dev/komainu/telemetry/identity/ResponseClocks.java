package dev.komainu.telemetry.identity;

import java.time.Clock;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The comparison of this host's clock with the central service's, by the field {@code Date} of its
 * responses, refusals included. A difference is logged once, and its end too. One thread.
 */
public final class ResponseClocks {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseClocks.class);

    private final Clock clock;
    private boolean isTold;

    public ResponseClocks(Clock clock) {
        this.clock = clock;
    }

    /** Returns the time of this host, for the same field of a request. */
    public Instant now() {
        return clock.instant();
    }

    /**
     * Notes a response.
     *
     * @param dateMillis its field {@code Date}, in epoch milliseconds; 0: it has none
     */
    public void note(long dateMillis) {
        if (dateMillis == 0) {
            return;
        }
        String difference = ClockHint.between(clock.instant(), Instant.ofEpochMilli(dateMillis));
        if (difference == null) {
            if (isTold) {
                LOG.info("The clocks of this host and of the central service agree again");
            }
            isTold = false;
        } else if (!isTold) {
            isTold = true;
            LOG.warn("{}. Set both clocks (NTP): records get wrong times", difference);
        }
    }
}
