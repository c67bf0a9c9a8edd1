package dev.komainu.proxy.tally;

import dev.komainu.telemetry.record.RecordSink;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which exchanges are listed one by one: up to a rate for the whole proxy; the rest is only
 * counted. Safe for all threads.
 */
public final class ExchangeLog {

    private final String service;
    private volatile long perSecond;
    private final RecordSink sink;
    private final AtomicLong left = new AtomicLong();

    /** @param perSecond exchanges listed a second, 0 lists none */
    public ExchangeLog(String service, long perSecond, RecordSink sink) {
        this.service = service;
        this.perSecond = perSecond;
        this.sink = sink;
        this.left.set(perSecond);
    }

    /** So many a second, from the next one on. */
    public void limit(long next) {
        perSecond = next;
    }

    /** A new second begins. */
    public void refill() {
        left.set(perSecond);
    }

    /** Whether the next exchange is to be listed; false costs one read. */
    public boolean listNext() {
        return left.get() > 0 && left.getAndDecrement() > 0;
    }

    public String service() {
        return service;
    }

    public RecordSink sink() {
        return sink;
    }
}
