package dev.komainu.load.browser;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whether a cache on the way answered, as far as the answer tells. */
public enum CacheIndicator {
    HIT,
    MISS,
    /** The answer carries no sign of a cache. */
    UNKNOWN;

    /** Varnish names two transactions where it answered from its memory. */
    private static final Pattern TWO_NUMBERS = Pattern.compile("[0-9]+ [0-9]+");

    /** The value of one field of an answer; absent when it is not there. */
    @FunctionalInterface
    public interface Answer {
        @Nullable
        String field(String name);
    }

    /**
     * What the nearest cache says: Cache-Status (RFC 9211; its last member is the nearest), else
     * what Squid, nginx and Varnish write, else Age: above 0, somebody kept it.
     */
    public static CacheIndicator of(Answer answer) {
        String status = answer.field("cache-status");
        if (status != null) {
            String nearest = status.substring(status.lastIndexOf(',') + 1).toLowerCase(Locale.ROOT);
            return nearest.contains("; hit") || nearest.contains(";hit") ? HIT : MISS;
        }
        String told = answer.field("x-cache");
        if (told == null) {
            told = answer.field("x-cache-status");
        }
        if (told != null) {
            String upper = told.toUpperCase(Locale.ROOT);
            return upper.contains("HIT") || upper.contains("STALE") || upper.contains("UPDATING")
                    ? HIT
                    : MISS;
        }
        String varnish = answer.field("x-varnish");
        if (varnish != null) {
            return TWO_NUMBERS.matcher(varnish.trim()).matches() ? HIT : MISS;
        }
        String age = answer.field("age");
        return age == null || age.equals("0") ? UNKNOWN : HIT;
    }
}
