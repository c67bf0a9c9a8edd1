package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;

/**
 * What became of a request, in the words of Squid's access log; which of them was compared with
 * Squid 5.7 on the same requests. Analysers tell hits by {@code _HIT} and by
 * {@code REFRESH_UNMODIFIED}.
 */
public enum ResultCode {
    /** From memory. */
    TCP_MEM_HIT,
    /** From memory, and the client has it: 304 to If-None-Match. */
    TCP_INM_HIT,
    /** The same to If-Modified-Since. */
    TCP_IMS_HIT,
    /** From memory, and what is stored is an error. */
    TCP_NEGATIVE_HIT,
    /** From memory though stale: permitted by the client or by stale-while-revalidate. */
    TCP_STALE_HIT,
    /** Waited for another's fetch. */
    TCP_CF_HIT,
    /** The origin was asked; nothing was stored before, or may be. */
    TCP_MISS,
    /** Stored, asked, confirmed. */
    TCP_REFRESH_UNMODIFIED,
    /** Stored, asked, replaced. */
    TCP_REFRESH_MODIFIED,
    /** Stored, asked in vain; what is stored was served. */
    TCP_REFRESH_FAIL_OLD,
    /** Stored, asked in vain; an error was served. */
    TCP_REFRESH_FAIL_ERR,
    /** Not allowed. */
    TCP_DENIED,
    /** CONNECT. */
    TCP_TUNNEL,
    /** No request could be made of what came. */
    NONE_NONE;

    final byte[] bytes = Ascii.bytes(name());

    /**
     * A pure function of what the exchange's account tells.
     *
     * @param forwarded whether a fetch was made or waited for, be it in vain
     * @param known whether something was stored when the origin was asked
     * @param byTag whether the request carries If-None-Match
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
