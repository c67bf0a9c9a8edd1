package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether a shared cache may store a response to GET (RFC 9111 section 3). It depends
 * on response headers only, never on the path.
 */
public final class Storability {

    private Storability() {}

    /**
     * Reports whether a status is heuristically cacheable (RFC 9110 section 15.1); 206 is excluded,
     * because parts are not stored.
     */
    static boolean heuristicallyCacheable(int status) {
        return switch (status) {
            case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501 -> true;
            default -> false;
        };
    }

    /**
     * Reports whether the origin forbids storing regardless of the rest of the response: a cheap
     * test before the others.
     */
    public static boolean isForbidden(CacheDirectives control) {
        return control.isPrivate || (control.noStore && !control.mustUnderstand);
    }

    /**
     * Reports whether a status is an error that may be stored without a directive of the origin
     * (RFC 9110 section 15.1).
     */
    public static boolean isNegative(int status) {
        return status >= 400 && heuristicallyCacheable(status);
    }

    /**
     * Decides whether a response may be stored.
     *
     * @return a short, stable reason against it; absent when it may be stored
     */
    public static @Nullable String refusal(
            Fields request,
            int status,
            Fields response,
            CacheDirectives control,
            Freshness freshness,
            boolean storeCookies) {
        if (status < 200 || status == 206 || status == 304) {
            return "status";
        }
        if (control.noStore && !(control.mustUnderstand && heuristicallyCacheable(status))) {
            return "no-store";
        }
        if (control.isPrivate) {
            return "private";
        }
        // Section 7.3: Set-Cookie does not forbid storing; an origin that gives a lifetime intends
        // it. But a heuristic lifetime is not enough: a cookie for one visitor must not reach the
        // next one (cache deception).
        if (response.has(Field.SET_COOKIE) && !(storeCookies && freshness.explicit())) {
            return "set-cookie";
        }
        // Section 3.5.
        if (request.has(Field.AUTHORIZATION)
                && !control.isPublic
                && !control.mustRevalidate
                && control.sharedMaxAge == CacheDirectives.ABSENT) {
            return "authorization";
        }
        String vary = response.joined(Field.VARY);
        if (vary != null && TokenList.contains(vary, "*")) {
            return "vary";
        }
        if (!freshness.explicit() && !heuristicallyCacheable(status) && !control.isPublic) {
            return "status";
        }
        boolean validator = response.has(Field.ETAG) || response.has(Field.LAST_MODIFIED);
        boolean everFresh = freshness.lifetimeSeconds() > freshness.initialAgeSeconds()
                && !freshness.alwaysValidate();
        return everFresh || validator ? null : "stale";
    }
}
