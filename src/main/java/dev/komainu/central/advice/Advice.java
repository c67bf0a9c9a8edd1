package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.Text;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One change that would help, for this very server.
 *
 * @param node the leaf of the flowchart it hangs on
 * @param current as discovered, absent when nobody could tell
 * @param currentSource file and line, {@code /proc} path, or {@code default}
 * @param derivation how the proposed value follows from what was measured
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Advice(
        String id,
        String node,
        Text title,
        String setting,
        @Nullable String current,
        @Nullable String currentSource,
        String proposed,
        Text derivation,
        Text cost,
        Text willNotFix,
        String reference,
        List<Step> steps) {

    /** @param command to be copied as it is; absent where there is none */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Step(Kind kind, Text text, @Nullable String command) {}

    /** What a step is for. */
    public enum Kind {
        RUNTIME,
        PERSISTENT,
        RELOAD,
        VERIFY,
        ROLLBACK;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
