package dev.komainu.central.limit;

import java.util.Locale;

/** The reason of a refusal, as the label of {@code komainu_refused_total}. */
public enum Refusal {
    /** A body larger than its route allows. */
    BODY_BYTES,
    /** A body that was not complete in time. */
    BODY_TIME,
    /** A head that was not complete in time. */
    HEAD_TIME,
    /** A response that its client did not take in time. */
    RESPONSE_TIME,
    /** A JSON body beyond depth, length or number of tokens. */
    JSON,
    /** The budget of bytes in hand was used up. */
    BYTES_IN_HAND,
    /** The strangers' part of the budget was used up. */
    STRANGERS_BYTES_IN_HAND,
    /** One request alone needs more than the budget. */
    BYTES_BEYOND_BUDGET,
    /** A connection closed as the oldest one on which nothing came. */
    OPENED_CONNECTIONS,
    /** A connection closed as the oldest one with an incomplete request. */
    UNFINISHED_CONNECTIONS,
    /** A connection closed as the oldest one that answers a request without a login. */
    STRANGER_CONNECTIONS,
    /** A connection closed as the one idle longest. */
    IDLE_CONNECTIONS,
    /** Too many requests in progress. */
    REQUESTS,
    /** Too many requests of one caller in progress. */
    REQUESTS_PER_CALLER,
    /** Too many batches in progress. */
    INGEST_REQUESTS,
    /** Too many streams. */
    STREAMS,
    /** Too many streams of one caller. */
    STREAMS_PER_CALLER,
    /** A stream whose session or token is no longer valid. */
    STREAM_LOGIN_ENDED;

    /** Returns the label's value. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
