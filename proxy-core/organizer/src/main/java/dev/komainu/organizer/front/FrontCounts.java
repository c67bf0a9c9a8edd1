package dev.komainu.organizer.front;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What became of requests since the start. All loops add, anybody reads. */
public final class FrontCounts {

    /** What is counted beside refusals. */
    public enum Kind {
        /** TCP connections of clients. */
        CONNECTIONS,
        /** Requests of clients. */
        REQUESTS,
        /** Requests of peers. */
        PEER_REQUESTS,
        /** Sent to a server of this member, each attempt. */
        OWN,
        /** Sent over a line, each attempt. */
        FORWARDED,
        /** Sent to another mirror after the first failed. */
        RETRIED,
        /** Answered by a server, whatever it said. */
        ANSWERED,
        /** Broken off in the middle of an answer, by server or line. */
        BROKEN,
        /** Given up by who asked. */
        GIVEN_UP,
        /** Tunnels of CONNECT and WebSocket asked for. */
        TUNNELS,
        /** Clients' requests that are no HTTP. */
        MALFORMED,
        /** Purges given here, and told to the other members. */
        PURGES_SPREAD,
        /** Of these, how often a member said that it has carried one out. */
        PURGES_DONE,
        /** Purges given here, and told nobody: they are outside this member's grant. */
        PURGES_WITHHELD,
        /**
         * Purges of other members, not carried out here: nothing shows whose they are, or their
         * giver may not order them.
         */
        PURGES_REFUSED,
        /** Purges of other members, carried out here. */
        PURGES_HEARD,
        /** Times everything was dropped, because purges were missed that nobody remembers. */
        PURGED_ALL,
        /** Clients that said or took nothing for too long. */
        TIMEOUTS;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Map<Kind, LongAdder> kinds = adders(Kind.class);
    private final Map<GatewayError, LongAdder> refusals = adders(GatewayError.class);

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> of) {
        Map<E, LongAdder> all = new EnumMap<>(of);
        for (E one : of.getEnumConstants()) {
            all.put(one, new LongAdder());
        }
        return all;
    }

    void count(Kind kind) {
        adder(kinds, kind).increment();
    }

    /** It is what the asker was told. */
    void refused(GatewayError why) {
        adder(refusals, why).increment();
    }

    private static <E extends Enum<E>> LongAdder adder(Map<E, LongAdder> of, E which) {
        LongAdder adder = of.get(which);
        if (adder == null) {
            throw new IllegalStateException(which.name());
        }
        return adder;
    }

    public long of(Kind kind) {
        return adder(kinds, kind).sum();
    }

    public long of(GatewayError why) {
        return adder(refusals, why).sum();
    }
}
