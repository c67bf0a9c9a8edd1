package dev.komainu.proxy.exchange;

/**
 * The limits of one HTTP/2 connection for frames without a use, as two token buckets. One is for
 * control frames (PING, SETTINGS, PRIORITY, WINDOW_UPDATE, CONTINUATION, DATA that is empty or only
 * padding, unknown ones; RFC 9113 section 10.5). The other is for requests that are cancelled or
 * made to fail (rapid reset, CVE-2023-44487, and its counterpart CVE-2025-8671). Both refill with
 * time. The first also refills with useful frames: a client responds to each DATA frame with at
 * most two WINDOW_UPDATEs.
 *
 * <table><caption>Buckets</caption>
 * <tr><td>noise</td><td>{@value #NOISE}</td><td>{@value #NOISE_A_SECOND} a second, {@value #FOR_DATA} for each DATA frame
 * sent, {@value #FOR_REQUEST} for each request</td></tr>
 * <tr><td>resets</td><td>{@value #RESETS}</td><td>{@value #RESETS_A_SECOND} a second</td></tr>
 * </table>
 *
 * One event loop owns it.
 */
final class ControlFrameBudget {

    static final int NOISE = 1000;
    static final int NOISE_A_SECOND = 100;
    static final int RESETS = 200;
    static final int RESETS_A_SECOND = 20;
    private static final int FOR_DATA = 2;
    private static final int FOR_REQUEST = 4;
    private static final long SECOND = 1_000_000_000L;

    private long noiseLeft = NOISE;
    private long resetsLeft = RESETS;
    private long noiseFilled;
    private long resetsFilled;

    ControlFrameBudget(long nowNanos) {
        noiseFilled = nowNanos;
        resetsFilled = nowNanos;
    }

    /** Adds the tokens of a request. */
    void request() {
        noiseLeft = Math.min(NOISE, noiseLeft + FOR_REQUEST);
    }

    /** Adds the tokens of a DATA frame that was sent. */
    void sent() {
        noiseLeft = Math.min(NOISE, noiseLeft + FOR_DATA);
    }

    /**
     * Takes a token for a frame without a use.
     *
     * @return false when the limit is exceeded
     */
    boolean noise(long nowNanos) {
        if (noiseLeft == 0) {
            long due = (nowNanos - noiseFilled) / (SECOND / NOISE_A_SECOND);
            noiseLeft = Math.min(NOISE, due);
            noiseFilled = nowNanos;
        }
        return noiseLeft-- > 0 || refuseNoise();
    }

    private boolean refuseNoise() {
        noiseLeft = 0;
        return false;
    }

    /**
     * Takes a token for a request that was cancelled or made to fail.
     *
     * @return false when the limit is exceeded
     */
    boolean reset(long nowNanos) {
        if (resetsLeft == 0) {
            long due = (nowNanos - resetsFilled) / (SECOND / RESETS_A_SECOND);
            resetsLeft = Math.min(RESETS, due);
            resetsFilled = nowNanos;
        }
        if (resetsLeft == 0) {
            return false;
        }
        resetsLeft--;
        return true;
    }
}
