package dev.komainu.central.indices;

import java.util.HashMap;
import java.util.Map;

/**
 * The rule that updates baselines: every ten seconds, while the service is normal and far from its
 * thresholds. A server that is saturated from the start must not make saturation its baseline. Used
 * by the assessment's thread only.
 */
public final class BaselineLearner {

    private static final int EVERY_SECONDS = 10;

    /**
     * Responses that ten seconds must contain at least: a median of fewer responses is not
     * significant.
     */
    private static final int ENOUGH_ANSWERS = 10;

    /** Ratio to the baseline above which a value is not usual, even when no rule holds. */
    private static final double USUAL_RATIO = 2;

    private final LiveIndices live;
    private final Map<String, Long> lastSecond = new HashMap<>();

    public BaselineLearner(LiveIndices live) {
        this.live = live;
    }

    /**
     * Learns from the last ten seconds when they are suitable.
     *
     * @return whether the baseline was updated
     */
    public boolean learn(MeasurementView view, boolean normal) {
        long last = lastSecond.getOrDefault(view.service(), 0L);
        if (!normal || view.second() - last < EVERY_SECONDS || !isFarFromThresholds(view)) {
            return false;
        }
        lastSecond.put(view.service(), view.second());
        live.baseline(
                view.service(),
                view.baseline()
                        .learn(
                                view.now("responseP50Millis", EVERY_SECONDS),
                                view.now("transferP50Millis", EVERY_SECONDS),
                                originMillis(view),
                                usualFailures(view),
                                view.now("serverProcesses", EVERY_SECONDS),
                                view.now("clientDataRoundTripP50Millis", EVERY_SECONDS)));
        return true;
    }

    /**
     * Returns the response time of the origin: as Komainu's own proxy reports it, else from the
     * packets of the origin side.
     */
    private static double originMillis(MeasurementView view) {
        double reported = view.now("originResponseP50Millis", EVERY_SECONDS);
        return Double.isNaN(reported)
                ? view.now("originSideResponseP50Millis", EVERY_SECONDS)
                : reported;
    }

    /** Returns the failure share of the last seconds: the usual share plus the excess over it. */
    private static double usualFailures(MeasurementView view) {
        double learned = view.baseline().failureShare();
        double usual = view.baseline().ready() && !Double.isNaN(learned) ? learned : 0;
        return view.now("failureExcessShare", EVERY_SECONDS) + usual;
    }

    private static boolean isFarFromThresholds(MeasurementView view) {
        double processed = view.now("processedPerSecond", EVERY_SECONDS);
        return processed * EVERY_SECONDS >= ENOUGH_ANSWERS
                && processed >= 0.8 * view.now("arrivalPerSecond", EVERY_SECONDS)
                && !(view.now("responseRatio", EVERY_SECONDS) > USUAL_RATIO)
                && !(view.now("transferRatio", EVERY_SECONDS) > USUAL_RATIO)
                && !(view.now("originResponseRatio", EVERY_SECONDS) > USUAL_RATIO)
                && !(view.now("originSideResponseRatio", EVERY_SECONDS) > USUAL_RATIO)
                && !(view.now("groupThrottledShare", EVERY_SECONDS) > 0.1)
                && !(view.now("workersBusyShare", EVERY_SECONDS) > 0.7)
                && !(view.now("acceptQueueShare", EVERY_SECONDS) > 0.3)
                && !isShortOfCpu(view)
                && !(view.now("synRepeatShare", EVERY_SECONDS) > 0.02);
    }

    /**
     * Reports whether the host has almost no idle CPU and the server may have to wait for it. Other
     * programs of low priority may use all of a host without any effect on the server.
     */
    private static boolean isShortOfCpu(MeasurementView view) {
        return view.now("hostCpuIdleShare", EVERY_SECONDS) < 0.15
                && !(view.now("serverCpuWaitingShare", EVERY_SECONDS) < 0.1);
    }

    /** Removes a service that is no longer watched. */
    public void forget(String service) {
        lastSecond.remove(service);
    }
}
