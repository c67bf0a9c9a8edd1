package dev.komainu.load.browser;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The origin of a response, from a cache or not, as far as its fields show. */
public enum CacheIndicator {
    HIT,
    MISS,
    /** The response has no field of a cache. */
    UNKNOWN;

    /** Varnish writes two transaction numbers when it responds from its memory. */
    private static final Pattern TWO_NUMBERS = Pattern.compile("[0-9]+ [0-9]+");

    /** Returns the value of one field of a response; null when it is absent. */
    @FunctionalInterface
    public interface ResponseFields {
        @Nullable
        String field(String name);
    }

    /**
     * Evaluates the nearest cache's fields: Cache-Status (RFC 9211; its last member is the
     * nearest), else the fields of Squid, nginx and Varnish, else Age: above 0, the response was
     * stored.
     */
    public static CacheIndicator of(ResponseFields response) {
        String status = response.field("cache-status");
        if (status != null) {
            String nearest = status.substring(status.lastIndexOf(',') + 1).toLowerCase(Locale.ROOT);
            return nearest.contains("; hit") || nearest.contains(";hit") ? HIT : MISS;
        }
        String xCache = response.field("x-cache");
        if (xCache == null) {
            xCache = response.field("x-cache-status");
        }
        if (xCache != null) {
            String upper = xCache.toUpperCase(Locale.ROOT);
            return upper.contains("HIT") || upper.contains("STALE") || upper.contains("UPDATING")
                    ? HIT
                    : MISS;
        }
        String varnish = response.field("x-varnish");
        if (varnish != null) {
            return TWO_NUMBERS.matcher(varnish.trim()).matches() ? HIT : MISS;
        }
        String age = response.field("age");
        return age == null || age.equals("0") ? UNKNOWN : HIT;
    }
}
