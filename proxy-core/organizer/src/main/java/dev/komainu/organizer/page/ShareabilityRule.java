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
 * Whether an answer may be given to whoever asks next: what a shared cache may store and use again
 * without asking (RFC 9111 section 3), and a little less: no cookies, no fields for one visitor,
 * and of {@code Vary} only {@code Accept-Encoding}. RFC 9113 section 8.4 asks as much of what is
 * pushed. Pure functions.
 */
public final class ShareabilityRule {

    private static final List<String> ENCODING = List.of("accept-encoding");
    private static final Fields NOTHING = new ResponseHead().fields();

    private ShareabilityRule() {}

    /**
     * How fresh it is.
     *
     * @param requestedWallMillis when it was asked for
     * @return absent: it may not, or is not fresh
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

    /** Whether it is the answer for some encodings only. */
    public static boolean varies(ResponseHead head) {
        return head.fields().has(Field.VARY);
    }

    /** What of a request selects such an answer. */
    public static String encodings(Fields request) {
        return Vary.selection(ENCODING, request);
    }

    /** Whether it is a page, and no part of one. */
    public static boolean isPage(@Nullable CharSequence contentType) {
        if (contentType == null) {
            return false;
        }
        String type = contentType.toString().strip().toLowerCase(Locale.ROOT);
        return type.startsWith("text/html") || type.startsWith("application/xhtml+xml");
    }
}
