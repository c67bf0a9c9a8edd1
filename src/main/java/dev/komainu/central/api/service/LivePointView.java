package dev.komainu.central.api.service;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.state.ServiceState;
import java.util.Map;

/** {@code LivePoint} of the contract: every measured index of one second. */
record LivePointView(
        String service,
        long time,
        ServiceState state,
        boolean underLoss,
        Map<String, Double> values) {

    static LivePointView of(ServiceAssessment service) {
        return new LivePointView(
                service.profile().id(),
                service.second(),
                service.judgement().state(),
                service.underLoss(),
                service.values());
    }
}
