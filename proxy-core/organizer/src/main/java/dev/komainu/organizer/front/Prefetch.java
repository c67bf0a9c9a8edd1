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
 * How the objects of a page come with it: beside its server they are learnt and pushed, beside its
 * readers they are taken and wait. A front may do both, either, or nothing.
 *
 * <pre>
 *   reader          asker                       pusher                     server
 *      GET page  →         GET page, word   →          GET page         →
 *                                                                       ←  200
 *                          ←  promises of a, b         GET a, GET b     →
 *      ←  page             ←  page                                      ←  a, b
 *      GET a, b  →         ←  a, b
 *                  which are here, or waited for
 * </pre>
 *
 * <p>Safe for threads.
 */
final class Prefetch {

    private static final AsciiString NOTHING = AsciiString.cached(PageRequestHint.NOTHING.text());
    private static final AsciiString GET = AsciiString.cached("GET");
    private static final AsciiString HEAD = AsciiString.cached("HEAD");
    private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
    private static final AsciiString RANGE = AsciiString.cached("range");

    private final PageCounts counts = new PageCounts();
    private final ProxyClock clock;
    private final PageLearner book;
    private volatile boolean learns;
    private final @Nullable PushStore hand;

    /** @param holds whether clients ask here that can be given what came unasked */
    Prefetch(PageSettings settings, boolean holds, ProxyClock clock) {
        this.clock = clock;
        book = new PageLearner(settings, clock::steadyMillis);
        learns = settings.pushBytes() > 0;
        hand = holds ? new PushStore(settings, clock, counts) : null;
    }

    /** From now on; what no longer has room goes at once. */
    void ruleBy(PageSettings settings) {
        book.ruleBy(settings);
        learns = settings.pushBytes() > 0;
        if (hand != null) {
            hand.ruleBy(settings);
        }
    }

    PageCounts counts() {
        return counts;
    }

    ProxyClock clock() {
        return clock;
    }

    /** What is known of pages, also while nothing is learnt. */
    PageLearner allLearnt() {
        return book;
    }

    /** What is learnt of pages; absent: nothing is. */
    @Nullable
    PageLearner book() {
        return learns ? book : null;
    }

    /** What came unasked; absent: it is never taken. */
    @Nullable
    PushStore hand() {
        return hand;
    }

    /** How pages and objects are named: HOST/PATH?QUERY. */
    static String url(Http2Headers head) {
        return HeadConversion.host(head) + HeadConversion.path(head);
    }

    /** A request that everybody may make, and gets the same whole answer to. */
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
     * Takes off what a peer says of itself beside its request. @return absent: it takes no pushes
     */
    @Nullable
    PageRequestHint taken(Http2Headers head) {
        CharSequence said = head.getAndRemove(MemberFields.PAGE);
        if (said == null) {
            return null;
        }
        PageRequestHint word = PageRequestHint.parse(said);
        book.heard(word);
        return word;
    }

    /** Says to a member that this one takes pushes, or does not. */
    void tell(Http2Headers head, boolean takes, String member) {
        if (hand == null || !takes || !hand.isTaking()) {
            head.remove(MemberFields.PAGE);
        } else {
            head.set(MemberFields.PAGE, hand.hasToSay() ? hand.word(url(head), member) : NOTHING);
        }
    }
}
