package dev.komainu.proxy.control;

import dev.komainu.proxy.cache.CacheKey;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.fetch.InFlightFetches;
import java.net.URI;

/** Drops stored answers by order. Any thread. */
public final class Purger {

    private final MemoryCache cache;
    private final InFlightFetches inFlight;

    public Purger(MemoryCache cache, InFlightFetches inFlight) {
        this.cache = cache;
        this.inFlight = inFlight;
    }

    /**
     * Drops an absolute URL, all variants with it; a fetch under way for it will not be stored.
     *
     * @return whether something was stored
     * @throws IllegalArgumentException naming the value and what was expected
     */
    public boolean purge(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (java.net.URISyntaxException e) {
            throw new IllegalArgumentException("url: not a URL (expected: http://HOST[:PORT]/PATH)", e);
        }
        if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getRawAuthority() == null) {
            throw new IllegalArgumentException("url: no http URL (expected: http://HOST[:PORT]/PATH)");
        }
        String query = uri.getRawQuery();
        CacheKey key = CacheKey.of(uri.getRawAuthority(), uri.getRawPath() + (query == null ? "" : "?" + query));
        inFlight.disown(key);
        return cache.invalidate(key);
    }
}
