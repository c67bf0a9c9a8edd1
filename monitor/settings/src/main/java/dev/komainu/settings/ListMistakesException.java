package dev.komainu.settings;

import java.util.List;

/** The mistakes of several members of a list. */
final class ListMistakesException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final transient List<String> mistakes;
    private final transient List<?> rest;

    /**
     * Creates the exception.
     *
     * @param mistakes each with text, place and expectation
     * @param rest valid members: reading continues with them, so that their mistakes with other
     *     settings are reported, too
     */
    ListMistakesException(List<String> mistakes, List<?> rest) {
        super(String.join("; ", mistakes));
        this.mistakes = List.copyOf(mistakes);
        this.rest = rest;
    }

    List<?> rest() {
        return rest;
    }

    List<String> mistakes() {
        return mistakes;
    }
}
