package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.message.TargetedControl;
import dev.komainu.proxy.cache.CacheSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored head with what the origin now says of the same object (RFC 9111 section 3.2).
 *
 * @param encoded as it is stored
 * @param head the same, read
 * @param control what it says to caches
 */
record FreshenedHead(
        byte[] encoded, ResponseHead head, CacheDirectives control, Freshness freshness) {

    /**
     * @param stored absent when it is gone
     * @param length Content-Length to write; -1 writes none
     * @return absent when what comes out of it cannot be read as a head
     */
    static @Nullable FreshenedHead of(
            CacheSettings settings,
            ProxyClock clock,
            byte @Nullable [] stored,
            long length,
            ResponseHead news,
            long askedWallMillis) {
        ResponseHead before = stored == null ? null : read(stored);
        if (before == null) {
            return null;
        }
        List<String> targets = settings.targets();
        CacheDirectives told = TargetedControl.of(news.fields(), targets);
        List<String> withheld = told == CacheDirectives.NONE
                ? TargetedControl.of(before.fields(), targets).withheld
                : told.withheld;
        byte[] encoded = EndToEndFields.updated(
                before, news, length, clock.wallMillis(), settings.stripped(), withheld);
        return of(settings, clock, encoded, news.fields(), askedWallMillis);
    }

    /** A head that is stored for the first time. @param message the fields as they came */
    static @Nullable FreshenedHead of(
            CacheSettings settings,
            ProxyClock clock,
            byte[] encoded,
            Fields message,
            long askedWallMillis) {
        ResponseHead head = read(encoded);
        if (head == null) {
            return null;
        }
        CacheDirectives control = TargetedControl.of(head.fields(), settings.targets());
        Freshness freshness = Freshness.of(
                head.status(),
                head.fields(),
                message,
                control,
                askedWallMillis,
                clock.wallMillis(),
                clock.steadyMillis());
        return new FreshenedHead(encoded, head, control, freshness);
    }

    private static @Nullable ResponseHead read(byte[] encoded) {
        ByteBuf whole = Unpooled.wrappedBuffer(encoded, "\r\n".getBytes(StandardCharsets.US_ASCII));
        ResponseHead head = new ResponseHead();
        return head.read(whole) == RequestHead.Outcome.COMPLETE ? head : null;
    }
}
