package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.MissingInput;
import dev.komainu.central.capacity.PeakGrowth;
import dev.komainu.central.capacity.ServiceCapacity;
import dev.komainu.central.capacity.TimeToKnee;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code CapacitySummary} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record CapacitySummaryView(
        String service,
        String name,
        String state,
        @Nullable Instant at,
        @Nullable Double rateNow,
        @Nullable Double highest,
        @Nullable Knee knee,
        @Nullable Double headroom,
        List<MissingInput> missing,
        @Nullable Double growthPerDay,
        @Nullable TimeToKnee reach) {

    /**
     * Returns the view.
     *
     * @param capacity absent until the capacity was computed
     */
    static CapacitySummaryView of(ServiceAssessment service, @Nullable ServiceCapacity capacity) {
        PeakGrowth growth = capacity == null ? null : capacity.growth();
        return new CapacitySummaryView(
                service.profile().id(),
                service.profile().name(),
                service.judgement().state().label(),
                capacity == null ? null : capacity.at(),
                capacity == null ? null : capacity.rateNow(),
                capacity == null || capacity.model().steps().isEmpty()
                        ? null
                        : capacity.model().highest(),
                capacity == null ? null : capacity.knee(),
                capacity == null ? null : capacity.headroom(),
                capacity == null ? List.of() : capacity.model().missing(),
                growth == null ? null : growth.perDay(),
                capacity == null ? null : capacity.reach());
    }
}
