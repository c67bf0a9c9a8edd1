package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.page.ShareabilityRule;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The observation of one request to a server of this member, if it is for a page or an object of a
 * page. It reports to the {@link PageLearner} and starts the pushes for a page. Used on its loop.
 *
 * <p>Pushes start with the page's response head, not with its request: a page that fails, is not
 * modified or is redirected needs none of its objects. Until then the server works only on the
 * page.
 */
final class PageObservation {

    private static final AsciiString REFERER = AsciiString.cached("referer");
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");

    private final PageServices pages;
    private final ServerConnections servers;
    private final PageLearner learner;
    private final Http2Headers request;
    private final @Nullable PageRequestHint peerHint;
    private final LineStream client;
    /** The recently loaded page that refers to this object; null: there is none. */
    private final @Nullable String referringPage;

    private @Nullable String learntUrl;

    private PageObservation(
            PageServices pages,
            ServerConnections servers,
            PageLearner learner,
            Http2Headers request,
            @Nullable PageRequestHint peerHint,
            LineStream client) {
        this.pages = pages;
        this.servers = servers;
        this.learner = learner;
        this.request = request;
        this.peerHint = peerHint;
        this.client = client;
        String referrer = PageLearner.pageOf(request.get(REFERER));
        this.referringPage = referrer == null || !learner.isLoading(referrer) ? null : referrer;
    }

    /**
     * Creates the observation of a request.
     *
     * @param peerHint null: the requesting peer accepts no pushes
     * @return null: there is nothing to learn from the request
     */
    static @Nullable PageObservation of(
            PageServices pages,
            ServerConnections servers,
            Http2Headers request,
            boolean ends,
            @Nullable PageRequestHint peerHint,
            LineStream client) {
        PageLearner learner = pages.prefetch().learner();
        return learner == null || !Prefetch.isPlain(request, ends) || !Prefetch.isGet(request)
                ? null
                : new PageObservation(pages, servers, learner, request, peerHint, client);
    }

    /** Processes the final head before it is passed on. */
    void headReceived(Http2Headers fields) {
        int status = HeadConversion.status(fields);
        if (status == 200 && ShareabilityRule.isPage(fields.get(CONTENT_TYPE))) {
            String url = Prefetch.url(request);
            for (PageLearner.PushCandidate object : learner.loaded(url, peerHint)) {
                OutgoingPush.begin(pages, servers, learner, object, request, url, client);
            }
        } else if (status == 200 && referringPage != null) {
            boolean isShareable =
                    pages.fields().freshness(fields, pages.prefetch().clock().wallMillis()) != null;
            learntUrl = isShareable ? Prefetch.url(request) : null;
        } else if (status == 304 && referringPage != null) {
            learner.revalidated(referringPage, Prefetch.url(request));
        }
    }

    /** Processes the end of a complete response. */
    void completed(long bytes) {
        String url = learntUrl;
        if (url != null && referringPage != null) {
            learner.followed(referringPage, url, bytes);
        }
    }
}
