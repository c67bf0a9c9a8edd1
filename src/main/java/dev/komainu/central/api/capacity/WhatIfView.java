package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.capacity.CapacityWhatIf;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.TimeToKnee;
import dev.komainu.central.capacity.UpgradeNeed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code CapacityWhatIf} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record WhatIfView(
        String service,
        double rate,
        @Nullable Knee knee,
        @Nullable Double headroom,
        IntervalView responseMillis,
        @Nullable Double limitMillis,
        List<Used> resources,
        List<Needed> needs,
        @Nullable UsersView users,
        @Nullable TimeToKnee reach,
        List<String> assumptions) {

    /** The use of one resource at the rate. */
    record Used(String resource, IntervalView use, double mark, boolean over) {}

    /** The resource that an upgrade must increase. */
    record Needed(String resource, @Nullable Double factor, String because) {
        static Needed of(UpgradeNeed need) {
            return new Needed(need.resource().text(), need.factor(), need.because());
        }
    }

    static WhatIfView of(CapacityWhatIf effect) {
        return new WhatIfView(
                effect.service(),
                effect.rate(),
                effect.knee(),
                effect.headroom(),
                IntervalView.of(effect.response(), 1_000),
                IntervalView.finite(effect.limitSeconds() * 1_000),
                effect.uses().stream()
                        .map(use -> new Used(
                                use.resource().text(),
                                IntervalView.of(use.share(), 1),
                                use.resource().mark(),
                                use.share().value() > use.resource().mark()))
                        .toList(),
                effect.needs().stream().map(Needed::of).toList(),
                UsersView.of(effect.users(), effect.knee()),
                effect.reach(),
                effect.assumptions());
    }
}
