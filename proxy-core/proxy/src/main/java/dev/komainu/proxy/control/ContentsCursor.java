package dev.komainu.proxy.control;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The position of the next page, encoded so that clients treat it as opaque. */
final class ContentsCursor {

    private ContentsCursor() {}

    static String of(int position) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Integer.toString(position).getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Decodes a cursor.
     *
     * @throws IllegalArgumentException when the cursor was not issued by this class
     */
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
                "cursor: " + cursor + " (expected: the value of next in a response)", cause);
    }
}
