package dev.komainu.settings;

import java.util.List;

/** Several members of a list are not as expected. */
final class ListMistakesException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final transient List<String> mistakes;

    /** @param mistakes each with text, place and expectation */
    ListMistakesException(List<String> mistakes) {
        super(String.join("; ", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    List<String> mistakes() {
        return mistakes;
    }
}
