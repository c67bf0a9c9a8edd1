package dev.komainu.intermediary.caching;

import org.jspecify.annotations.Nullable;

/**
 * What conditions and ranges are judged against (RFC 9110 sections 3.2, 13 and 14): a stored
 * object, or one whose head is here and whose body still arrives.
 */
public interface Representation {

    int status();

    /**
     * Encoded head, in the layout of its store. Never written to. Absent when the object was
     * dropped meanwhile.
     */
    byte @Nullable [] head();

    /** Body bytes; -1 while nobody knows. */
    long bodyLength();

    /** Absent also when the object was dropped meanwhile. */
    @Nullable
    String etag();

    @Nullable
    String lastModified();

    Freshness freshness();
}
