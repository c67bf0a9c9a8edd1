package dev.komainu.central.api.cache;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.state.ServiceState;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code Cache} of the contract: one of Komainu's proxies, from its own windows. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record CacheView(
        String id,
        String name,
        @Nullable String node,
        @Nullable String version,
        String mode,
        ServiceState state,
        Instant since,
        boolean takesOrders,
        @Nullable Double requestsPerSecond,
        @Nullable Double originRequestsPerSecond,
        @Nullable Double originFailuresPerSecond,
        @Nullable Double hitRatio,
        @Nullable Double responseP50Millis,
        @Nullable Double originResponseP50Millis,
        @Nullable Double bytes,
        @Nullable Double budgetBytes,
        @Nullable Double objects,
        @Nullable Double evictionsPerSecond,
        @Nullable Double clientConnections,
        Map<String, List<@Nullable Double>> sparklines,
        Instant lastSeen) {

    /**
     * Returns the view.
     *
     * @param takesOrders whether the administrator's file has its control endpoint
     */
    static CacheView of(ServiceAssessment service, boolean takesOrders) {
        ServiceProfile profile = service.profile();
        Map<String, Double> values = service.values();
        Double requests = service.summary().processedPerSecond();
        Double ratio = service.summary().hitRatio();
        Setting mode = profile.setting("mode");
        return new CacheView(
                profile.id(),
                profile.name(),
                profile.node(),
                profile.version(),
                mode == null ? "reverse" : mode.value(),
                service.judgement().state(),
                Instant.ofEpochSecond(service.judgement().sinceSecond()),
                takesOrders,
                requests,
                requests == null || ratio == null ? null : requests * (1 - ratio),
                values.get("originFailuresPerSecond"),
                ratio,
                service.summary().responseP50Millis(),
                values.get("originResponseP50Millis"),
                values.get("cacheBytes"),
                number(profile.setting("cache.memory")),
                values.get("cacheObjects"),
                values.get("evictionsPerSecond"),
                values.get("clientConnections"),
                service.sparklines(),
                Instant.ofEpochMilli(profile.lastSeenMicros() / 1_000));
    }

    private static @Nullable Double number(@Nullable Setting setting) {
        try {
            return setting == null ? null : Double.valueOf(setting.value());
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
