package dev.komainu.central.group;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.WindowTotals;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.state.ServiceState.Severity;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * The groups of services, and the mirrors among them. Services of one kind with the same value of
 * the label {@value #MIRROR} are mirrors: they are to behave alike, and the one that does not is
 * named, see {@link MirrorWatch}.
 *
 * <p>{@link #assessed} belongs to the assessment's thread; it publishes the findings as one
 * immutable map. The other methods may be called from any thread.
 */
@Component
public class GroupBoard implements AssessmentListener {

    /** The key whose values name groups of mirrors. */
    public static final String MIRROR = "mirror";

    /** Seconds that a window may arrive late: the newest block is judged when they are over. */
    private static final int LATE_SECONDS = 4;

    private final LiveIndices live;
    private final Map<String, MirrorWatch> watches = new HashMap<>();
    private final Map<String, Troubles> troubles = new HashMap<>();
    private long judged = Long.MIN_VALUE;
    private volatile Map<String, OddMember> odd = Map.of();

    public GroupBoard(LiveIndices live) {
        this.live = live;
    }

    @Override
    public void assessed(Assessment assessment) {
        for (ServiceAssessment service : assessment.services()) {
            if (service.labels().value(MIRROR) != null) {
                troubles.computeIfAbsent(service.profile().id(), any -> new Troubles())
                        .add(service.judgement().state().severity());
            }
        }
        long complete = assessment.at().getEpochSecond() - 1 - LATE_SECONDS;
        long end = Math.floorDiv(complete + 1, MirrorWatch.BLOCK_SECONDS)
                        * (long) MirrorWatch.BLOCK_SECONDS
                - 1;
        if (end == judged) {
            return;
        }
        judged = end;
        Map<String, List<ServiceAssessment>> mirrors = new TreeMap<>();
        for (ServiceAssessment service : assessment.services()) {
            String value = service.labels().value(MIRROR);
            if (value != null && isMember(service)) {
                mirrors.computeIfAbsent(
                                value + " " + service.profile().kind(), key -> new ArrayList<>())
                        .add(service);
            }
        }
        watches.keySet().retainAll(mirrors.keySet());
        Map<String, OddMember> found = new HashMap<>();
        mirrors.forEach((key, members) -> {
            MirrorWatch watch = watches.computeIfAbsent(key, any -> new MirrorWatch());
            Map<String, MirrorWindow> block = new LinkedHashMap<>();
            for (ServiceAssessment member : members) {
                WindowTotals totals = new WindowTotals();
                String id = member.profile().id();
                live.addTo(totals, id, end, MirrorWatch.BLOCK_SECONDS);
                Troubles trouble = troubles.get(id);
                block.put(
                        id,
                        MirrorWindow.of(
                                totals,
                                trouble == null ? 0 : trouble.share(),
                                member.profile().limits()));
            }
            watch.add(end, block);
            watch.named().forEach(one -> found.put(one.service(), one));
        });
        troubles.clear();
        odd = Map.copyOf(found);
    }

    /** Judgements of one member since the last block, and those with a saturation or a fault. */
    private static final class Troubles {
        private static final Set<Severity> TROUBLE =
                EnumSet.of(Severity.SATURATED, Severity.FAULT, Severity.STOPPED);

        private int judgements;
        private int troubled;

        void add(Severity severity) {
            judgements++;
            troubled += TROUBLE.contains(severity) ? 1 : 0;
        }

        double share() {
            return judgements == 0 ? 0 : (double) troubled / judgements;
        }
    }

    /** Returns the mirrors among these services that differ from their peers. */
    public List<OddMember> odd(Set<String> services) {
        return new TreeMap<>(odd)
                .values().stream()
                        .filter(one -> services.contains(one.service()))
                        .toList();
    }

    /**
     * Returns the members of a group, worst first. An origin side is no member: it is a second view
     * of requests of its proxy.
     */
    public static List<ServiceAssessment> members(Assessment assessment, LabelSelector selector) {
        return assessment.services().stream()
                .filter(service -> isMember(service) && selector.matches(service.labels()))
                .toList();
    }

    /** Reports whether a service can be a member of a group. */
    public static boolean isMember(ServiceAssessment service) {
        return OriginSide.proxyOf(service.profile().id()) == null;
    }

    /** Returns the totals of services over the seconds up to and including {@code end}. */
    public WindowTotals totals(List<ServiceAssessment> members, long end, int seconds) {
        WindowTotals totals = new WindowTotals();
        for (ServiceAssessment member : members) {
            live.addTo(totals, member.profile().id(), end, seconds);
        }
        return totals;
    }
}
