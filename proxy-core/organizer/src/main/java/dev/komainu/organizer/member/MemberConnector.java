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
 * The queue of messages for members that are not connected yet. For each such member a virtual
 * thread connects, or waits for the other's connection, and then sends the queued messages in
 * order. A thread that passes a message in never waits.
 *
 * <p>Thread-safe.
 */
final class MemberConnector {

    /** The part of this member in the connection to a peer. */
    enum Part {
        /** The peer is not a member, or not known yet: either side may connect. */
        NONE,
        /** The peer was in the group before: it waits for this member's connection. */
        YOUNGER,
        /** The peer joined later, and will connect. */
        ELDER
    }

    interface Connecting {
        /**
         * Connects, or waits until the peer has connected.
         *
         * @throws Exception when no connection is possible
         */
        void connect(PhysicalAddress to) throws Exception;
    }

    interface Sending {
        /**
         * Sends one message.
         *
         * @throws Exception when the connection broke
         */
        void send(PhysicalAddress to, byte[] message) throws Exception;
    }

    private static final Logger LOG = LoggerFactory.getLogger(MemberConnector.class);

    /**
     * Time that this member waits for the peer's connection. The peer may have another view, or may
     * not reach this member.
     */
    private static final long PATIENCE_MILLIS = 1_000;

    /** Concurrent handshakes with members: thirty at once would all complete late. */
    private static final int HANDSHAKES = 4;

    /** Maximum of queued bytes for one peer. JGroups requests lost messages again. */
    private static final int MOST_BYTES = 4 << 20;

    private final Function<PhysicalAddress, Part> part;
    private final Predicate<PhysicalAddress> connected;
    private final Connecting connecting;
    private final Sending sending;
    private final Semaphore handshakes = new Semaphore(HANDSHAKES, true);
    private final ConcurrentHashMap<PhysicalAddress, Queue> queues = new ConcurrentHashMap<>();

    /** Messages for one peer. Changed only within the map's own operations on its key. */
    private static final class Queue {
        final CompletableFuture<Void> established = new CompletableFuture<>();
        List<byte[]> messages = new ArrayList<>();
        int bytes;
        boolean isStarted;
    }

    /**
     * Creates a connector.
     *
     * @param part returns this member's part when a peer is to be connected
     * @param connected returns whether a message would be sent at once
     * @param connecting called in threads of its own
     * @param sending sends to a connected peer
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

    /**
     * Returns whether messages for a peer are queued: a message that is sent directly would
     * overtake them.
     */
    boolean isUnderWay(PhysicalAddress to) {
        return queues.containsKey(to);
    }

    /** Copies and queues a message. It is dropped when more than 4 MB wait for the peer. */
    void send(PhysicalAddress to, byte[] data, int offset, int length) {
        byte[] message = Arrays.copyOfRange(data, offset, offset + length);
        boolean[] first = new boolean[1];
        queues.compute(to, (peer, existing) -> {
            Queue updated = existing == null ? new Queue() : existing;
            if (updated.bytes + length > MOST_BYTES) {
                LOG.debug("A message of {} bytes for {} dropped: 4 MB wait already", length, to);
                return updated;
            }
            updated.messages.add(message);
            updated.bytes += length;
            first[0] = !updated.isStarted;
            updated.isStarted = true;
            return updated;
        });
        if (first[0]) {
            Thread.ofVirtual().name("komainu-dialling").start(() -> dial(to));
        }
    }

    /** Records that a peer has connected, or was connected. */
    void established(PhysicalAddress peer) {
        Queue queue = queues.get(peer);
        if (queue != null) {
            queue.established.complete(null);
        }
    }

    private void dial(PhysicalAddress to) {
        try {
            connect(to);
            for (List<byte[]> next = takeAll(to); !next.isEmpty(); next = takeAll(to)) {
                for (byte[] message : next) {
                    sending.send(to, message);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            queues.remove(to);
        } catch (Exception e) {
            Queue dropped = queues.remove(to);
            LOG.debug(
                    "{} messages for {} dropped: {}",
                    dropped == null ? 0 : dropped.messages.size(),
                    to,
                    e.toString());
        }
    }

    private void connect(PhysicalAddress to) throws Exception {
        if (part.apply(to) == Part.ELDER && !connected.test(to)) {
            Queue queue = queues.get(to);
            try {
                if (queue != null) {
                    queue.established.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                }
            } catch (TimeoutException e) {
                LOG.debug("{} did not connect within {} ms", to, PATIENCE_MILLIS);
            }
        }
        if (connected.test(to)) {
            return;
        }
        if (part.apply(to) == Part.NONE) {
            // An unreachable process must not delay the handshakes of members.
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

    /**
     * Returns the queued messages. When there are none, it ends the queue: further messages need
     * not wait.
     */
    private List<byte[]> takeAll(PhysicalAddress to) {
        List<byte[]> taken = new ArrayList<>();
        queues.computeIfPresent(to, (peer, queue) -> {
            if (queue.messages.isEmpty()) {
                return null;
            }
            taken.addAll(queue.messages);
            queue.messages = new ArrayList<>();
            queue.bytes = 0;
            return queue;
        });
        return taken;
    }
}
