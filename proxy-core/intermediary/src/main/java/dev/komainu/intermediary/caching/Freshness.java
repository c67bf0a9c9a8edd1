package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.HttpDate;
import org.jspecify.annotations.Nullable;

/**
 * The lifetime of a response and its age on arrival (RFC 9111 sections 4.2.1 to 4.2.3), determined
 * once, when the response arrives. The rules are those of a shared cache.
 *
 * <p>Two clocks: the wall clock is compared with the origin's Date only on arrival. Residence time
 * is measured on a steady clock, so that a jump of the wall clock changes no age.
 *
 * @param lifetimeSeconds from generation to staleness
 * @param initialAgeSeconds age on arrival
 * @param arrivedMillis time of arrival on the steady clock
 * @param alwaysValidate no-cache: never reuse without validation
 * @param mustRevalidate once stale, never reuse without validation (must-revalidate,
 *     proxy-revalidate, s-maxage)
 * @param explicit the origin gave the lifetime; otherwise it is a heuristic, or unknown
 * @param whileRevalidateSeconds staleness in which it is served during revalidation (RFC 5861
 *     section 3); 0 for none
 * @param ifErrorSeconds staleness in which it replaces an error (RFC 5861 section 4); 0 for none
 * @param datedMillis the origin's Date, otherwise the arrival; milliseconds since the epoch
 */
public record Freshness(
        long lifetimeSeconds,
        long initialAgeSeconds,
        long arrivedMillis,
        boolean alwaysValidate,
        boolean mustRevalidate,
        boolean explicit,
        long whileRevalidateSeconds,
        long ifErrorSeconds,
        long datedMillis) {

    /** Upper limit of a heuristic lifetime: one day. */
    private static final long HEURISTIC_LIMIT_SECONDS = 86_400;

    /**
     * Determines the freshness of a response as it was received.
     *
     * @param requestedMillis wall clock when the request was sent
     * @param arrivedWallMillis wall clock when the head arrived
     * @param arrivedSteadyMillis steady clock at that moment
     */
    public static Freshness of(
            int status,
            Fields fields,
            CacheDirectives control,
            long requestedMillis,
            long arrivedWallMillis,
            long arrivedSteadyMillis) {
        return of(
                status,
                fields,
                fields,
                control,
                requestedMillis,
                arrivedWallMillis,
                arrivedSteadyMillis);
    }

    /**
     * Determines the freshness of a head that was composed of several.
     *
     * @param message the fields as received: Age belongs to a message and is never stored
     */
    public static Freshness of(
            int status,
            Fields fields,
            Fields message,
            CacheDirectives control,
            long requestedMillis,
            long arrivedWallMillis,
            long arrivedSteadyMillis) {
        long date = date(fields.first(Field.DATE));
        if (date == HttpDate.NONE) {
            date = arrivedWallMillis;
        }
        long apparent = Math.max(0, arrivedWallMillis - date) / 1000;
        long delay = Math.max(0, arrivedWallMillis - requestedMillis + 500) / 1000;
        long initial = Math.max(apparent, age(message) + delay);
        boolean explicit = true;
        long lifetime;
        if (control.sharedMaxAge != CacheDirectives.ABSENT) {
            lifetime = Math.max(0, control.sharedMaxAge);
        } else if (control.maxAge != CacheDirectives.ABSENT) {
            lifetime = Math.max(0, control.maxAge);
        } else if (fields.has(Field.EXPIRES) && !control.isTargeted) {
            long expires = fields.isRepeated(Field.EXPIRES)
                    ? HttpDate.NONE
                    : date(fields.first(Field.EXPIRES));
            lifetime = expires == HttpDate.NONE ? 0 : Math.max(0, expires - date) / 1000;
        } else {
            explicit = false;
            lifetime = heuristic(status, fields, control, date);
        }
        return new Freshness(
                lifetime,
                initial,
                arrivedSteadyMillis,
                control.noCache,
                control.mustRevalidate
                        || control.proxyRevalidate
                        || control.sharedMaxAge != CacheDirectives.ABSENT,
                explicit,
                Math.max(0, control.staleWhileRevalidate),
                Math.max(0, control.staleIfError),
                date);
    }

    /**
     * Returns a heuristic lifetime (section 4.2.2): a tenth of the time since the last
     * modification.
     */
    private static long heuristic(int status, Fields fields, CacheDirectives control, long date) {
        if (!Storability.heuristicallyCacheable(status) && !control.isPublic) {
            return 0;
        }
        long modified = date(fields.first(Field.LAST_MODIFIED));
        return modified == HttpDate.NONE
                ? 0
                : Math.min(HEURISTIC_LIMIT_SECONDS, Math.max(0, date - modified) / 10_000);
    }

    /**
     * Returns this freshness with a given lifetime where neither the origin nor a heuristic gave
     * one.
     */
    public Freshness withDefaultLifetime(long seconds) {
        return explicit || lifetimeSeconds > 0
                ? this
                : new Freshness(
                        seconds,
                        initialAgeSeconds,
                        arrivedMillis,
                        alwaysValidate,
                        mustRevalidate,
                        false,
                        whileRevalidateSeconds,
                        ifErrorSeconds,
                        datedMillis);
    }

    private static long date(@Nullable String text) {
        return text == null ? HttpDate.NONE : HttpDate.parse(text);
    }

    /** Parses Age (section 5.1): the first member counts; invalid text is ignored. */
    private static long age(Fields fields) {
        String text = fields.first(Field.AGE);
        if (text == null) {
            return 0;
        }
        int comma = text.indexOf(',');
        String first = (comma < 0 ? text : text.substring(0, comma)).strip();
        if (first.isEmpty() || !first.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return 0;
        }
        return first.length() > 10 ? 1L << 31 : Math.min(1L << 31, Long.parseLong(first));
    }

    /** Returns current_age (section 4.2.3). */
    public long ageSeconds(long steadyMillis) {
        return initialAgeSeconds + Math.max(0, steadyMillis - arrivedMillis) / 1000;
    }

    /**
     * Reports whether it may replace a response that could not be obtained (RFC 9111 section
     * 4.2.4).
     *
     * @param graceSeconds staleness that is accepted without a directive of the origin
     */
    public boolean mayReplaceError(long steadyMillis, long graceSeconds) {
        return !alwaysValidate
                && !mustRevalidate
                && -leftSeconds(steadyMillis) <= Math.max(graceSeconds, ifErrorSeconds);
    }

    /**
     * Returns the same freshness, but fresh no longer than until this moment of the steady clock.
     */
    public Freshness staleAt(long steadyMillis) {
        return new Freshness(
                Math.min(lifetimeSeconds, ageSeconds(steadyMillis)),
                initialAgeSeconds,
                arrivedMillis,
                alwaysValidate,
                mustRevalidate,
                explicit,
                whileRevalidateSeconds,
                ifErrorSeconds,
                datedMillis);
    }

    /** Returns the seconds of freshness left; negative once stale. */
    public long leftSeconds(long steadyMillis) {
        return lifetimeSeconds - ageSeconds(steadyMillis);
    }
}
