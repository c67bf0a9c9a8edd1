package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.capacity.Upgrade;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code Upgrade} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record UpgradeView(
        String changeId,
        String service,
        String title,
        Instant at,
        @Nullable BigDecimal cost,
        @Nullable String currency,
        Upgrade.@Nullable Side before,
        Upgrade.@Nullable Side after,
        @Nullable Double gain,
        @Nullable Double ratio,
        @Nullable Double perCost,
        boolean certain) {

    static UpgradeView of(Upgrade.Effect effect) {
        Upgrade upgrade = effect.upgrade();
        return new UpgradeView(
                Long.toString(upgrade.changeId()),
                upgrade.service(),
                upgrade.title(),
                upgrade.at(),
                upgrade.cost(),
                upgrade.currency(),
                upgrade.before(),
                effect.after(),
                effect.gain(),
                effect.ratio(),
                effect.perCost(),
                effect.certain());
    }
}
