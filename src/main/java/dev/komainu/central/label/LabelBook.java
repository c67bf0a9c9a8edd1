package dev.komainu.central.label;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.label.ServiceLabel.Origin;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The labels of all services: those set by hand, the rules, and what the sources report.
 *
 * <p>Precedence for one key, highest first: set by hand, the agent's settings, rules, discovery. So
 * a person's word for one service goes before everything, a host's owner before a pattern of the
 * centre, and what a program was seen to be comes last.
 *
 * <p>Any thread: readers see one immutable snapshot, writers are serialized. The result for a
 * service is computed again only when its profile's names, its reported labels or the snapshot
 * changed.
 */
@Component
public class LabelBook implements ServiceLabelling {

    private static final int MOST_CACHED = 10_000;

    private final LabelTable table;
    private final Clock clock;
    private final Map<String, Computed> computed = new ConcurrentHashMap<>();
    private volatile Snapshot snapshot;

    private record Snapshot(Map<String, Map<String, HandLabel>> byHand, List<LabelRule> rules) {}

    /** Labels with what they were computed from. */
    private record Computed(
            Snapshot from,
            List<ReportedLabel> reported,
            String name,
            @Nullable String node,
            String kind,
            ServiceLabels labels) {

        // A snapshot is replaced as a whole: the same object has the same contents.
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(ServiceProfile profile, Snapshot now) {
            return from == now
                    && reported.equals(profile.labels())
                    && name.equals(profile.name())
                    && Objects.equals(node, profile.node())
                    && kind.equals(profile.kind());
        }
    }

    public LabelBook(LabelTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
        this.snapshot = read();
    }

    @Override
    public ServiceLabels of(ServiceProfile profile) {
        Snapshot now = snapshot;
        Computed before = computed.get(profile.id());
        if (before != null && before.isOf(profile, now)) {
            return before.labels();
        }
        ServiceLabels labels = ServiceLabels.of(candidates(profile, now));
        if (computed.size() >= MOST_CACHED) {
            computed.clear();
        }
        computed.put(
                profile.id(),
                new Computed(
                        now,
                        profile.labels(),
                        profile.name(),
                        profile.node(),
                        profile.kind(),
                        labels));
        return labels;
    }

    /** Returns every label given to a service, also those that do not count. */
    public List<ServiceLabel> given(ServiceProfile profile) {
        return candidates(profile, snapshot).stream()
                .sorted(Comparator.comparing(ServiceLabel::key).thenComparing(ServiceLabel::origin))
                .toList();
    }

    private static List<ServiceLabel> candidates(ServiceProfile profile, Snapshot now) {
        List<ServiceLabel> all = new ArrayList<>();
        now.byHand()
                .getOrDefault(profile.id(), Map.of())
                .values()
                .forEach(hand -> all.add(new ServiceLabel(hand.label(), Origin.HAND, hand.by())));
        for (LabelRule rule : now.rules()) {
            if (rule.matches(profile)) {
                all.add(new ServiceLabel(rule.label(), Origin.RULE, Long.toString(rule.id())));
            }
        }
        all.addAll(reported(profile));
        return all;
    }

    static List<ServiceLabel> reported(ServiceProfile profile) {
        return profile.labels().stream()
                .map(one -> new ServiceLabel(
                        one.label(),
                        one.source().equals(ReportedLabel.OF_SETTINGS)
                                ? Origin.AGENT
                                : Origin.DISCOVERY,
                        one.source()))
                .toList();
    }

    public List<LabelRule> rules() {
        return snapshot.rules();
    }

    /** The outcome of setting a label or creating a rule. */
    public enum Outcome {
        DONE,
        /** Refused: as many exist as may. */
        FULL
    }

    /**
     * Sets a label of one service.
     *
     * @param service canonical id
     * @return {@link Outcome#FULL} when the service has {@link Label#MOST_OF_A_SERVICE} others that
     *     were set by hand
     */
    public synchronized Outcome set(String service, Label label, String by) {
        Map<String, HandLabel> before = snapshot.byHand().getOrDefault(service, Map.of());
        if (!before.containsKey(label.key()) && before.size() >= Label.MOST_OF_A_SERVICE) {
            return Outcome.FULL;
        }
        table.save(new HandLabel(service, label, by, now()));
        snapshot = read();
        return Outcome.DONE;
    }

    /** Returns the value that was set by hand; null when none was. */
    public @Nullable String setByHand(String service, String key) {
        HandLabel hand = snapshot.byHand().getOrDefault(service, Map.of()).get(key);
        return hand == null ? null : hand.label().value();
    }

    /** Removes a label that was set by hand; without one this has no effect. */
    public synchronized void unset(String service, String key) {
        table.delete(service, key);
        snapshot = read();
    }

    /** Creates a rule; null when there are {@link LabelRule#MOST}. */
    public synchronized @Nullable LabelRule addRule(
            @Nullable String service,
            @Nullable String node,
            @Nullable String kind,
            Label label,
            String by) {
        if (snapshot.rules().size() >= LabelRule.MOST) {
            return null;
        }
        Instant at = now();
        long id = table.add(service, node, kind, label, by, at);
        snapshot = read();
        return new LabelRule(id, service, node, kind, label, by, at);
    }

    /** Deletes a rule and returns it; null when it does not exist. */
    public synchronized @Nullable LabelRule deleteRule(long id) {
        for (LabelRule rule : snapshot.rules()) {
            if (rule.id() == id) {
                table.deleteRule(id);
                snapshot = read();
                return rule;
            }
        }
        return null;
    }

    private Snapshot read() {
        Map<String, Map<String, HandLabel>> byHand = new HashMap<>();
        table.byHand()
                .forEach(hand -> byHand.computeIfAbsent(hand.service(), id -> new HashMap<>())
                        .put(hand.label().key(), hand));
        return new Snapshot(byHand, List.copyOf(table.rules()));
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }
}
