package dev.komainu.central.settings;

import java.util.List;

/** Everything that is wrong with the settings, one line each: {@code name: value (expected: …)}. */
public final class SettingsMistakes extends RuntimeException {

    private final transient List<String> lines;

    public SettingsMistakes(List<String> lines) {
        super(String.join("\n", lines));
        this.lines = List.copyOf(lines);
    }

    /** One line a mistake, never empty. */
    public List<String> lines() {
        return lines;
    }
}
