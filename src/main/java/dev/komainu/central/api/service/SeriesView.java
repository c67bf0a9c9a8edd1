package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code Series} of the contract. */
record SeriesView(
        String service,
        int stepSeconds,
        List<Long> times,
        Map<String, List<@Nullable Double>> columns,
        List<Boolean> underLoss,
        List<Span> states,
        List<Mark> marks) {

    /** One period of the state band. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Span(Instant from, @Nullable Instant to, ServiceState state) {}

    /** An event that is drawn across the charts. */
    record Mark(Instant at, String kind, String text) {}
}
