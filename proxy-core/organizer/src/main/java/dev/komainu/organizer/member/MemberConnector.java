package dev.komainu.organizer.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jgroups.PhysicalAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages for those who are not connected yet, and how they come to be: for each such peer a
 * virtual thread connects, or waits for him to, and sends in order what has gathered meanwhile. Who
 * hands a message in never waits.
 *
 * <p>Safe for all threads.
 */
final class MemberConnector {

    /** This member's part in connecting to a peer. */
    enum Part {
        /** He is no member, or not known yet: whoever has something to say connects. */
        NONE,
        /** He was in the group before: he waits for this one's connection. */
        YOUNGER,
        /** He came later, and will connect. */
        ELDER
    }

    interface Connecting {
        /** Until it is connected, by whomever. @throws Exception when it cannot be */
        void connect(PhysicalAddress to) throws Exception;
    }

    interface Sending {
        /** @throws Exception when the connection broke */
        void send(PhysicalAddress to, byte[] message) throws Exception;
    }

    private static final Logger LOG = LoggerFactory.getLogger(MemberConnector.class);

    /**
     * Until whoever should connect has not. He may have another view, or may not reach this one.
     */
    private static final long PATIENCE_MILLIS = 1_000;

    /** Handshakes with members under way: thirty at once would all be over late. */
    private static final int HANDSHAKES = 4;

    /** What gathers for one peer. JGroups asks again for what it misses. */
    private static final int MOST_BYTES = 4 << 20;

    private final Function<PhysicalAddress, Part> part;
    private final Predicate<PhysicalAddress> connected;
    private final Connecting connecting;
    private final Sending sending;
    private final Semaphore handshakes = new Semaphore(HANDSHAKES, true);
    private final ConcurrentHashMap<PhysicalAddress, Waiting> waiting = new ConcurrentHashMap<>();

    /** What is in it is changed only within the map's own operations on its key. */
    private static final class Waiting {
        final CompletableFuture<Void> established = new CompletableFuture<>();
        List<byte[]> messages = new ArrayList<>();
        int bytes;
        boolean begun;
    }

    /**
     * @param part asked when a peer is to be connected to
     * @param connected whether a message would go out at once
     * @param connecting called in threads of its own
     * @param sending to one who is connected
     */
    MemberConnector(
            Function<PhysicalAddress, Part> part,
            Predicate<PhysicalAddress> connected,
            Connecting connecting,
            Sending sending) {
        this.part = part;
        this.connected = connected;
        this.connecting = connecting;
        this.sending = sending;
    }

    /** Whether messages for him wait: one that is sent past them would be before them. */
    boolean isUnderWay(PhysicalAddress to) {
        return waiting.containsKey(to);
    }

    /** Copies the message. Dropped beyond 4 MB for one peer. */
    void send(PhysicalAddress to, byte[] data, int offset, int length) {
        byte[] message = Arrays.copyOfRange(data, offset, offset + length);
        boolean[] first = new boolean[1];
        waiting.compute(to, (peer, was) -> {
            Waiting now = was == null ? new Waiting() : was;
            if (now.bytes + length > MOST_BYTES) {
                LOG.debug("A message of {} bytes for {} dropped: 4 MB wait already", length, to);
                return now;
            }
            now.messages.add(message);
            now.bytes += length;
            first[0] = !now.begun;
            now.begun = true;
            return now;
        });
        if (first[0]) {
            Thread.ofVirtual().name("komainu-dialling").start(() -> dial(to));
        }
    }

    /** He connected, or was connected to. */
    void established(PhysicalAddress peer) {
        Waiting his = waiting.get(peer);
        if (his != null) {
            his.established.complete(null);
        }
    }

    private void dial(PhysicalAddress to) {
        try {
            connect(to);
            for (List<byte[]> next = take(to); !next.isEmpty(); next = take(to)) {
                for (byte[] message : next) {
                    sending.send(to, message);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            waiting.remove(to);
        } catch (Exception e) {
            Waiting lost = waiting.remove(to);
            LOG.debug(
                    "{} messages for {} dropped: {}",
                    lost == null ? 0 : lost.messages.size(),
                    to,
                    e.toString());
        }
    }

    private void connect(PhysicalAddress to) throws Exception {
        if (part.apply(to) == Part.ELDER && !connected.test(to)) {
            Waiting his = waiting.get(to);
            try {
                if (his != null) {
                    his.established.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                }
            } catch (TimeoutException e) {
                LOG.debug("{} did not connect within {} ms", to, PATIENCE_MILLIS);
            }
        }
        if (connected.test(to)) {
            return;
        }
        if (part.apply(to) == Part.NONE) {
            // One who cannot be reached must not hold up those who can.
            connecting.connect(to);
            return;
        }
        handshakes.acquire();
        try {
            connecting.connect(to);
        } finally {
            handshakes.release();
        }
    }

    /** What has gathered; nothing: from now on messages need not wait. */
    private List<byte[]> take(PhysicalAddress to) {
        List<byte[]> taken = new ArrayList<>();
        waiting.computeIfPresent(to, (peer, his) -> {
            if (his.messages.isEmpty()) {
                return null;
            }
            taken.addAll(his.messages);
            his.messages = new ArrayList<>();
            his.bytes = 0;
            return his;
        });
        return taken;
    }
}
