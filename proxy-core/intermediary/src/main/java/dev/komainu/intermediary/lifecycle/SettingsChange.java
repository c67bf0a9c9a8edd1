package dev.komainu.intermediary.lifecycle;

import java.util.Objects;
import java.util.function.Function;

/**
 * A reload's change of settings.
 *
 * @param before in force now
 * @param next checked, with the values kept that only a start can change
 * @param <S> the settings of the whole server
 */
public record SettingsChange<S>(S before, S next) {

    /** Returns whether these settings differ. */
    public boolean isOf(Function<S, ?> settings) {
        return !Objects.equals(settings.apply(before), settings.apply(next));
    }
}
