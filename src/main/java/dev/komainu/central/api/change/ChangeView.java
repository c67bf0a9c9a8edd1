package dev.komainu.central.api.change;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.change.Change;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code Change} of the contract. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ChangeView(
        String id,
        Instant at,
        String by,
        String service,
        String title,
        @Nullable String setting,
        @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String before,
        @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String after,
        @Nullable String adviceId,
        @Nullable String diagnosisId,
        @Nullable String note,
        boolean isNote) {

    static ChangeView of(Change change) {
        Change.Wish wish = change.wish();
        return new ChangeView(
                Long.toString(change.id()),
                change.at(),
                change.by(),
                wish.service(),
                wish.title(),
                wish.setting(),
                wish.before(),
                wish.after(),
                wish.adviceId(),
                wish.diagnosisId(),
                wish.note(),
                change.isNote());
    }
}
