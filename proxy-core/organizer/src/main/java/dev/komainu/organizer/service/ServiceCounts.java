package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What became of an entry's clients since the start. All loops add, anybody reads. */
public final class ServiceCounts {

    /**
     * What is counted beside refusals. Each accepted one is opened, or refused, or gave up before.
     */
    public enum Kind {
        /** Connections of clients. */
        ACCEPTED,
        /** Of these, those whose service took them. */
        OPENED,
        /** Of the opened, those that ended. */
        ENDED,
        /** FTP: data connections, whoever opened them. */
        DATA,
        /** IIOP: addresses in object references that were written anew. */
        REFERENCES,
        /** IIOP: messages that were too long to look into, or are no GIOP. */
        UNREAD_MESSAGES
    }

    private final Map<Kind, LongAdder> kinds = new EnumMap<>(Kind.class);
    private final Map<ServiceRefusal, LongAdder> refusals = new EnumMap<>(ServiceRefusal.class);
    /** Of the opened ones and their data connections, those that were reset in the middle. */
    private final Map<TunnelResetReason, LongAdder> breaks = new EnumMap<>(TunnelResetReason.class);

    ServiceCounts() {
        for (Kind kind : Kind.values()) {
            kinds.put(kind, new LongAdder());
        }
        for (ServiceRefusal why : ServiceRefusal.values()) {
            refusals.put(why, new LongAdder());
        }
        for (TunnelResetReason why : TunnelResetReason.values()) {
            breaks.put(why, new LongAdder());
        }
    }

    void count(Kind kind) {
        add(kind, 1);
    }

    void add(Kind kind, long many) {
        LongAdder adder = kinds.get(kind);
        if (adder != null) {
            adder.add(many);
        }
    }

    void refused(ServiceRefusal why) {
        LongAdder adder = refusals.get(why);
        if (adder != null) {
            adder.increment();
        }
    }

    void broken(TunnelResetReason why) {
        LongAdder adder = breaks.get(why);
        if (adder != null) {
            adder.increment();
        }
    }

    public long of(Kind kind) {
        LongAdder adder = kinds.get(kind);
        return adder == null ? 0 : adder.sum();
    }

    public long of(ServiceRefusal why) {
        LongAdder adder = refusals.get(why);
        return adder == null ? 0 : adder.sum();
    }

    public long of(TunnelResetReason why) {
        LongAdder adder = breaks.get(why);
        return adder == null ? 0 : adder.sum();
    }

    /** As figures name it. */
    public static String text(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
