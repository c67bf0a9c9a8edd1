package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The position where a page ended, in an opaque form that clients do not compute. */
public final class Cursor {

    private static final String EXPECTED = "nextCursor of the previous page";

    private Cursor() {}

    public static String encode(String position) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(position.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the decoded position.
     *
     * @throws ProblemException 400 when the text is not a cursor
     */
    public static String decode(String cursor) {
        try {
            return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalidField("cursor", cursor, EXPECTED);
        }
    }

    /** Returns the number in a cursor; {@code otherwise} without a cursor. */
    public static long decodeNumber(@Nullable String cursor, long otherwise) {
        if (cursor == null) {
            return otherwise;
        }
        try {
            return Long.parseLong(decode(cursor));
        } catch (NumberFormatException e) {
            throw ProblemException.invalidField("cursor", cursor, EXPECTED);
        }
    }

    /** Checks the parameter {@code limit}. */
    public static int limit(int limit) {
        if (limit < 1 || limit > Page.MOST) {
            throw ProblemException.invalidField("limit", limit, "1 to " + Page.MOST);
        }
        return limit;
    }
}
