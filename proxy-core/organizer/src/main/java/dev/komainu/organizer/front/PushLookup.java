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
 * The lookup of one request in the push store: it is answered at once, or after the push has been
 * received completely. The rules of a cache apply (RFC 9111 section 4). A request without a usable
 * response continues as if there were no push. Used on its loop.
 */
final class PushLookup {

    private static final long CONDITIONS_OF_PARTS = Fields.mask(
            Field.RANGE,
            Field.IF_RANGE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE,
            Field.AUTHORIZATION);
    /** The fields of a 304 response (RFC 9110 section 15.4.5). */
    private static final AsciiString[] FIELDS_OF_304 = {
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
    private final PushStore store;
    private final Http2Headers request;
    private final LineStream client;
    private final BooleanSupplier clientWaits;
    private final Runnable fallback;
    private final String url;
    private boolean waited;

    private PushLookup(
            PageServices pages,
            EventLoop loop,
            PushStore store,
            Http2Headers request,
            LineStream client,
            BooleanSupplier clientWaits,
            Runnable fallback) {
        this.pages = pages;
        this.loop = loop;
        this.store = store;
        this.request = request;
        this.client = client;
        this.clientWaits = clientWaits;
        this.fallback = fallback;
        this.url = Prefetch.url(request);
    }

    /**
     * Answers a request from the store, lets it wait for a push, or runs the fallback.
     *
     * @param clientWaits reports whether the client still waits
     * @param fallback continues without a push; called before this method returns, or later on the
     *     loop
     */
    static void serve(
            PageServices pages,
            EventLoop loop,
            Http2Headers request,
            boolean ends,
            LineStream client,
            BooleanSupplier clientWaits,
            Runnable fallback) {
        PushStore store = pages.prefetch().pushStore();
        if (store == null || store.isEmpty() || !Prefetch.isPlain(request, ends)) {
            fallback.run();
        } else {
            new PushLookup(pages, loop, store, request, client, clientWaits, fallback).lookUp();
        }
    }

    private void lookUp() {
        PushStore.LookupResult found = store.find(url);
        if (found instanceof PushStore.Arriving arriving && !waited && isUsable(null)) {
            waited = true;
            arriving.whenOver(() -> loop.execute(() -> {
                if (clientWaits.getAsBoolean()) {
                    lookUp();
                }
            }));
        } else if (!(found instanceof PushStore.Stored stored) || !isUsable(stored.response())) {
            fallback.run();
        } else {
            respond(stored.response());
        }
    }

    /**
     * Reports whether a push is usable for this request.
     *
     * @param response null: the push is still being received, and only the request is checked
     */
    private boolean isUsable(@Nullable WholeResponse response) {
        Fields fields = pages.fields().ofRequest(request);
        if (fields == null || fields.hasAny(CONDITIONS_OF_PARTS)) {
            return false;
        }
        CacheDirectives control = CacheDirectives.parse(fields.joined(Field.CACHE_CONTROL));
        String pragma = fields.joined(Field.PRAGMA);
        boolean noCachePragma = pragma != null
                && !fields.has(Field.CACHE_CONTROL)
                && TokenList.contains(pragma, "no-cache");
        if (response == null) {
            return !control.noCache && !control.noStore && !noCachePragma && control.maxAge != 0;
        }
        return !control.noStore
                && (response.encodings() == null
                        || response.encodings().equals(ShareabilityRule.encodings(fields)))
                && Reuse.decide(
                                response.freshness(),
                                control,
                                noCachePragma,
                                clock().steadyMillis())
                        == Reuse.FRESH;
    }

    private ProxyClock clock() {
        return pages.prefetch().clock();
    }

    private void respond(WholeResponse response) {
        store.used(url);
        pages.prefetch().counts().count(PageCounts.Kind.USED);
        if (waited) {
            pages.prefetch().counts().count(PageCounts.Kind.JOINED);
        }
        Fields fields = pages.fields().ofRequest(request);
        boolean notModified = fields != null
                && Conditions.notModified(
                        fields,
                        200,
                        response.etag(),
                        response.modified(),
                        response.freshness().datedMillis());
        Http2Headers head = new DefaultHttp2Headers(false, 16);
        if (notModified) {
            head.status("304");
            for (AsciiString name : FIELDS_OF_304) {
                head.add(name, response.head().getAll(name));
            }
        } else {
            head.setAll(response.head());
        }
        head.set("age", Long.toString(response.freshness().ageSeconds(clock().steadyMillis())));
        head.add(
                HeadConversion.VIA,
                HopPath.entry("1.1", pages.routing().self(), pages.routing().cluster()));
        boolean bare = notModified || !Prefetch.isGet(request) || response.body().length == 0;
        client.head(head, bare);
        if (!bare) {
            client.data(Unpooled.wrappedBuffer(response.body()), true);
        }
    }
}
