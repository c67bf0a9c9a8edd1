package dev.komainu.proxy.connection;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Open client connections, in all and for each address, held to their limits at accept. Safe for all threads. */
public final class ClientCounts {

    private final int maxInAll;
    private final int maxPerClient;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> perClient = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();

    public ClientCounts(ConnectionSettings settings) {
        this.maxInAll = settings.maxConnections();
        this.maxPerClient = settings.maxPerClient();
    }

    /** @return false when a limit is reached (counted): close it; {@link #leave} must not be called then */
    public boolean enter(InetAddress client) {
        if (open.incrementAndGet() > maxInAll) {
            open.decrementAndGet();
            refused.increment();
            return false;
        }
        if (maxPerClient < maxInAll && perClient.merge(client, 1, Integer::sum) > maxPerClient) {
            leave(client);
            refused.increment();
            return false;
        }
        return true;
    }

    public void leave(InetAddress client) {
        open.decrementAndGet();
        if (maxPerClient < maxInAll) {
            perClient.computeIfPresent(client, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    public int open() {
        return open.get();
    }

    public long refused() {
        return refused.sum();
    }
}
