package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.page.PushStore;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The prefetch of page objects. The member beside the server learns and pushes them; the member
 * beside the clients receives and stores them. A front may have both roles, one or none.
 *
 * <pre>
 *   client          receiver                    pusher                     server
 *      GET page  →         GET page, hint   →          GET page         →
 *                                                                       ←  200
 *                          ←  promises of a, b         GET a, GET b     →
 *      ←  page             ←  page                                      ←  a, b
 *      GET a, b  →         ←  a, b
 *                  which are stored here, or awaited
 * </pre>
 *
 * <p>Thread-safe.
 */
final class Prefetch {

    private static final AsciiString NOTHING = AsciiString.cached(PageRequestHint.NOTHING.text());
    private static final AsciiString GET = AsciiString.cached("GET");
    private static final AsciiString HEAD = AsciiString.cached("HEAD");
    private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
    private static final AsciiString RANGE = AsciiString.cached("range");

    private final PageCounts counts = new PageCounts();
    private final ProxyClock clock;
    private final PageLearner learner;
    private volatile boolean learning;
    private final @Nullable PushStore store;

    /**
     * Creates the prefetch of one front.
     *
     * @param stores whether clients send requests here, to which stored pushes can be given
     */
    Prefetch(PageSettings settings, boolean stores, ProxyClock clock) {
        this.clock = clock;
        learner = new PageLearner(settings, clock::steadyMillis);
        learning = settings.pushBytes() > 0;
        store = stores ? new PushStore(settings, clock, counts) : null;
    }

    /** Applies new settings. Stored pushes beyond the new limit are evicted at once. */
    void reload(PageSettings settings) {
        learner.reload(settings);
        learning = settings.pushBytes() > 0;
        if (store != null) {
            store.reload(settings);
        }
    }

    PageCounts counts() {
        return counts;
    }

    ProxyClock clock() {
        return clock;
    }

    /** Returns the learner, even when learning is off. */
    PageLearner storedLearner() {
        return learner;
    }

    /** Returns the learner; null: learning is off. */
    @Nullable
    PageLearner learner() {
        return learning ? learner : null;
    }

    /** Returns the store of received pushes; null: this front accepts none. */
    @Nullable
    PushStore pushStore() {
        return store;
    }

    /** Returns the name of a page or an object: HOST/PATH?QUERY. */
    static String url(Http2Headers head) {
        return HeadConversion.host(head) + HeadConversion.path(head);
    }

    /**
     * Reports whether a request is the same for every client and has one complete response for all
     * of them.
     */
    static boolean isPlain(Http2Headers head, boolean ends) {
        CharSequence method = head.method();
        return ends
                && method != null
                && (GET.contentEquals(method) || HEAD.contentEquals(method))
                && !head.contains(HeadConversion.PROTOCOL)
                && !head.contains(AUTHORIZATION)
                && !head.contains(RANGE);
    }

    static boolean isGet(Http2Headers head) {
        return GET.contentEquals(String.valueOf(head.method()));
    }

    /**
     * Removes the hint of a peer from a request and passes it to the learner; null: the peer
     * accepts no pushes.
     */
    @Nullable
    PageRequestHint receiveHint(Http2Headers head) {
        CharSequence value = head.getAndRemove(MemberFields.PAGE);
        if (value == null) {
            return null;
        }
        PageRequestHint hint = PageRequestHint.parse(value);
        learner.onHint(hint);
        return hint;
    }

    /** Adds the hint about this member's push store to a request, or removes it. */
    void setHint(Http2Headers head, boolean acceptsPushes, String member) {
        if (store == null || !acceptsPushes || !store.isEnabled()) {
            head.remove(MemberFields.PAGE);
        } else {
            head.set(MemberFields.PAGE, store.hasHint() ? store.hint(url(head), member) : NOTHING);
        }
    }
}
