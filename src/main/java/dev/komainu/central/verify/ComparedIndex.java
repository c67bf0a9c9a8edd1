package dev.komainu.central.verify;

import java.util.List;

/**
 * A compared index and its better direction.
 *
 * @param index name of the index in the catalogue
 * @param better better direction
 * @param group group of the index
 * @param floor differences up to this value, in the index's unit, are negligible even when
 *     significant
 */
record ComparedIndex(String index, Better better, Group group, double floor) {

    /** The better direction of an index. */
    enum Better {
        LESS,
        MORE
    }

    /**
     * The group of an index. Failures take precedence over delays; the host's reserves alone do not
     * decide.
     */
    enum Group {
        FAILURES,
        TIMES,
        RESOURCES
    }

    /** All compared indices, in display order. */
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

    /** Returns the largest negligible difference: the floor, or a twentieth of the value before. */
    double negligible(double before) {
        return Math.max(floor, Comparison.NEGLIGIBLE_SHARE * Math.abs(before));
    }

    /** Returns the difference with its sign set so that a negative value is better. */
    double turned(double difference) {
        return better == Better.LESS ? difference : -difference;
    }
}
