package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import java.util.OptionalLong;

/** The text form of numeric database ids. */
public final class RowId {

    /** Pattern of an id; 18 digits always fit into a {@code long}. */
    private static final String FORM = "\\d{1,18}";

    private RowId() {}

    /** Parses an id; empty when the text is not an id. */
    public static OptionalLong parse(String text) {
        return text.matches(FORM) ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    /**
     * Returns the id in a path.
     *
     * @param what type of the row, such as {@code order}
     * @throws ProblemException 404 when the text is not an id, so that no such row exists
     */
    public static long of(String what, String id) {
        return parse(id).orElseThrow(ProblemException.notFound(what, id));
    }
}
