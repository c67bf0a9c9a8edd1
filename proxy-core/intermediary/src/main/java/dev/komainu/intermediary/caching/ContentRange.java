package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which bytes of which length a 206 says it carries (RFC 9110 section 14.4).
 *
 * @param total bytes of the whole object
 */
public record ContentRange(ByteRange range, long total) {

    private static final Pattern BYTES =
            Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})", Pattern.CASE_INSENSITIVE);

    /** Absent unless it is said once, plainly, with the whole's length, and possible. */
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
