package dev.komainu.central.api.service;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.state.Transition;
import java.util.HashMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * The publisher of assessments to the event stream. It runs on the assessment's thread; a topic
 * without a subscriber is not encoded. Each second is published once: a silent service is still
 * assessed, but its last second is not published again.
 */
@Component
class AssessmentPublisher implements AssessmentListener {

    private static final String OVERVIEW = "overview";

    private final EventHub hub;
    private final RecentEvents recent;
    private final FleetQuotas quotas;
    private final ReportingCredentials credentials;
    private final IncidentBoard incidents;

    /** Newest published second of each service; used on the assessment's thread only. */
    private final Map<String, Long> published = new HashMap<>();

    /** Newest published judgements on requested services; used on the assessment's thread only. */
    private final Map<String, LiveJudgementView> judgements = new HashMap<>();

    AssessmentPublisher(
            EventHub hub,
            RecentEvents recent,
            FleetQuotas quotas,
            ReportingCredentials credentials,
            IncidentBoard incidents) {
        this.hub = hub;
        this.recent = recent;
        this.quotas = quotas;
        this.credentials = credentials;
        this.incidents = incidents;
    }

    @Override
    public void assessed(Assessment assessment) {
        for (Transition transition : assessment.transitions()) {
            hub.publish(topic(transition.service()), "transition", TransitionView.of(transition));
        }
        for (ServiceAssessment service : assessment.services()) {
            String id = service.profile().id();
            Long before = published.put(id, service.second());
            boolean fresh = before == null || before < service.second();
            if (fresh && hub.isRequested(topic(id))) {
                if (!service.values().isEmpty()) {
                    hub.publish(topic(id), "point", LivePointView.of(service));
                }
                LiveJudgementView judgement = LiveJudgementView.of(service);
                if (!judgement.equals(judgements.put(id, judgement))) {
                    hub.publish(topic(id), "judgement", judgement);
                }
            }
        }
        judgements.keySet().removeIf(id -> !hub.isRequested(topic(id)));
        published.keySet().removeIf(id -> assessment.service(id) == null);
        if (hub.isRequested(OVERVIEW)) {
            recent.refresh();
            hub.publishStanding(
                    OVERVIEW,
                    OVERVIEW,
                    OverviewView.of(
                            assessment,
                            incidents.open(),
                            recent.newest(),
                            quotas.refused(),
                            credentials));
        }
    }

    private static String topic(String service) {
        return "service:" + service;
    }
}
