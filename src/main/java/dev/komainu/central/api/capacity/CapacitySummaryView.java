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

    /** @param seen absent until the capacity was computed */
    static CapacitySummaryView of(ServiceAssessment service, @Nullable ServiceCapacity seen) {
        PeakGrowth growth = seen == null ? null : seen.growth();
        return new CapacitySummaryView(
                service.profile().id(),
                service.profile().name(),
                service.judgement().state().label(),
                seen == null ? null : seen.at(),
                seen == null ? null : seen.rateNow(),
                seen == null || seen.model().steps().isEmpty()
                        ? null
                        : seen.model().highest(),
                seen == null ? null : seen.knee(),
                seen == null ? null : seen.headroom(),
                seen == null ? List.of() : seen.model().missing(),
                growth == null ? null : growth.perDay(),
                seen == null ? null : seen.reach());
    }
}
