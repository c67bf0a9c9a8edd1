package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.HttpDate;
import dev.komainu.intermediary.message.TokenList;
import org.jspecify.annotations.Nullable;

/** The evaluation of a client's own conditions against a stored response (RFC 9110 section 13). */
public final class Conditions {

    private Conditions() {}

    /**
     * Reports whether the client's copy is still valid, so that the response is 304 (sections
     * 13.1.2, 13.1.3, 13.2.2).
     *
     * @param dated the response's Date, milliseconds since the epoch
     */
    public static boolean notModified(
            Fields request,
            int status,
            @Nullable String etag,
            @Nullable String modified,
            long dated) {
        if (status != 200) {
            return false;
        }
        String noneMatch = request.joined(Field.IF_NONE_MATCH);
        if (noneMatch != null) {
            return noneMatch.strip().equals("*") || matchesWeakly(noneMatch, etag);
        }
        String since = request.first(Field.IF_MODIFIED_SINCE);
        if (since == null || request.isRepeated(Field.IF_MODIFIED_SINCE)) {
            return false;
        }
        long clientMillis = HttpDate.parse(since);
        // RFC 9111 section 4.3.2: without Last-Modified, the time of generation counts.
        long storedMillis = modified == null ? dated : HttpDate.parse(modified);
        return clientMillis != HttpDate.NONE
                && storedMillis != HttpDate.NONE
                && storedMillis <= clientMillis;
    }

    /** Compares weakly (section 8.8.3.2): the mark of weakness is ignored. */
    private static boolean matchesWeakly(String list, @Nullable String etag) {
        if (etag == null) {
            return false;
        }
        for (String member : TokenList.split(list)) {
            if (opaque(member).equals(opaque(etag))) {
                return true;
            }
        }
        return false;
    }

    private static String opaque(String etag) {
        return etag.startsWith("W/") ? etag.substring(2) : etag;
    }

    /**
     * Evaluates If-Range with strong comparison (section 13.1.5): reports whether a part of this
     * response may be sent.
     */
    public static boolean rangeApplies(Fields request, Representation stored) {
        String condition = request.first(Field.IF_RANGE);
        if (condition == null) {
            return true;
        }
        if (condition.startsWith("\"")) {
            return condition.equals(stored.etag());
        }
        // RFC 9110 section 8.8.2.2: a date is strong only when it is at least a second before the
        // response's own.
        String modified = stored.lastModified();
        return modified != null
                && condition.equals(modified)
                && HttpDate.parse(modified) + 1000 <= stored.freshness().datedMillis();
    }
}
