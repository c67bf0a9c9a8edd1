package dev.komainu.intermediary.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The directives of Cache-Control, parsed once (RFC 9111 section 5.2). Durations are in seconds;
 * {@link #ABSENT} when not present, and {@link #INVALID} when present but not a number. A cache
 * treats the latter as stale (section 4.2.1).
 */
public final class CacheDirectives {

    public static final long ABSENT = -1;
    public static final long INVALID = -2;
    public static final CacheDirectives NONE = new CacheDirectives();

    private static final long MAX_SECONDS = 1L << 31;

    public boolean noStore;
    /** No-cache without field names, like {@link #isPrivate}; see {@link #withheld}. */
    public boolean noCache;

    public boolean isPrivate;
    public boolean isPublic;
    public boolean mustRevalidate;
    public boolean proxyRevalidate;
    public boolean onlyIfCached;
    public boolean noTransform;
    public boolean mustUnderstand;
    /**
     * Lower-case names that {@code no-cache="…"} and {@code private="…"} list: fields for the
     * requesting client only, which are not stored (sections 5.2.2.4 and 5.2.2.7). A list that
     * cannot be parsed makes its directive apply to the whole response.
     */
    public List<String> withheld = List.of();

    public long maxAge = ABSENT;
    public long sharedMaxAge = ABSENT;
    public long minFresh = ABSENT;
    /** {@link Long#MAX_VALUE} when present without a value: any staleness is accepted. */
    public long maxStale = ABSENT;
    /**
     * RFC 5861 section 3: seconds past freshness in which a stale response is served while it is
     * revalidated.
     */
    public long staleWhileRevalidate = ABSENT;
    /** RFC 5861 section 4: seconds past freshness in which a stale response replaces an error. */
    public long staleIfError = ABSENT;
    /**
     * True when read from a targeted field (RFC 9213): Cache-Control, Expires and Pragma are
     * ignored then.
     */
    public boolean isTargeted;

    private CacheDirectives() {}

    /**
     * Parses the joined value. Unknown directives are ignored (section 5.2.3); absent text gives
     * {@link #NONE}.
     */
    public static CacheDirectives parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return NONE;
        }
        CacheDirectives found = new CacheDirectives();
        for (String member : TokenList.split(text)) {
            int equals = member.indexOf('=');
            String name = (equals < 0 ? member : member.substring(0, equals))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            found.add(name, equals < 0 ? null : member.substring(equals + 1).strip());
        }
        return found;
    }

    static CacheDirectives targeted() {
        CacheDirectives found = new CacheDirectives();
        found.isTargeted = true;
        return found;
    }

    /**
     * Adds a directive.
     *
     * @return always true
     */
    boolean add(String name, @Nullable String value) {
        switch (name) {
            case "no-store" -> noStore = true;
            case "no-cache" -> {
                noCache |= value == null || !withhold(value);
            }
            case "private" -> {
                isPrivate |= value == null || !withhold(value);
            }
            case "public" -> isPublic = true;
            case "must-revalidate" -> mustRevalidate = true;
            case "proxy-revalidate" -> proxyRevalidate = true;
            case "only-if-cached" -> onlyIfCached = true;
            case "no-transform" -> noTransform = true;
            case "must-understand" -> mustUnderstand = true;
            case "max-age" -> maxAge = sooner(maxAge, seconds(value));
            case "s-maxage" -> sharedMaxAge = sooner(sharedMaxAge, seconds(value));
            case "min-fresh" -> minFresh = seconds(value);
            case "max-stale" -> maxStale = value == null ? Long.MAX_VALUE : seconds(value);
            case "stale-while-revalidate" -> staleWhileRevalidate = seconds(value);
            case "stale-if-error" -> staleIfError = seconds(value);
            default -> {}
        }
        return true;
    }

    private boolean withhold(String value) {
        List<String> names = new ArrayList<>(withheld);
        for (String name : TokenList.split(unquoted(value))) {
            if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
                return false;
            }
            names.add(name.toLowerCase(Locale.ROOT));
        }
        boolean read = names.size() > withheld.size();
        withheld = names;
        return read;
    }

    /**
     * Returns the value of a repeated directive: the one that makes the response stale sooner
     * (section 4.2.1).
     */
    private static long sooner(long before, long now) {
        return before == ABSENT ? now : Math.min(before, now);
    }

    private static long seconds(@Nullable String value) {
        if (value == null) {
            return INVALID;
        }
        String digits = unquoted(value);
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return INVALID;
        }
        // Section 1.2.2: a number too large to represent becomes 2^31.
        return digits.length() > 10 ? MAX_SECONDS : Math.min(MAX_SECONDS, Long.parseLong(digits));
    }

    private static String unquoted(String value) {
        return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
