package dev.komainu.agent.settings;

import java.util.List;

/** Every mistake of a configuration at once, one line each: name, value, place, expectation. */
public final class SettingsException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    public SettingsException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
