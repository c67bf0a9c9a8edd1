package dev.komainu.settings;

import java.util.List;

/** All mistakes of a configuration; each is {@code key: value in place (expected: …)}. */
public final class SettingMistakesException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> mistakes;

    public SettingMistakesException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    public List<String> mistakes() {
        return mistakes;
    }
}
