package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.Certainty;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code LiveJudgement} of the contract: the newest judgement on one service. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record LiveJudgementView(
        String service,
        ServiceState state,
        Instant since,
        LocalizedText cause,
        List<Evidence> evidence,
        List<ServiceState> otherCauses,
        @Nullable Certainty certainty) {

    static LiveJudgementView of(ServiceAssessment service) {
        Judgement judgement = service.judgement();
        return new LiveJudgementView(
                service.profile().id(),
                judgement.state(),
                Instant.ofEpochSecond(judgement.sinceSecond()),
                judgement.cause(),
                judgement.evidence(),
                judgement.otherCauses(),
                judgement.certainty());
    }
}
