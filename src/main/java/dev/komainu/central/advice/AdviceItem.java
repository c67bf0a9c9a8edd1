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
 * One item of the advice catalogue, as its file writes it. Texts and commands may contain
 * {@code {proposed}}, {@code {current}}, {@code {file}}, names of indices and {@code {$setting}} or
 * {@code {$setting|otherwise}}.
 *
 * @param id stable name, such as {@code apache/max-request-workers}
 * @param leaves leaves of the flowchart it belongs to
 * @param setting name of the setting in discovery
 * @param directive name in the file; absent: as {@code setting}
 * @param also older names that the file may use
 * @param otherwise value when the server's settings do not contain it; absent: unknown
 * @param file file of the setting when discovery found no place
 * @param place the page's syntax that writes it
 * @param when conditions that must hold; absent: none
 * @param only settings, as {@code NAME=VALUE}, of which one must apply; absent: no restriction
 * @param unless settings, as {@code NAME=VALUE}, that make the item pointless; absent: none
 * @param toward direction of the change, more or less; absent with {@code value}
 * @param proposed formula of {@link Arithmetic}; {@code current} is the present value
 * @param value a word instead, such as {@code on}
 * @param measure unit of the number; absent: pieces
 * @param part number of the word within the value, from 1; the other words stay unchanged
 * @param unit suffix of the proposed value, such as {@code s}
 * @param effect action that makes the change take effect
 * @param cappedBy settings that limit this one while they are lower
 * @param companions ids of items of the same page that change together with this one while they
 *     apply
 * @param cost absent: the cost of the effect
 * @param tried false when the authors could not test it; its reference is the source then
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
        List<String> companions,
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
        companions = Objects.requireNonNullElse(companions, List.of());
        measure = Objects.requireNonNullElse(measure, Quantity.Unit.COUNT);
    }

    /** The direction of the recommended change. */
    enum Toward {
        MORE,
        LESS
    }

    /** Reports whether the item applies to the server's settings; names and values ignore case. */
    boolean suits(ServiceProfile service) {
        return (only.isEmpty() || only.stream().anyMatch(pair -> isSet(service, pair)))
                && unless.stream().noneMatch(pair -> isSet(service, pair));
    }

    private static boolean isSet(ServiceProfile service, String pair) {
        int equals = pair.indexOf('=');
        Setting setting = service.setting(pair.substring(0, equals));
        return setting != null && setting.value().equalsIgnoreCase(pair.substring(equals + 1));
    }

    /** Reports whether the advice is already followed. */
    boolean isSatisfied(double current, double target) {
        return toward == Toward.MORE ? current >= target : current <= target;
    }
}
