package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code FleetRow} of the contract: what a list of many services shows of one. Immutable.
 *
 * @param labels the labels that count, by key
 * @param idle whether it is normal and had no traffic in the last minute
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record FleetRow(
        String id,
        String name,
        String address,
        List<String> addresses,
        String kind,
        @Nullable String version,
        @Nullable String node,
        @Nullable String originSideOf,
        Map<String, String> labels,
        ServiceState state,
        Instant since,
        LocalizedText cause,
        boolean idle,
        Figures summary) {

    /**
     * The figures of a row, with as many digits as the console shows: three, and integers from 100
     * on. Without the rounding every figure would change in every second.
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Figures(
            @Nullable Double arrivalPerSecond,
            @Nullable Double processedPerSecond,
            @Nullable Double errorsPerSecond,
            @Nullable Double concurrent,
            @Nullable Double responseP95Millis,
            @Nullable Double hitRatio) {

        private static Figures of(ServiceAssessment.Summary summary) {
            return new Figures(
                    rounded(summary.arrivalPerSecond()),
                    rounded(summary.processedPerSecond()),
                    rounded(summary.errorsPerSecond()),
                    rounded(summary.concurrent()),
                    rounded(summary.responseP95Millis()),
                    rounded(summary.hitRatio()));
        }

        private Map<String, @Nullable Object> members() {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            members.put("arrivalPerSecond", arrivalPerSecond);
            members.put("processedPerSecond", processedPerSecond);
            members.put("errorsPerSecond", errorsPerSecond);
            members.put("concurrent", concurrent);
            members.put("responseP95Millis", responseP95Millis);
            members.put("hitRatio", hitRatio);
            return members;
        }
    }

    static FleetRow of(ServiceAssessment service, boolean idle) {
        ServiceView.Identity identity = ServiceView.Identity.of(service.profile());
        return new FleetRow(
                service.profile().id(),
                service.profile().name(),
                identity.address(),
                identity.addresses(),
                identity.kind(),
                service.profile().version(),
                service.profile().node(),
                identity.originSideOf(),
                service.labels().values(),
                service.judgement().state(),
                Instant.ofEpochSecond(service.judgement().sinceSecond()),
                service.judgement().cause(),
                idle,
                Figures.of(service.summary()));
    }

    /** Rounds a figure to the digits that the console shows. */
    static @Nullable Double rounded(@Nullable Double value) {
        if (value == null) {
            return null;
        }
        double size = Math.abs(value);
        if (size >= 100) {
            return (double) Math.round(value);
        }
        if (size >= 10) {
            return Math.round(value * 10) / 10.0;
        }
        return new BigDecimal(value, new MathContext(2, RoundingMode.HALF_UP)).doubleValue();
    }

    /** Reports whether the service has another state than this row. */
    boolean isOutdated(ServiceAssessment service, boolean isIdle) {
        return state != service.judgement().state()
                || since.getEpochSecond() != service.judgement().sinceSecond()
                || idle != isIdle;
    }

    /** Returns all members. */
    Map<String, @Nullable Object> whole() {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.putAll(members());
        row.put("summary", summary);
        return row;
    }

    /** Returns the members that differ from an earlier row, and the id. */
    Map<String, @Nullable Object> since(FleetRow before) {
        Map<String, @Nullable Object> changed = changes(before.members(), members());
        Map<String, @Nullable Object> figures =
                changes(before.summary.members(), summary.members());
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.putAll(changed);
        if (!figures.isEmpty()) {
            row.put("summary", figures);
        }
        return row;
    }

    private Map<String, @Nullable Object> members() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("address", address);
        members.put("addresses", addresses);
        members.put("kind", kind);
        members.put("version", version);
        members.put("node", node);
        members.put("originSideOf", originSideOf);
        members.put("labels", labels);
        members.put("state", state);
        members.put("since", since);
        members.put("cause", cause);
        members.put("idle", idle);
        return members;
    }

    private static Map<String, @Nullable Object> changes(
            Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
        Map<String, @Nullable Object> changed = new LinkedHashMap<>();
        after.forEach((name, value) -> {
            if (!Objects.equals(before.get(name), value)) {
                changed.put(name, value);
            }
        });
        return changed;
    }
}
