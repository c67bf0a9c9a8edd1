package dev.komainu.proxy.tally;

import dev.komainu.telemetry.record.RecordSink;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The limit for exchanges that are listed one by one: up to a rate for the whole proxy; the rest is
 * only counted. Thread-safe.
 */
public final class ExchangeLog {

    private final String service;
    private volatile long perSecond;
    private final RecordSink sink;
    private final AtomicLong left = new AtomicLong();

    /**
     * Creates the log.
     *
     * @param perSecond the exchanges listed per second; 0 lists none
     */
    public ExchangeLog(String service, long perSecond, RecordSink sink) {
        this.service = service;
        this.perSecond = perSecond;
        this.sink = sink;
        this.left.set(perSecond);
    }

    /** Sets the exchanges listed per second, from the next second on. */
    public void limit(long next) {
        perSecond = next;
    }

    /** Starts a new second. */
    public void refill() {
        left.set(perSecond);
    }

    /** Reports whether the next exchange is to be listed; false costs one read. */
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
