package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.Freshness;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * An answer that came whole. Nobody changes head or body: several threads send them.
 *
 * @param head as it came, without fields between members
 * @param etag absent: none
 * @param modified Last-Modified, as written; absent: none
 * @param encodings which requests it is for, as {@link ShareabilityRule#encodings} tells them;
 *     absent: all
 */
public record WholeResponse(
        Http2Headers head,
        byte[] body,
        Freshness freshness,
        @Nullable String etag,
        @Nullable String modified,
        @Nullable String encodings) {}
