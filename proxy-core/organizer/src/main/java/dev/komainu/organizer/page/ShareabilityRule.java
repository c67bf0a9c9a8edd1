package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.caching.Storability;
import dev.komainu.intermediary.caching.Vary;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.message.TargetedControl;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The rule for a response that may be given to another client: the response is storable in a shared
 * cache and reusable without validation (RFC 9111 section 3). It also has no cookies, no fields for
 * one visitor, and of {@code Vary} only {@code Accept-Encoding}. RFC 9113 section 8.4 requires the
 * same of a push. Pure functions.
 */
public final class ShareabilityRule {

    private static final List<String> ENCODING = List.of("accept-encoding");
    private static final Fields NOTHING = new ResponseHead().fields();

    private ShareabilityRule() {}

    /**
     * Returns the freshness of a response.
     *
     * @param requestedWallMillis wall time of the request
     * @return null: the response is not shareable or not fresh
     */
    public static @Nullable Freshness freshness(
            ResponseHead head, long requestedWallMillis, ProxyClock clock) {
        Fields fields = head.fields();
        CacheDirectives control = TargetedControl.of(fields, TargetedControl.DEFAULT_FIELDS);
        if (head.status() != 200
                || control.noStore
                || Storability.isForbidden(control)
                || !control.withheld.isEmpty()
                || fields.has(Field.SET_COOKIE)) {
            return null;
        }
        String vary = fields.joined(Field.VARY);
        if (vary != null && !ENCODING.containsAll(Vary.names(vary))) {
            return null;
        }
        long now = clock.steadyMillis();
        Freshness found =
                Freshness.of(200, fields, control, requestedWallMillis, clock.wallMillis(), now);
        boolean may = Storability.refusal(NOTHING, 200, fields, control, found, false) == null
                && !found.alwaysValidate()
                && found.leftSeconds(now) > 0;
        return may ? found : null;
    }

    /** Reports whether the response is selected by the request's encodings. */
    public static boolean varies(ResponseHead head) {
        return head.fields().has(Field.VARY);
    }

    /** Returns the part of a request that selects such a response. */
    public static String encodings(Fields request) {
        return Vary.selection(ENCODING, request);
    }

    /** Reports whether the content type is that of a page. */
    public static boolean isPage(@Nullable CharSequence contentType) {
        if (contentType == null) {
            return false;
        }
        String type = contentType.toString().strip().toLowerCase(Locale.ROOT);
        return type.startsWith("text/html") || type.startsWith("application/xhtml+xml");
    }
}
