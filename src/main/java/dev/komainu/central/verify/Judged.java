package dev.komainu.central.verify;

import java.util.List;

/**
 * An index that is compared, and what better means for it.
 *
 * @param index name in the catalogue
 * @param better which way is better
 * @param group what it tells about
 * @param floor differences up to this, in the index's unit, mean nothing whatever chance says
 */
record Judged(String index, Better better, Group group, double floor) {

    /** Which way is better. */
    enum Better {
        LESS,
        MORE
    }

    /** What clients do not get goes before what they get late; what the host has left decides nothing by itself. */
    enum Group {
        FAILURES,
        TIMES,
        RESOURCES
    }

    /** In the order they are shown. */
    static final List<Judged> ALL = List.of(
            new Judged("responseP50Millis", Better.LESS, Group.TIMES, 0.2),
            new Judged("responseP95Millis", Better.LESS, Group.TIMES, 0.5),
            new Judged("processedPerSecond", Better.MORE, Group.FAILURES, 0.5),
            new Judged("errorsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new Judged("refusedPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new Judged("noAnswerPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new Judged("synRepeatsPerSecond", Better.LESS, Group.FAILURES, 0.2),
            new Judged("serverResetsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new Judged("timeoutsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new Judged("concurrentMean", Better.LESS, Group.RESOURCES, 1),
            new Judged("processingMean", Better.LESS, Group.RESOURCES, 1),
            new Judged("hostCpuIdleShare", Better.MORE, Group.RESOURCES, 0.02),
            new Judged("hostMemoryAvailableShare", Better.MORE, Group.RESOURCES, 0.02),
            new Judged("hostMajorFaultsPerSecond", Better.LESS, Group.RESOURCES, 1),
            new Judged("listenOverflowsPerSecond", Better.LESS, Group.RESOURCES, 0.1),
            new Judged("acceptQueueShare", Better.LESS, Group.RESOURCES, 0.02),
            new Judged("openFilesShare", Better.LESS, Group.RESOURCES, 0.02),
            new Judged("hitRatio", Better.MORE, Group.RESOURCES, 0.02));

    /** The size of a difference that means nothing: the floor, or a twentieth of what was. */
    double negligible(double before) {
        return Math.max(floor, Comparison.NEGLIGIBLE_SHARE * Math.abs(before));
    }

    /** A difference so turned that less than zero is better. */
    double turned(double difference) {
        return better == Better.LESS ? difference : -difference;
    }
}
