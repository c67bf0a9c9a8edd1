package dev.komainu.intermediary.lifecycle;

import java.util.Objects;
import java.util.function.Function;

/**
 * The change of settings of a reload.
 *
 * @param before settings in force now
 * @param next checked settings; settings that change only at a start have their old values
 * @param <S> the settings of the whole server
 */
public record SettingsChange<S>(S before, S next) {

    /** Reports whether these settings differ. */
    public boolean isOf(Function<S, ?> settings) {
        return !Objects.equals(settings.apply(before), settings.apply(next));
    }
}
