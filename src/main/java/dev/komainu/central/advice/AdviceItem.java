package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Text;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One item of the advice book, as its file writes it. Texts and commands may hold {@code {proposed}}, {@code {current}},
 * {@code {file}}, names of indices and {@code {$setting}}.
 *
 * @param id stable name, such as {@code apache/max-request-workers}
 * @param leaves leaves of the flowchart it hangs on
 * @param setting the server's own name for what is changed
 * @param otherwise value when the server's settings do not tell; absent: unknown
 * @param file where it is set when discovery found no place
 * @param when conditions that must hold; absent: none
 * @param unless settings, as {@code NAME=VALUE}, under which it makes no sense; absent: none
 * @param toward whether the cure is more, less, or just another value
 * @param proposed formula of {@link Arithmetic}; {@code current} is the value now
 * @param unit suffix of the proposed value, such as {@code s}
 * @param tried false where we could not try it ourselves; its reference is the source then
 */
public record AdviceItem(
        String id,
        List<String> leaves,
        String setting,
        @Nullable String otherwise,
        @Nullable String file,
        @Nullable List<Condition> when,
        @Nullable List<String> unless,
        Toward toward,
        String proposed,
        @Nullable String unit,
        Text title,
        Text derivation,
        Text cost,
        Text willNotFix,
        String reference,
        @Nullable Boolean tried,
        List<Advice.Step> steps) {

    /** Which way the cure lies. */
    public enum Toward {
        MORE,
        LESS
    }

    /** Whether a setting of the server rules this item out; names and values without regard to case. */
    boolean ruledOut(ServiceProfile service) {
        if (unless == null) {
            return false;
        }
        for (String pair : unless) {
            int equals = pair.indexOf('=');
            Setting setting = service.setting(pair.substring(0, equals));
            if (setting != null && setting.value().equalsIgnoreCase(pair.substring(equals + 1))) {
                return true;
            }
        }
        return false;
    }

    /** Advice that is already followed is not given. */
    boolean satisfied(double current, double wanted) {
        return toward == Toward.MORE ? current >= wanted : current <= wanted;
    }
}
