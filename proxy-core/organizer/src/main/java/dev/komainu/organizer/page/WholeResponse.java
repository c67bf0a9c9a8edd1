package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.Freshness;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * A complete response. Head and body must not be changed: several threads send them.
 *
 * @param head as received, without the fields between members
 * @param etag null: none
 * @param modified value of Last-Modified; null: none
 * @param encodings the requests for which it is valid, as {@link ShareabilityRule#encodings}
 *     returns them; null: all
 */
public record WholeResponse(
        Http2Headers head,
        byte[] body,
        Freshness freshness,
        @Nullable String etag,
        @Nullable String modified,
        @Nullable String encodings) {}
