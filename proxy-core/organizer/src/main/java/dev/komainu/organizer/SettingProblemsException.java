package dev.komainu.organizer;

import java.util.List;

/** All mistakes of a configuration, told together. */
public final class SettingProblemsException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    SettingProblemsException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
