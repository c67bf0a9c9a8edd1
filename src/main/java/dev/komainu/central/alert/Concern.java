package dev.komainu.central.alert;

import dev.komainu.central.alert.AlertRule.Verdict;
import dev.komainu.central.incident.Incident;
import dev.komainu.central.incident.IncidentMember;
import dev.komainu.central.indices.LocalizedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The finding of one rule at one tick on one subject, or on one incident. The services of an
 * incident count as one, so that a fault that several services feel is one alert.
 *
 * @param key of the subject or incident among all of the rule
 * @param incident id of the incident; absent for a subject of its own
 * @param observation of the subject; of an incident that of its root if the rule covers it, else of
 *     the first service that it covers
 * @param isSettled false while the root of the incident is awaited; no alert fires until then
 * @param isContinuedElsewhere whether the incident ended because another one continues it
 */
record Concern(
        String key,
        @Nullable String incident,
        Verdict verdict,
        Observation observation,
        boolean isSettled,
        boolean isContinuedElsewhere) {

    private static final String INCIDENT = "incident:";

    /** Returns the key of the subject or incident of an alert. */
    static String keyOf(Alert alert) {
        return alert.incident() == null ? alert.subject() : INCIDENT + alert.incident();
    }

    /**
     * Evaluates a rule on the observations.
     *
     * @param incidents returns the incident of a service; null when it belongs to none
     * @param firing the alerts of this rule that fire: an incident may end before its alert
     */
    static List<Concern> of(
            AlertRule rule,
            List<Observation> observations,
            Function<String, @Nullable Incident> incidents,
            List<Alert> firing) {
        List<Concern> concerns = new ArrayList<>();
        Map<String, Incident> lasting = new LinkedHashMap<>();
        Map<String, List<Observation>> byIncident = new HashMap<>();
        Map<String, Observation> covered = new HashMap<>();
        for (Observation observation : observations) {
            Verdict verdict = rule.evaluate(observation);
            if (verdict == Verdict.NOT_CONCERNED) {
                continue;
            }
            String subject = observation.subject();
            Incident incident =
                    observation.kind() == AlertKind.SERVICE ? incidents.apply(subject) : null;
            covered.put(subject, observation);
            if (incident == null) {
                concerns.add(new Concern(subject, null, verdict, observation, true, false));
            } else {
                lasting.put(incident.id(), incident);
                byIncident
                        .computeIfAbsent(incident.id(), id -> new ArrayList<>())
                        .add(observation);
            }
        }
        lasting.forEach((id, incident) ->
                concerns.add(ofIncident(rule, incident, byIncident.getOrDefault(id, List.of()))));
        for (Alert alert : firing) {
            Observation observation = covered.get(alert.subject());
            if (alert.incident() != null
                    && !lasting.containsKey(alert.incident())
                    && observation != null) {
                concerns.add(new Concern(
                        keyOf(alert),
                        alert.incident(),
                        Verdict.HOLDS_NOT,
                        observation,
                        true,
                        incidents.apply(alert.subject()) != null));
            }
        }
        return concerns;
    }

    private static Concern ofIncident(
            AlertRule rule, Incident incident, List<Observation> observations) {
        List<Observation> active = observations.stream()
                .filter(each -> isActive(incident, each.subject()))
                .toList();
        Observation first = (active.isEmpty() ? observations : active)
                .stream()
                        .min(Comparator.comparing(
                                        (Observation each) -> rule.evaluate(each) != Verdict.HOLDS)
                                .thenComparing(each -> !each.subject().equals(incident.root()))
                                .thenComparing(Observation::since)
                                .thenComparing(Observation::subject))
                        .orElseThrow();
        // The root has recovered, and others still feel it: the alert continues as it is.
        boolean isAftermath = !active.isEmpty()
                && observations.stream()
                        .anyMatch(each -> each.subject().equals(incident.root())
                                && !isActive(incident, each.subject()));
        return new Concern(
                INCIDENT + incident.id(),
                incident.id(),
                isAftermath ? Verdict.NOT_OBSERVABLE : rule.evaluate(first),
                first.with(text(first, incident)),
                incident.settled(),
                false);
    }

    private static boolean isActive(Incident incident, String service) {
        IncidentMember member = incident.member(service);
        return member != null && member.until() == null;
    }

    /** Returns the cause, and the other services of the incident. */
    private static LocalizedText text(Observation observation, Incident incident) {
        boolean isRoot = observation.subject().equals(incident.root());
        String felt = incident.members().stream()
                .map(IncidentMember::service)
                .filter(service -> isActive(incident, service)
                        && !service.equals(incident.root())
                        && !service.equals(observation.subject()))
                .collect(Collectors.joining(", "));
        String en = observation.text().en();
        String ja = observation.text().ja();
        if (!isRoot) {
            en += ". Root of the incident: " + incident.root();
            ja += "。インシデントの起点:" + incident.root();
        }
        if (!felt.isEmpty()) {
            en += ". Also affected: " + felt;
            ja += "。影響を受けているサービス:" + felt;
        }
        return LocalizedText.of(en, ja);
    }
}
