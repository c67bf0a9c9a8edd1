package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The range of bytes in a 206 response, and the length of the whole object (RFC 9110 section 14.4).
 *
 * @param total bytes of the whole object
 */
public record ContentRange(ByteRange range, long total) {

    private static final Pattern BYTES =
            Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})", Pattern.CASE_INSENSITIVE);

    /**
     * Parses the field; absent unless it is present once, valid, and contains the length of the
     * whole.
     */
    public static @Nullable ContentRange of(Fields fields) {
        String text = fields.first(Field.CONTENT_RANGE);
        Matcher m =
                text == null || fields.isRepeated(Field.CONTENT_RANGE) ? null : BYTES.matcher(text);
        if (m == null || !m.matches()) {
            return null;
        }
        ByteRange range = new ByteRange(Long.parseLong(m.group(1)), Long.parseLong(m.group(2)));
        long total = Long.parseLong(m.group(3));
        return range.satisfiable() && range.to() < total ? new ContentRange(range, total) : null;
    }
}
