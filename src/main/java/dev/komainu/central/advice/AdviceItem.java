package dev.komainu.central.advice;

import dev.komainu.central.advice.Advice.Effect;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One item of the advice book, as its file writes it. Texts and commands may hold
 * {@code {proposed}}, {@code {current}}, {@code {file}}, names of indices and {@code {$setting}} or
 * {@code {$setting|otherwise}}.
 *
 * @param id stable name, such as {@code apache/max-request-workers}
 * @param leaves leaves of the flowchart it hangs on
 * @param setting the name discovery tells it by
 * @param directive as the file writes it; absent: as {@code setting}
 * @param also older names the file may use for it
 * @param otherwise value when the server's settings do not tell; absent: unknown
 * @param file where it is set when discovery found no place
 * @param place the page's syntax that writes it
 * @param when conditions that must hold; absent: none
 * @param only settings, as {@code NAME=VALUE}, of which one must be so; absent: any will do
 * @param unless settings, as {@code NAME=VALUE}, under which it makes no sense; absent: none
 * @param toward whether the cure is more or less; absent with {@code value}
 * @param proposed formula of {@link Arithmetic}; {@code current} is the value now
 * @param value a word instead, such as {@code on}
 * @param measure what the number counts; absent: pieces
 * @param part which word of the value is meant, from 1; the others stay as they are
 * @param unit suffix of the proposed value, such as {@code s}
 * @param effect what it takes to come into force
 * @param cappedBy settings that hold this one down while they are lower
 * @param cost absent: what the effect costs
 * @param tried false where we could not try it ourselves; its reference is the source then
 */
record AdviceItem(
        String id,
        List<String> leaves,
        String setting,
        String directive,
        List<String> also,
        @Nullable String otherwise,
        @Nullable String file,
        String place,
        List<Condition> when,
        List<String> only,
        List<String> unless,
        @Nullable Toward toward,
        @Nullable String proposed,
        @Nullable String value,
        Quantity.Unit measure,
        @Nullable Integer part,
        @Nullable String unit,
        Effect effect,
        List<String> cappedBy,
        LocalizedText title,
        LocalizedText derivation,
        @Nullable LocalizedText cost,
        LocalizedText willNotFix,
        String reference,
        @Nullable Boolean tried) {

    AdviceItem {
        directive = directive == null ? setting : directive;
        also = Objects.requireNonNullElse(also, List.of());
        when = Objects.requireNonNullElse(when, List.of());
        only = Objects.requireNonNullElse(only, List.of());
        unless = Objects.requireNonNullElse(unless, List.of());
        cappedBy = Objects.requireNonNullElse(cappedBy, List.of());
        measure = Objects.requireNonNullElse(measure, Quantity.Unit.COUNT);
    }

    /** The direction of the recommended change. */
    enum Toward {
        MORE,
        LESS
    }

    /**
     * Whether the server's settings make room for this item; names and values without regard to
     * case.
     */
    boolean suits(ServiceProfile service) {
        return (only.isEmpty() || only.stream().anyMatch(pair -> says(service, pair)))
                && unless.stream().noneMatch(pair -> says(service, pair));
    }

    private static boolean says(ServiceProfile service, String pair) {
        int equals = pair.indexOf('=');
        Setting setting = service.setting(pair.substring(0, equals));
        return setting != null && setting.value().equalsIgnoreCase(pair.substring(equals + 1));
    }

    /** Advice that is already followed is not given. */
    boolean satisfied(double current, double wanted) {
        return toward == Toward.MORE ? current >= wanted : current <= wanted;
    }
}
