package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.RequestHead;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The key of another URI that a response refers to, when it has the same origin (RFC 9111 section
 * 4.4).
 */
public final class SameOrigin {

    private SameOrigin() {}

    /**
     * Returns the key that a reference in the response to this request stands for.
     *
     * @param reference a URI or relative reference; may be null
     * @return null for other origins and for invalid URIs
     */
    public static @Nullable CacheKey key(RequestHead request, @Nullable String reference) {
        if (reference == null) {
            return null;
        }
        try {
            String authority = request.authority();
            String scheme = request.isSecure() ? "https" : "http";
            URI target = URI.create(scheme + "://" + authority + request.pathAndQuery())
                    .resolve(reference);
            if (!authority.equalsIgnoreCase(target.getRawAuthority())
                    || !scheme.equalsIgnoreCase(target.getScheme())) {
                return null;
            }
            String query = target.getRawQuery();
            return CacheKey.of(
                    request.isSecure(),
                    authority,
                    target.getRawPath() + (query == null ? "" : "?" + query));
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }
}
