package dev.komainu.settings;

import java.util.List;

/** Several members of a list are not as expected. */
final class ListMistakesException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final transient List<String> mistakes;
    private final transient List<?> rest;

    /**
     * @param mistakes each with text, place and expectation
     * @param rest members that are as expected: reading goes on with them, so that their mistakes
     *     with others are told, too
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
