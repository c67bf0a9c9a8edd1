package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts of an entry's clients since the start. Written by all loops, read by any thread. */
public final class ServiceCounts {

    /**
     * The counters besides refusals. Each accepted connection is opened, refused, or closed by the
     * client before.
     */
    public enum Kind {
        /** Connections of clients. */
        ACCEPTED,
        /** Of these, the connections that the service accepted. */
        OPENED,
        /** Of the opened, those that ended. */
        ENDED,
        /** FTP: data connections of both directions. */
        DATA,
        /** IIOP: rewritten addresses in object references. */
        REFERENCES,
        /** IIOP: messages that were too long to be read, or are not GIOP. */
        UNREAD_MESSAGES
    }

    private final Map<Kind, LongAdder> kinds = new EnumMap<>(Kind.class);
    private final Map<ServiceRefusal, LongAdder> refusals = new EnumMap<>(ServiceRefusal.class);
    /** Opened connections and their data connections that were reset before their end. */
    private final Map<TunnelResetReason, LongAdder> breaks = new EnumMap<>(TunnelResetReason.class);

    ServiceCounts() {
        for (Kind kind : Kind.values()) {
            kinds.put(kind, new LongAdder());
        }
        for (ServiceRefusal reason : ServiceRefusal.values()) {
            refusals.put(reason, new LongAdder());
        }
        for (TunnelResetReason reason : TunnelResetReason.values()) {
            breaks.put(reason, new LongAdder());
        }
    }

    void count(Kind kind) {
        add(kind, 1);
    }

    void add(Kind kind, long amount) {
        LongAdder adder = kinds.get(kind);
        if (adder != null) {
            adder.add(amount);
        }
    }

    void refused(ServiceRefusal reason) {
        LongAdder adder = refusals.get(reason);
        if (adder != null) {
            adder.increment();
        }
    }

    void broken(TunnelResetReason reason) {
        LongAdder adder = breaks.get(reason);
        if (adder != null) {
            adder.increment();
        }
    }

    /** Returns the count of one kind since the start. */
    public long of(Kind kind) {
        LongAdder adder = kinds.get(kind);
        return adder == null ? 0 : adder.sum();
    }

    /** Returns the number of refusals for one reason since the start. */
    public long of(ServiceRefusal reason) {
        LongAdder adder = refusals.get(reason);
        return adder == null ? 0 : adder.sum();
    }

    /** Returns the number of connections reset for one reason since the start. */
    public long of(TunnelResetReason reason) {
        LongAdder adder = breaks.get(reason);
        return adder == null ? 0 : adder.sum();
    }

    /** Returns the name in metrics. */
    public static String text(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
