package dev.komainu.proxy.connection;

/**
 * The keep-alive time of idle client connections: longer, the less of the fullest resource is in
 * use.
 *
 * <pre>
 *   plentiful ┤＼
 *             │   ＼
 *        base ┤      ＼________
 *             └──────┴────────── share of the fullest resource in use
 *             0     begin     1
 * </pre>
 *
 * DRM keeps connections "as long as resources suffice" and closes them by age beyond a threshold.
 * Between the two this line leads, so that the threshold is reached with few connections that are
 * all young.
 */
public final class KeepAlive {

    private KeepAlive() {}

    /**
     * Returns the keep-alive time in nanoseconds.
     *
     * @param baseNanos the time at and beyond the threshold
     * @param plentifulNanos the time while nothing is in use
     * @param share the used share of the fullest resource, 0 to 1 and beyond
     * @param beginShare the share at the threshold, above 0
     */
    public static long nanos(long baseNanos, long plentifulNanos, double share, double beginShare) {
        double spare = Math.clamp(1 - share / beginShare, 0, 1);
        return baseNanos + (long) (Math.max(0, plentifulNanos - baseNanos) * spare);
    }
}
