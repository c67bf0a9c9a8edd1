package dev.komainu.central.caches;

import dev.komainu.central.caches.ControlEndpoints.Entry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Gives purges to proxies, each key once: an order that comes again under its Idempotency-Key gets
 * the first outcome. The newest {@value #MOST} are remembered until this service stops; a purge
 * that happens twice after that does no harm. Any thread; orders with the same key wait for each
 * other.
 */
@Component
public class ProxyPurges {

    private static final int MOST = 1000;

    private final ProxyControl control;
    /** Guarded by itself. */
    private final Map<String, Kept> kept = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
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

        /** The key came before with another order. */
        record KeyReused() implements Outcome {}
    }

    private static final class Kept {
        final ReentrantLock lock = new ReentrantLock();
        final Entry proxy;
        final CachePurge order;
        /** Guarded by lock. */
        @Nullable
        PurgeResult result;

        Kept(Entry proxy, CachePurge order) {
            this.proxy = proxy;
            this.order = order;
        }
    }

    /**
     * @param key the caller's Idempotency-Key; keys of different callers do not meet. A dry run
     *     needs none
     */
    public Outcome give(Entry proxy, CachePurge order, String by, @Nullable String key)
            throws ControlFailure {
        if (key == null || order.dryRun()) {
            return new Outcome.Done(control.purge(proxy, order));
        }
        Kept mine = new Kept(proxy, order);
        Kept first;
        synchronized (kept) {
            first = kept.putIfAbsent(by + " " + key, mine);
        }
        Kept one = first == null ? mine : first;
        if (!one.order.equals(order) || !one.proxy.control().equals(proxy.control())) {
            return new Outcome.KeyReused();
        }
        one.lock.lock();
        try {
            PurgeResult known = one.result;
            if (known != null) {
                return new Outcome.Repeated(known);
            }
            PurgeResult fresh = control.purge(proxy, order);
            one.result = fresh;
            return new Outcome.Done(fresh);
        } finally {
            one.lock.unlock();
        }
    }
}
