package dev.komainu.intermediary.caching;

import org.jspecify.annotations.Nullable;

/**
 * A response that conditions and ranges are evaluated against (RFC 9110 sections 3.2, 13 and 14): a
 * stored object, or one whose body is still arriving.
 */
public interface Representation {

    int status();

    /**
     * Returns the encoded head, in the layout of its store. It must not be modified. Absent when
     * the object was dropped meanwhile.
     */
    byte @Nullable [] head();

    /** Returns the body's bytes; -1 while unknown. */
    long bodyLength();

    /** Returns the entity tag; absent when there is none or the object was dropped meanwhile. */
    @Nullable
    String etag();

    /** Returns Last-Modified; absent when there is none or the object was dropped meanwhile. */
    @Nullable
    String lastModified();

    Freshness freshness();
}
