package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.ProxySplit;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code Outside} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record OutsideView(
        String service,
        @Nullable String originService,
        Instant at,
        int seconds,
        @Nullable Double hitRatio,
        @Nullable Double trafficSaved,
        String counted,
        boolean underLoss,
        ProxySplit.Side clientSide,
        ProxySplit.@Nullable Side originSide,
        ProxySplit.@Nullable ProxyCounters own,
        ProxySplit.@Nullable Log log) {

    /**
     * Returns the view.
     *
     * @param second the newest second of the values
     */
    static OutsideView of(
            String service, @Nullable String originService, long second, ProxySplit sides) {
        return new OutsideView(
                service,
                originService,
                Instant.ofEpochSecond(second),
                sides.seconds(),
                sides.hitRatio(),
                sides.trafficSaved(),
                sides.counted().name().toLowerCase(Locale.ROOT),
                sides.underLoss(),
                sides.clientSide(),
                sides.originSide(),
                sides.own(),
                sides.log());
    }
}
