package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostParts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of one host that are at fault, each with the time since when. A fault that is known by
 * events ends when none came for five minutes. Not thread-safe.
 */
final class PartFaultMemory {

    private static final long HOLD_MICROS = 5 * 60 * 1_000_000L;

    private final Map<String, Lasting> lasting = new HashMap<>();

    /** A fault and the time of the newest reading that showed it. */
    private record Lasting(PartFault fault, long seenMicros) {}

    /** Accepts the newest reading; an earlier one is ignored by the caller. */
    void accept(HostParts parts) {
        for (PartFault fault : PartFaults.of(parts)) {
            lasting.compute(
                    fault.kind() + " " + fault.part(),
                    (key, before) -> new Lasting(
                            before == null ? fault : fault.since(before.fault().sinceMicros()),
                            parts.atMicros()));
        }
        lasting.values().removeIf(each -> {
            long unseen = parts.atMicros() - each.seenMicros();
            return each.fault().kind().isCounted() ? unseen > HOLD_MICROS : unseen > 0;
        });
    }

    void clear() {
        lasting.clear();
    }

    /** Returns the faults, the most serious kind first, then by the part's name. */
    List<PartFault> now() {
        List<PartFault> now = new ArrayList<>();
        lasting.values().forEach(each -> now.add(each.fault()));
        now.sort(Comparator.comparing(PartFault::kind).thenComparing(PartFault::part));
        return now;
    }
}
