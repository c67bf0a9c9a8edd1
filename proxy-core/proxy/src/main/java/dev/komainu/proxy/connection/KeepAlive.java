package dev.komainu.proxy.connection;

/**
 * How long an idle client connection stays: longer, the less of the fullest resource is in use.
 *
 * <pre>
 *   plentiful ┤＼
 *             │   ＼
 *        base ┤      ＼________
 *             └──────┴────────── share of the fullest resource in use
 *             0     begin     1
 * </pre>
 *
 * DRM keeps them "as long as resources suffice" and closes by age beyond a threshold; between the
 * two this line leads, so that the threshold is met by few connections that are all young.
 */
public final class KeepAlive {

    private KeepAlive() {}

    /**
     * @param baseNanos at and beyond the threshold
     * @param plentifulNanos while nothing is in use
     * @param share of the fullest resource, 0 to 1 and beyond
     * @param beginShare of the threshold, above 0
     */
    public static long nanos(long baseNanos, long plentifulNanos, double share, double beginShare) {
        double spare = Math.clamp(1 - share / beginShare, 0, 1);
        return baseNanos + (long) (Math.max(0, plentifulNanos - baseNanos) * spare);
    }
}
