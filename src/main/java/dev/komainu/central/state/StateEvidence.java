package dev.komainu.central.state;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The evidence of states that no rule names, and what the newest sample adds to a rule's. */
final class StateEvidence {

    /** Rules that say that another program uses the CPUs. */
    private static final Set<String> OTHER_PROGRAMS = Set.of("cpu/waits", "cpu/others");

    private StateEvidence() {}

    /** Returns the program that takes the CPU, where a rule says that another one does. */
    static List<Evidence> others(Rule named, MeasurementView view) {
        LocalizedText other = view.busiestOther();
        return other == null || !OTHER_PROGRAMS.contains(named.id())
                ? List.of()
                : List.of(Evidence.ofText("hostOtherCores", other, IndexSource.KERNEL));
    }

    /** Returns the parts of the host that are at fault, with the time since when. */
    static List<Evidence> parts(MeasurementView view) {
        return view.partFaults().stream()
                .map(fault -> Evidence.ofText(
                        fault.kind().measure(), fault.sentence(), IndexSource.KERNEL))
                .toList();
    }

    static List<Evidence> refusals(MeasurementView view) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(view.read("refusedPerSecond", 10)));
        evidence.add(Evidence.of(view.read("processedPerSecond", 10)));
        evidence.add(Evidence.of(view.read("serverResetsPerSecond", 10)));
        if (!Double.isNaN(view.now("serverProcesses", 1))) {
            evidence.add(Evidence.of(view.read("serverProcesses", 1)));
        }
        for (String left : List.of("successorProcesses", "supervised")) {
            if (!Double.isNaN(view.now(left, 1))) {
                evidence.add(Evidence.of(view.read(left, 1)));
            }
        }
        evidence.addAll(parts(view));
        return evidence;
    }

    static List<Evidence> normal(MeasurementView view, CollectorPresence presence) {
        List<Evidence> evidence = new ArrayList<>();
        double arriving = view.now("arrivalPerSecond", 60);
        if (!(arriving > 0)) {
            evidence.add(
                    Evidence.ofText("arrivalPerSecond", StateTexts.SILENT, IndexSource.PACKETS));
        }
        evidence.add(Evidence.of(view.read("arrivalPerSecond", 10)));
        evidence.add(Evidence.of(view.read("processedPerSecond", 10)));
        if (arriving > 0) {
            evidence.add(Evidence.of(view.read("responseP50Millis", 10)));
        }
        if (presence.hostReports()) {
            evidence.add(Evidence.of(view.read("hostCpuIdleShare", 10)));
        } else {
            evidence.add(
                    Evidence.ofText("hostCpuIdleShare", StateTexts.NO_HOST, IndexSource.KERNEL));
        }
        evidence.addAll(parts(view));
        return evidence;
    }

    static List<Evidence> unheard(CollectorPresence presence) {
        return List.of(Evidence.ofText(
                "connectionsPerSecond", StateTexts.unheard(presence), IndexSource.DISCOVERY));
    }
}
