package dev.komainu.organizer.front;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counts of requests since the start. Written by all loops, read by any thread. */
public final class FrontCounts {

    /** The counters besides refusals. */
    public enum Kind {
        /** TCP connections of clients. */
        CONNECTIONS,
        /** Requests of clients. */
        REQUESTS,
        /** Requests of peers. */
        PEER_REQUESTS,
        /** Attempts sent to a server of this member. */
        OWN,
        /** Attempts sent over a line. */
        FORWARDED,
        /** Retries with another mirror after the first attempt failed. */
        RETRIED,
        /** Requests answered by a server, with any status. */
        ANSWERED,
        /** Responses broken off by the server or the line. */
        BROKEN,
        /** Requests cancelled by the client. */
        GIVEN_UP,
        /** Requests for tunnels: CONNECT and WebSocket. */
        TUNNELS,
        /** Client requests that are not valid HTTP. */
        MALFORMED,
        /** Purges issued here and sent to the other members. */
        PURGES_SPREAD,
        /** Acknowledgements of these purges, one for each member. */
        PURGES_DONE,
        /** Purges issued here and not sent: they are outside this member's grant. */
        PURGES_WITHHELD,
        /**
         * Purges of other members that were refused here: the issuer is not proven, or it may not
         * order them.
         */
        PURGES_REFUSED,
        /** Purges of other members that were carried out here. */
        PURGES_HEARD,
        /** Complete purges of the store, because missed purges are no longer in any log. */
        PURGED_ALL,
        /** Clients that exceeded a timeout when sending or receiving. */
        TIMEOUTS;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Map<Kind, LongAdder> kinds = adders(Kind.class);
    private final Map<GatewayError, LongAdder> refusals = adders(GatewayError.class);

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> of) {
        Map<E, LongAdder> all = new EnumMap<>(of);
        for (E constant : of.getEnumConstants()) {
            all.put(constant, new LongAdder());
        }
        return all;
    }

    void count(Kind kind) {
        adder(kinds, kind).increment();
    }

    /** Counts a refusal that was sent to the client. */
    void refused(GatewayError error) {
        adder(refusals, error).increment();
    }

    private static <E extends Enum<E>> LongAdder adder(Map<E, LongAdder> of, E which) {
        LongAdder adder = of.get(which);
        if (adder == null) {
            throw new IllegalStateException(which.name());
        }
        return adder;
    }

    /** Returns the count of one kind since the start. */
    public long of(Kind kind) {
        return adder(kinds, kind).sum();
    }

    /** Returns the number of requests refused with one error since the start. */
    public long of(GatewayError error) {
        return adder(refusals, error).sum();
    }
}
