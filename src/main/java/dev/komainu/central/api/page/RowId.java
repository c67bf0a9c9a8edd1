package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import java.util.OptionalLong;

/** Ids that the database counts, as callers write them. */
public final class RowId {

    /** So many figures always fit into a {@code long}. */
    private static final String FORM = "\\d{1,18}";

    private RowId() {}

    /** @return empty when the text is no such id */
    public static OptionalLong parse(String text) {
        return text.matches(FORM) ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    /**
     * The id in a path.
     *
     * @param what such as {@code order}
     * @throws ProblemException 404 when the text is no such id: then there is no such thing
     */
    public static long of(String what, String id) {
        return parse(id).orElseThrow(ProblemException.notFound(what, id));
    }
}
