package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One change that would help, for this very server.
 *
 * @param node the leaf of the flowchart it hangs on
 * @param current in force, as discovered; absent when unknown
 * @param currentSource file and line, {@code /proc} path, or {@code default}
 * @param derivation how the proposed value follows from what was measured
 * @param place which part of the file it belongs to, as the book names it: {@code main},
 *     {@code events}, {@code global} …
 * @param file where it is to be written; absent where it stands in no file
 * @param line of the file, counted from 1, where it stands now; absent when it stands nowhere yet
 * @param before as written in the file now; absent when the file does not say it and the default
 *     counts
 * @param after as it is to be written
 * @param effect what it takes to come into force; absent in runs kept by older versions
 * @param dropsConnections whether that cuts connections which are open
 * @param conflicts other places that win over this one, or cap it
 * @param tried false: never tried by us, the reference is all there is
 * @param system operating system or server it is for; absent: the one that was found
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Advice(
        String id,
        String node,
        LocalizedText title,
        String setting,
        @Nullable String current,
        @Nullable String currentSource,
        String proposed,
        LocalizedText derivation,
        @Nullable String place,
        @Nullable String file,
        @Nullable Integer line,
        @Nullable String before,
        @Nullable String after,
        @Nullable Effect effect,
        @Nullable Boolean dropsConnections,
        List<LocalizedText> conflicts,
        LocalizedText cost,
        LocalizedText willNotFix,
        String reference,
        Boolean tried,
        @Nullable String system,
        List<Step> steps) {

    public Advice {
        // Runs kept by older versions have none of these.
        conflicts = conflicts == null ? List.of() : List.copyOf(conflicts);
        tried = Objects.requireNonNullElse(tried, true);
    }

    /** @param command to be copied as it is; absent where there is none */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Step(
            Kind kind, LocalizedText text, @Nullable String command) {}

    /** The purpose of a step. */
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

    /** The action that makes a value take effect. */
    public enum Effect {
        /** Nothing: it counts as soon as it is set. */
        LIVE,
        /** The server reads its files again and goes on. */
        RELOAD,
        /** The server, or the host, starts anew. */
        RESTART;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
