package dev.komainu.proxy.connection;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of open client connections, in total and per client, limited at accept. With
 * {@link ConnectionSettings.MaxOf#BOTH} connections to origins count towards the total, too. A
 * client is an IPv4 address or an IPv6 network of 64 bits, because a host with one address of the
 * network can use all of them (RFC 4291 section 2.5.1). Thread-safe.
 */
public final class ClientCounts {

    /** The result of {@link #enter}. */
    public enum Entry {
        /** Counted; {@link #leave} must be called when it ends. */
        ENTERED,
        /**
         * {@code connections.max} is reached. {@link #leave} must not be called; {@link #refuse}
         * must be called when the connection is refused for it.
         */
        FULL,
        /**
         * {@code connections.max-per-client} is reached. {@link #leave} must not be called;
         * {@link #refuse} must be called when the connection is refused for it.
         */
        CLIENT_FULL
    }

    private volatile int maxTotal;
    private volatile int maxPerClient;
    private volatile boolean ofBothSides;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger origins = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> perClient = new ConcurrentHashMap<>();
    private volatile Runnable room = () -> {};
    private final LongAdder refusedForTotal = new LongAdder();
    private final LongAdder refusedPerClient = new LongAdder();

    public ClientCounts(ConnectionSettings settings) {
        setLimits(settings);
    }

    /** Sets the limits. Open connections stay, even beyond them. */
    public void setLimits(ConnectionSettings settings) {
        maxTotal = settings.maxConnections();
        maxPerClient = settings.maxPerClient();
        ofBothSides = settings.maxOf() == ConnectionSettings.MaxOf.BOTH;
    }

    /**
     * Sets the task for free room.
     *
     * @param room runs, on any thread, whenever a connection leaves and there is room for one more
     */
    public void onRoom(Runnable room) {
        this.room = room;
    }

    public Entry enter(InetAddress client) {
        if (open.incrementAndGet() + originsCounted() > maxTotal) {
            open.decrementAndGet();
            // Closing another connection does not help a client at its own limit.
            return perClient.getOrDefault(network(client), 0) < maxPerClient
                    ? Entry.FULL
                    : Entry.CLIENT_FULL;
        }
        return countClient(client);
    }

    /**
     * Counts a client in place of a connection that was closed for it, or is being closed. While
     * many close at once, there may be more than {@code connections.max} for a moment.
     */
    public Entry enterInPlace(InetAddress client) {
        open.incrementAndGet();
        return countClient(client);
    }

    private Entry countClient(InetAddress client) {
        // Counted even where the total limit is lower: a reload may lower this one.
        if (perClient.merge(network(client), 1, Integer::sum) > maxPerClient) {
            leave(client);
            return Entry.CLIENT_FULL;
        }
        return Entry.ENTERED;
    }

    /**
     * Counts a refused connection.
     *
     * @param reason not {@link Entry#ENTERED}
     */
    public void refuse(Entry reason) {
        (reason == Entry.CLIENT_FULL ? refusedPerClient : refusedForTotal).increment();
    }

    public void leave(InetAddress client) {
        open.decrementAndGet();
        perClient.computeIfPresent(
                network(client), (address, count) -> count == 1 ? null : count - 1);
        if (hasRoom()) {
            room.run();
        }
    }

    /** Counts a connection to an origin that is being opened. */
    void originOpens() {
        origins.incrementAndGet();
    }

    /** Removes a connection to an origin that is closed, or was not established. */
    void originCloses() {
        origins.decrementAndGet();
        if (ofBothSides && hasRoom()) {
            room.run();
        }
    }

    public boolean hasRoom() {
        return counted() < maxTotal;
    }

    /** Returns the connections that count towards {@code connections.max}. */
    int counted() {
        return open.get() + originsCounted();
    }

    private int originsCounted() {
        return ofBothSides ? origins.get() : 0;
    }

    /** Reports whether closing a connection to an origin makes room for a client. */
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

    /** Returns the number of open client connections. */
    public int open() {
        return open.get();
    }

    /** Returns {@code connections.max}. */
    public int limit() {
        return maxTotal;
    }

    /** Returns the connections refused since start, for either limit. */
    public long refused() {
        return refusedForTotal.sum() + refusedPerClient.sum();
    }

    /** Returns the connections refused since start for the limit of their client. */
    public long refusedPerClient() {
        return refusedPerClient.sum();
    }
}
