package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One recommended change for one server.
 *
 * @param node the leaf of the flowchart it belongs to
 * @param current value in force, as discovered; absent when unknown
 * @param currentSource file and line, {@code /proc} path, or {@code default}
 * @param derivation derivation of the proposed value from the measurements
 * @param place part of the file it belongs to, as the catalogue names it: {@code main},
 *     {@code events}, {@code global} …
 * @param file file of the setting; absent when it is in no file
 * @param line current line of the setting, counted from 1; absent when it is in no file yet
 * @param before present text in the file; absent when the file does not contain it and the default
 *     applies
 * @param after new text in the file
 * @param effect action that makes the change take effect; absent in runs stored by older versions
 * @param dropsConnections whether that action cuts open connections
 * @param conflicts other places that override this one, or limit it
 * @param tried false: never tested by the authors, the reference is the only source
 * @param companions values of the same file that change together with this one: one change, one
 *     restart
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
        List<Companion> companions,
        List<Step> steps) {

    public Advice {
        // Absent in runs stored by older versions.
        conflicts = conflicts == null ? List.of() : List.copyOf(conflicts);
        companions = companions == null ? List.of() : List.copyOf(companions);
        tried = Objects.requireNonNullElse(tried, true);
    }

    /**
     * Another value that changes together with the advised one.
     *
     * @param current value in force, as discovered
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Companion(String id, String setting, String current, String proposed) {}

    /**
     * One step of a change.
     *
     * @param command command to copy; absent when there is none
     */
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
        /** No action: the value takes effect as soon as it is set. */
        LIVE,
        /** The server reads its files again and continues to run. */
        RELOAD,
        /** The server, or the host, is restarted. */
        RESTART;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
