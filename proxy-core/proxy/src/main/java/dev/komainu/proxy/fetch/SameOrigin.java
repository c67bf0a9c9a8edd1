package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.RequestHead;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Which other URI an answer speaks of, when it is the same origin's to change (RFC 9111 section
 * 4.4).
 */
public final class SameOrigin {

    private SameOrigin() {}

    /** @return absent for other hosts and for what is no URI */
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
