package dev.komainu.proxy.connection;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Open client connections, in all and for each client, held to their limits at accept; with
 * {@link ConnectionSettings.MaxOf#BOTH} those to origins count towards the first limit, too. A
 * client is an IPv4 address or an IPv6 network of 64 bits, because whoever has one address of that
 * has all of them (RFC 4291 section 2.5.1). Safe for all threads.
 */
public final class ClientCounts {

    /** What became of a connection that asked to enter. */
    public enum Entry {
        /** Counted; {@link #leave} must be called when it ends. */
        ENTERED,
        /**
         * {@code connections.max} is reached. {@link #leave} must not be called; {@link #refuse}
         * when it is turned away for it.
         */
        FULL,
        /** {@code connections.max-per-client} is reached. Likewise. */
        CLIENT_FULL
    }

    private volatile int maxInAll;
    private volatile int maxPerClient;
    private volatile boolean ofBothSides;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger origins = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> perClient = new ConcurrentHashMap<>();
    private volatile Runnable room = () -> {};
    private final LongAdder refusedInAll = new LongAdder();
    private final LongAdder refusedPerClient = new LongAdder();

    public ClientCounts(ConnectionSettings settings) {
        limit(settings);
    }

    /** Other limits from now on. Who is in stays, even beyond them. */
    public void limit(ConnectionSettings settings) {
        maxInAll = settings.maxConnections();
        maxPerClient = settings.maxPerClient();
        ofBothSides = settings.maxOf() == ConnectionSettings.MaxOf.BOTH;
    }

    /**
     * @param room runs, on any thread, whenever a connection leaves and there is room for one more
     */
    public void onRoom(Runnable room) {
        this.room = room;
    }

    public Entry enter(InetAddress client) {
        if (open.incrementAndGet() + counted() > maxInAll) {
            open.decrementAndGet();
            // Nobody else's place is of use to a client that may have no more.
            return perClient.getOrDefault(network(client), 0) < maxPerClient
                    ? Entry.FULL
                    : Entry.CLIENT_FULL;
        }
        return counted(client);
    }

    /**
     * Enters in the place of a connection that was closed for it, or is being closed: with many
     * closing at once there may be more than {@code connections.max} for a moment.
     */
    public Entry enterInPlace(InetAddress client) {
        open.incrementAndGet();
        return counted(client);
    }

    private Entry counted(InetAddress client) {
        // Counted even where the limit in all comes first: a reload may lower this one.
        if (perClient.merge(network(client), 1, Integer::sum) > maxPerClient) {
            leave(client);
            return Entry.CLIENT_FULL;
        }
        return Entry.ENTERED;
    }

    /** One is turned away. @param why not {@link Entry#ENTERED} */
    public void refuse(Entry why) {
        (why == Entry.CLIENT_FULL ? refusedPerClient : refusedInAll).increment();
    }

    public void leave(InetAddress client) {
        open.decrementAndGet();
        perClient.computeIfPresent(
                network(client), (address, count) -> count == 1 ? null : count - 1);
        if (hasRoom()) {
            room.run();
        }
    }

    /** One to an origin is being opened. */
    void originOpens() {
        origins.incrementAndGet();
    }

    /** One is gone, or never came to be. */
    void originCloses() {
        origins.decrementAndGet();
        if (ofBothSides && hasRoom()) {
            room.run();
        }
    }

    public boolean hasRoom() {
        return taken() < maxInAll;
    }

    /** Connections that count against {@code connections.max}. */
    int taken() {
        return open.get() + counted();
    }

    private int counted() {
        return ofBothSides ? origins.get() : 0;
    }

    /** Whether closing one to an origin makes room for a client. */
    boolean ofBothSides() {
        return ofBothSides;
    }

    private static InetAddress network(InetAddress client) {
        if (!(client instanceof Inet6Address)) {
            return client;
        }
        byte[] bytes = client.getAddress();
        Arrays.fill(bytes, 8, 16, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // 16 bytes are an address
        }
    }

    /** Clients'. */
    public int open() {
        return open.get();
    }

    /** {@code connections.max} now. */
    public int most() {
        return maxInAll;
    }

    /** Refused since start, for either limit. */
    public long refused() {
        return refusedInAll.sum() + refusedPerClient.sum();
    }

    /** Of those, for the limit of their client. */
    public long refusedPerClient() {
        return refusedPerClient.sum();
    }
}
