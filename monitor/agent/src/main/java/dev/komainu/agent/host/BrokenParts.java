package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a sample whose fault visitors may notice at any time: links and the queues of CPUs.
 * A full file system is left out: while no request fails, it may stay full for weeks. Pure.
 */
final class BrokenParts {

    private static final double MANY_DROPS = 10;

    private BrokenParts() {}

    /** Returns a short name of each such part, always the same for the same part. */
    static List<String> of(HostSample sample) {
        HostParts parts = sample.parts();
        List<String> broken = new ArrayList<>();
        if (parts == null) {
            return broken;
        }
        for (HostParts.Card card : parts.cards()) {
            if (card.linkDown() == 1) {
                broken.add("link of " + card.name() + " is down");
            }
            if (!card.errors().isEmpty()) {
                broken.add(card.name() + " damages or loses packets");
            }
        }
        if (parts.perSecond(parts.backlogDrops()) >= MANY_DROPS) {
            broken.add("the queue of a CPU drops packets");
        }
        return broken;
    }
}
