package dev.komainu.central.caches;

import dev.komainu.central.caches.ControlEndpoints.Entry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The purge orders to proxies, each key once: an order that is repeated with its Idempotency-Key
 * returns the first outcome. The newest {@value #MOST} outcomes are remembered until this service
 * stops; a purge that is repeated after that is harmless. Any thread; orders with the same key wait
 * for each other.
 */
@Component
public class ProxyPurges {

    private static final int MOST = 1000;

    private final ProxyControl control;
    /** Guarded by itself. */
    private final Map<String, KeyedOrder> orders = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, KeyedOrder> eldest) {
            return size() > MOST;
        }
    };

    public ProxyPurges(ProxyControl control) {
        this.control = control;
    }

    /** The outcome of an order. */
    public sealed interface Outcome {
        record Done(PurgeResult result) implements Outcome {}

        /** The same order came under the same key before. */
        record Repeated(PurgeResult result) implements Outcome {}

        /** The key was used before with another order. */
        record KeyReused() implements Outcome {}
    }

    private static final class KeyedOrder {
        final ReentrantLock lock = new ReentrantLock();
        final Entry proxy;
        final CachePurge order;
        /** Guarded by lock. */
        @Nullable
        PurgeResult result;

        KeyedOrder(Entry proxy, CachePurge order) {
            this.proxy = proxy;
            this.order = order;
        }
    }

    /**
     * Sends a purge order.
     *
     * @param key the caller's Idempotency-Key, separate for each caller; not needed for a dry run
     */
    public Outcome send(Entry proxy, CachePurge order, String by, @Nullable String key)
            throws ControlFailure {
        if (key == null || order.dryRun()) {
            return new Outcome.Done(control.purge(proxy, order));
        }
        KeyedOrder created = new KeyedOrder(proxy, order);
        KeyedOrder first;
        synchronized (orders) {
            first = orders.putIfAbsent(by + " " + key, created);
        }
        KeyedOrder keyed = first == null ? created : first;
        if (!keyed.order.equals(order) || !keyed.proxy.control().equals(proxy.control())) {
            return new Outcome.KeyReused();
        }
        keyed.lock.lock();
        try {
            PurgeResult result = keyed.result;
            if (result != null) {
                return new Outcome.Repeated(result);
            }
            PurgeResult fresh = control.purge(proxy, order);
            keyed.result = fresh;
            return new Outcome.Done(fresh);
        } finally {
            keyed.lock.unlock();
        }
    }
}
