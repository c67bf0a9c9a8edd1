package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;

/**
 * The result of a request, under the names of Squid's access log; compared with Squid 5.7 on the
 * same requests. Analysers recognize hits by {@code _HIT} and by {@code REFRESH_UNMODIFIED}.
 */
public enum ResultCode {
    /** Served from memory. */
    TCP_MEM_HIT,
    /** 304 from memory: the client's If-None-Match matches. */
    TCP_INM_HIT,
    /** 304 from memory: the client's If-Modified-Since applies. */
    TCP_IMS_HIT,
    /** A stored error served from memory. */
    TCP_NEGATIVE_HIT,
    /** Served stale from memory: permitted by the client or by stale-while-revalidate. */
    TCP_STALE_HIT,
    /** Waited for the fetch of another request. */
    TCP_CF_HIT,
    /** Fetched from the origin; no response was stored before, or may be. */
    TCP_MISS,
    /** Validated by the origin. */
    TCP_REFRESH_UNMODIFIED,
    /** Replaced by a new response of the origin. */
    TCP_REFRESH_MODIFIED,
    /** The validation failed; the stored response was served. */
    TCP_REFRESH_FAIL_OLD,
    /** The validation failed; an error was served. */
    TCP_REFRESH_FAIL_ERR,
    /** Refused. */
    TCP_DENIED,
    /** CONNECT. */
    TCP_TUNNEL,
    /** No request could be parsed. */
    NONE_NONE;

    final byte[] bytes = Ascii.bytes(name());

    /**
     * Returns the result code; a pure function of the exchange's account.
     *
     * @param forwarded whether a fetch was made or waited for, successful or not
     * @param known whether a response was stored when the origin was requested
     * @param byTag whether the request has If-None-Match
     */
    public static ResultCode of(
            CacheOutcome outcome, int status, boolean forwarded, boolean known, boolean byTag) {
        return switch (outcome) {
            case HIT ->
                status == 304
                        ? byTag ? TCP_INM_HIT : TCP_IMS_HIT
                        : status >= 400 ? TCP_NEGATIVE_HIT : TCP_MEM_HIT;
            case STALE -> forwarded ? TCP_REFRESH_FAIL_OLD : TCP_STALE_HIT;
            case REVALIDATED -> TCP_REFRESH_UNMODIFIED;
            case COLLAPSED -> TCP_CF_HIT;
            case MISS, PASS -> known ? TCP_REFRESH_MODIFIED : TCP_MISS;
            case TUNNEL -> TCP_TUNNEL;
            case ERROR -> status == 403 ? TCP_DENIED : known ? TCP_REFRESH_FAIL_ERR : TCP_MISS;
        };
    }
}
