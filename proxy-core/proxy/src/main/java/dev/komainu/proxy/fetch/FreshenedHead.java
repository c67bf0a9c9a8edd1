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
 * A stored head updated with a newer response for the same object (RFC 9111 section 3.2).
 *
 * @param encoded the head as it is stored
 * @param head the parsed head
 * @param control its cache directives
 */
record FreshenedHead(
        byte[] encoded, ResponseHead head, CacheDirectives control, Freshness freshness) {

    /**
     * Returns the update of a stored head.
     *
     * @param stored the stored head; null when it was dropped
     * @param length the Content-Length to write; -1 writes none
     * @return null when the result is not a valid head
     */
    static @Nullable FreshenedHead of(
            CacheSettings settings,
            ProxyClock clock,
            byte @Nullable [] stored,
            long length,
            ResponseHead update,
            long requestWallMillis) {
        ResponseHead previous = stored == null ? null : read(stored);
        if (previous == null) {
            return null;
        }
        List<String> targets = settings.targets();
        CacheDirectives directives = TargetedControl.of(update.fields(), targets);
        List<String> withheld = directives == CacheDirectives.NONE
                ? TargetedControl.of(previous.fields(), targets).withheld
                : directives.withheld;
        byte[] encoded = EndToEndFields.updated(
                previous, update, length, clock.wallMillis(), settings.stripped(), withheld);
        return of(settings, clock, encoded, update.fields(), requestWallMillis);
    }

    /**
     * Returns a head that is stored for the first time.
     *
     * @param message the fields as they were received
     * @return null when it is not a valid head
     */
    static @Nullable FreshenedHead of(
            CacheSettings settings,
            ProxyClock clock,
            byte[] encoded,
            Fields message,
            long requestWallMillis) {
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
                requestWallMillis,
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
