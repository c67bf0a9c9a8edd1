package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.Conditions;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.caching.Reuse;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PushStore;
import dev.komainu.organizer.page.ShareabilityRule;
import dev.komainu.organizer.page.WholeResponse;
import dev.komainu.organizer.route.HopPath;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request that may be answered with what came unasked: now, or when it has come whole. Judged
 * as a cache judges (RFC 9111 section 4). What it does not suit goes on as if nothing were here. On
 * its loop.
 */
final class PushLookup {

    private static final long CONDITIONS_OF_PARTS = Fields.mask(
            Field.RANGE,
            Field.IF_RANGE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE,
            Field.AUTHORIZATION);
    /** What a 304 tells (RFC 9110 section 15.4.5). */
    private static final AsciiString[] OF_304 = {
        AsciiString.cached("cache-control"),
        AsciiString.cached("content-location"),
        AsciiString.cached("date"),
        AsciiString.cached("etag"),
        AsciiString.cached("expires"),
        AsciiString.cached("vary"),
        HeadConversion.VIA
    };

    private final PageServices pages;
    private final EventLoop loop;
    private final PushStore hand;
    private final Http2Headers asked;
    private final LineStream client;
    private final BooleanSupplier wanted;
    private final Runnable otherwise;
    private final String url;
    private boolean joined;

    private PushLookup(
            PageServices pages,
            EventLoop loop,
            PushStore hand,
            Http2Headers asked,
            LineStream client,
            BooleanSupplier wanted,
            Runnable otherwise) {
        this.pages = pages;
        this.loop = loop;
        this.hand = hand;
        this.asked = asked;
        this.client = client;
        this.wanted = wanted;
        this.otherwise = otherwise;
        this.url = Prefetch.url(asked);
    }

    /**
     * Answers a request, waits with it, or lets it go on.
     *
     * @param wanted whether its client still waits
     * @param otherwise lets it go on; before this returns, or later on the loop
     */
    static void answer(
            PageServices pages,
            EventLoop loop,
            Http2Headers asked,
            boolean ends,
            LineStream client,
            BooleanSupplier wanted,
            Runnable otherwise) {
        PushStore hand = pages.prefetch().hand();
        if (hand == null || hand.isEmpty() || !Prefetch.isPlain(asked, ends)) {
            otherwise.run();
        } else {
            new PushLookup(pages, loop, hand, asked, client, wanted, otherwise).look();
        }
    }

    private void look() {
        PushStore.Found found = hand.find(url);
        if (found instanceof PushStore.Coming coming && !joined && suits(null)) {
            joined = true;
            coming.whenOver(() -> loop.execute(() -> {
                if (wanted.getAsBoolean()) {
                    look();
                }
            }));
        } else if (!(found instanceof PushStore.Here here) || !suits(here.answer())) {
            otherwise.run();
        } else {
            give(here.answer());
        }
    }

    /** @param answer absent: it is under way, and what can be known now decides */
    private boolean suits(@Nullable WholeResponse answer) {
        Fields fields = pages.fields().ofRequest(asked);
        if (fields == null || fields.hasAny(CONDITIONS_OF_PARTS)) {
            return false;
        }
        CacheDirectives control = CacheDirectives.parse(fields.joined(Field.CACHE_CONTROL));
        String pragma = fields.joined(Field.PRAGMA);
        boolean asksAnew = pragma != null
                && !fields.has(Field.CACHE_CONTROL)
                && TokenList.contains(pragma, "no-cache");
        if (answer == null) {
            return !control.noCache && !control.noStore && !asksAnew && control.maxAge != 0;
        }
        return !control.noStore
                && (answer.encodings() == null
                        || answer.encodings().equals(ShareabilityRule.encodings(fields)))
                && Reuse.decide(answer.freshness(), control, asksAnew, clock().steadyMillis())
                        == Reuse.FRESH;
    }

    private ProxyClock clock() {
        return pages.prefetch().clock();
    }

    private void give(WholeResponse answer) {
        hand.used(url);
        pages.prefetch().counts().count(PageCounts.Kind.USED);
        if (joined) {
            pages.prefetch().counts().count(PageCounts.Kind.JOINED);
        }
        Fields fields = pages.fields().ofRequest(asked);
        boolean isGood = fields != null
                && Conditions.notModified(
                        fields,
                        200,
                        answer.etag(),
                        answer.modified(),
                        answer.freshness().datedMillis());
        Http2Headers head = new DefaultHttp2Headers(false, 16);
        if (isGood) {
            head.status("304");
            for (AsciiString name : OF_304) {
                head.add(name, answer.head().getAll(name));
            }
        } else {
            head.setAll(answer.head());
        }
        head.set("age", Long.toString(answer.freshness().ageSeconds(clock().steadyMillis())));
        head.add(
                HeadConversion.VIA,
                HopPath.entry("1.1", pages.routing().self(), pages.routing().cluster()));
        boolean bare = isGood || !Prefetch.isGet(asked) || answer.body().length == 0;
        client.head(head, bare);
        if (!bare) {
            client.data(Unpooled.wrappedBuffer(answer.body()), true);
        }
    }
}
