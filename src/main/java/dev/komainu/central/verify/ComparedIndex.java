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
record ComparedIndex(String index, Better better, Group group, double floor) {

    /** The better direction of an index. */
    enum Better {
        LESS,
        MORE
    }

    /**
     * The group of an index: failures go before delays; the host's reserves decide nothing alone.
     */
    enum Group {
        FAILURES,
        TIMES,
        RESOURCES
    }

    /** In the order they are shown. */
    static final List<ComparedIndex> ALL = List.of(
            new ComparedIndex("responseP50Millis", Better.LESS, Group.TIMES, 0.2),
            new ComparedIndex("responseP95Millis", Better.LESS, Group.TIMES, 0.5),
            new ComparedIndex("processedPerSecond", Better.MORE, Group.FAILURES, 0.5),
            new ComparedIndex("errorsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new ComparedIndex("refusedPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new ComparedIndex("noAnswerPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new ComparedIndex("synRepeatsPerSecond", Better.LESS, Group.FAILURES, 0.2),
            new ComparedIndex("serverResetsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new ComparedIndex("timeoutsPerSecond", Better.LESS, Group.FAILURES, 0.1),
            new ComparedIndex("concurrentMean", Better.LESS, Group.RESOURCES, 1),
            new ComparedIndex("processingMean", Better.LESS, Group.RESOURCES, 1),
            new ComparedIndex("hostCpuIdleShare", Better.MORE, Group.RESOURCES, 0.02),
            new ComparedIndex("hostMemoryAvailableShare", Better.MORE, Group.RESOURCES, 0.02),
            new ComparedIndex("hostMajorFaultsPerSecond", Better.LESS, Group.RESOURCES, 1),
            new ComparedIndex("listenOverflowsPerSecond", Better.LESS, Group.RESOURCES, 0.1),
            new ComparedIndex("acceptQueueShare", Better.LESS, Group.RESOURCES, 0.02),
            new ComparedIndex("openFilesShare", Better.LESS, Group.RESOURCES, 0.02),
            new ComparedIndex("hitRatio", Better.MORE, Group.RESOURCES, 0.02));

    /** The size of a difference that means nothing: the floor, or a twentieth of what was. */
    double negligible(double before) {
        return Math.max(floor, Comparison.NEGLIGIBLE_SHARE * Math.abs(before));
    }

    /** A difference so turned that less than zero is better. */
    double turned(double difference) {
        return better == Better.LESS ? difference : -difference;
    }
}
