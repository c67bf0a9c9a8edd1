package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.page.ShareabilityRule;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * One request to a server of this member, as far as it is a page or a page's object: what it
 * teaches, and what goes beside its answer. On its loop.
 *
 * <p>Pushes set off when the page's own answer begins, not when it is asked for: a page that is not
 * to be had, not modified or moved needs none of its objects, and until then the server has nothing
 * else to do than the page.
 */
final class PageObservation {

    private static final AsciiString REFERER = AsciiString.cached("referer");
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");

    private final PageServices pages;
    private final ServerConnections servers;
    private final PageLearner book;
    private final Http2Headers asked;
    private final @Nullable PageRequestHint asker;
    private final LineStream client;
    /** It came from this page, a moment ago. */
    private final @Nullable String page;

    private @Nullable String teaches;

    private PageObservation(
            PageServices pages,
            ServerConnections servers,
            PageLearner book,
            Http2Headers asked,
            @Nullable PageRequestHint asker,
            LineStream client) {
        this.pages = pages;
        this.servers = servers;
        this.book = book;
        this.asked = asked;
        this.asker = asker;
        this.client = client;
        String from = PageLearner.pageOf(asked.get(REFERER));
        this.page = from == null || !book.isLoading(from) ? null : from;
    }

    /**
     * Looks at a request.
     *
     * @param asker absent: whoever asks takes no pushes
     * @return absent: there is nothing to be learnt of it
     */
    static @Nullable PageObservation of(
            PageServices pages,
            ServerConnections servers,
            Http2Headers asked,
            boolean ends,
            @Nullable PageRequestHint asker,
            LineStream client) {
        PageLearner book = pages.prefetch().book();
        return book == null || !Prefetch.isPlain(asked, ends) || !Prefetch.isGet(asked)
                ? null
                : new PageObservation(pages, servers, book, asked, asker, client);
    }

    /** The final head came, and is about to go on. */
    void answered(Http2Headers fields) {
        int status = HeadConversion.status(fields);
        if (status == 200 && ShareabilityRule.isPage(fields.get(CONTENT_TYPE))) {
            String url = Prefetch.url(asked);
            for (PageLearner.Needed needed : book.loaded(url, asker)) {
                OutgoingPush.begin(pages, servers, book, needed, asked, url, client);
            }
        } else if (status == 200 && page != null) {
            boolean isForAll =
                    pages.fields().freshness(fields, pages.prefetch().clock().wallMillis()) != null;
            teaches = isForAll ? Prefetch.url(asked) : null;
        } else if (status == 304 && page != null) {
            book.revalidated(page, Prefetch.url(asked));
        }
    }

    /** The answer went on whole. */
    void over(long bytes) {
        String url = teaches;
        if (url != null && page != null) {
            book.followed(page, url, bytes);
        }
    }
}
