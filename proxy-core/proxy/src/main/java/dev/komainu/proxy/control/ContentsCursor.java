package dev.komainu.proxy.control;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Where the next page begins, written so that nobody is tempted to compute one. */
final class ContentsCursor {

    private ContentsCursor() {}

    static String of(int position) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Integer.toString(position).getBytes(StandardCharsets.US_ASCII));
    }

    /** @throws IllegalArgumentException when it is none of ours */
    static int position(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return 0;
        }
        try {
            String text =
                    new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
            if (text.matches("\\d{1,9}")) {
                return Integer.parseInt(text);
            }
        } catch (IllegalArgumentException e) {
            throw unknown(cursor, e);
        }
        throw unknown(cursor, null);
    }

    private static IllegalArgumentException unknown(String cursor, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "cursor: " + cursor + " (expected: what an answer gave as next)", cause);
    }
}
