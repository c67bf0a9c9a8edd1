package dev.komainu.proxy.exchange;

import dev.komainu.proxy.cache.CacheKey;
import dev.komainu.proxy.http.RequestHead;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Which other URI an answer speaks of, when it is the same origin's to change (RFC 9111 section 4.4). */
final class SameOrigin {

    private SameOrigin() {}

    /** @return absent for other hosts and for what is no URI */
    static @Nullable CacheKey key(RequestHead request, @Nullable String reference) {
        if (reference == null) {
            return null;
        }
        try {
            String authority = request.authority();
            URI target =
                    URI.create("http://" + authority + request.pathAndQuery()).resolve(reference);
            if (!authority.equalsIgnoreCase(target.getRawAuthority())) {
                return null;
            }
            String query = target.getRawQuery();
            return CacheKey.of(authority, target.getRawPath() + (query == null ? "" : "?" + query));
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }
}
