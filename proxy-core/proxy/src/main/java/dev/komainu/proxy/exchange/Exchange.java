package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Reuse;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.HitForMiss;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.fetch.FetchPlan;
import dev.komainu.proxy.fetch.PartPlan;
import dev.komainu.proxy.route.RouteRefusal;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request walking its steps. A connection has one of these and reuses it, because HTTP/1
 * exchanges follow each other; a hit therefore allocates two buffer views and nothing else.
 */
final class Exchange {

    /** The whole walk; a step does its own part and names the next. */
    enum Step {
        /** The head is complete and strict: refuse loops, serve PURGE. */
        READ,
        /** Which origin, or why none. */
        ROUTE,
        /** What the cache holds for it. */
        LOOKUP,
        /** Answer from memory; the exchange is then delivered. */
        HIT,
        /** Nothing usable: one fetch for all who ask (fetch, then store, in {@code fetch}). */
        MISS,
        /**
         * Not for the cache, or for a part of what is not there: a fetch of its own, unless one
         * under way brings that part.
         */
        PASS,
        /** CONNECT: bytes both ways. */
        TUNNEL,
        /** A {@link FetchDelivery} or a tunnel has taken over and will finish. */
        FETCH,
        /** Answered. */
        FINISH
    }

    private final LoopContext worker;
    private final ClientStream connection;
    private final HitDelivery fromMemory;
    private RequestHead head;
    private RouteTable routes;
    private @Nullable StoredResponse stored;
    private boolean solo;
    private boolean asking;
    private boolean cacheable;
    /** Not long ago its answer could not be stored. */
    private boolean marked;

    private @Nullable PartPlan missing;
    /** What the disk gave back for this request; memory may have let go of it again. */
    private @Nullable StoredResponse restored;
    /** The loop's key is a variant's, no longer the URI's. */
    private boolean varied;

    private long startNanos;
    /** When this request was looked up, on the steady clock. */
    private long nowMillis;

    private CacheDirectives directives = CacheDirectives.NONE;

    Exchange(LoopContext worker, ClientStream connection) {
        this.worker = worker;
        this.connection = connection;
        this.fromMemory = new HitDelivery(worker, connection);
        this.head = worker.head;
        this.routes = worker.policy.routes();
    }

    /**
     * Walks until the answer is written or somebody else will write it. @return true when finished
     */
    boolean walk(RequestHead request, long started) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        solo = false;
        directives = CacheDirectives.NONE;
        return go(Step.READ);
    }

    /** A released waiter looks again, alone. */
    void again(RequestHead request, long started) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        solo = true;
        go(Step.LOOKUP);
    }

    /**
     * A waiter looks again, for what was found on the disk. What of it must be confirmed first is
     * asked for with others; what turns out to be of no use to this request is not looked for there
     * again.
     *
     * @param found held by the caller
     */
    void again(RequestHead request, long started, StoredResponse found) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        solo = false;
        restored = found;
        go(Step.LOOKUP);
        restored = null;
    }

    private void forget() {
        restored = null;
        asking = false;
        cacheable = false;
        marked = false;
        missing = null;
    }

    private boolean go(Step first) {
        Step step = first;
        while (true) {
            switch (step) {
                case READ -> step = read();
                case ROUTE -> step = route();
                case LOOKUP -> step = lookup();
                case HIT -> step = hit();
                case MISS -> step = miss();
                case PASS -> step = pass();
                case TUNNEL -> step = tunnel();
                case FETCH -> {
                    return false;
                }
                case FINISH -> {
                    return true;
                }
            }
        }
    }

    private Step read() {
        if (!connection.permitted()) {
            return refuse(403, "This client is not allowed here");
        }
        // RFC 9110 section 7.6.3: a proxy that finds its own name in Via is in a loop.
        String via = head.fields().joined(Field.VIA);
        if (via != null && via.contains(worker.services.viaName())) {
            return refuse(508, "This request passed here before");
        }
        if (connection.isMember() && (head.methodIs("PURGE") || ManagerRequest.is(head))) {
            // Whoever gave it to that member is not known here.
            return refuse(403, "This is not for who comes by way of the cluster");
        }
        if (head.methodIs("PURGE") && !head.isManager()) {
            return purge();
        }
        if (ManagerRequest.is(head)) {
            return manager();
        }
        return Step.ROUTE;
    }

    private Step manager() {
        if (!worker.policy.managers().permits(connection.client())) {
            return refuse(403, "The manager's pages are not for this address");
        }
        String name = ManagerRequest.page(head);
        String page = name == null ? null : worker.services.manager().page(name);
        if (page == null) {
            return refuse(404, "There is no such page; the menu is at /squid-internal-mgr/menu");
        }
        byte[] text = ManagerRequest.text(page);
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(512 + text.length);
        worker.answers.page(out, text, head.methodIs("HEAD"), keep, head.minorVersion());
        connection.write(out);
        connection.answered(head, 200, CacheOutcome.PASS, startNanos, keep);
        return Step.FINISH;
    }

    private Step purge() {
        if (!worker.policy.purgers().permits(connection.client())) {
            return refuse(403, "PURGE is not allowed from this address");
        }
        routes = worker.policy.routes();
        CacheKey key = new CacheKey();
        key.set(head, routes.fallbackAuthority(head));
        PurgeRequest.Answer answer =
                PurgeRequest.carryOut(worker.services.purger(), head.fields(), key);
        connection.own(head, answer.status(), answer.message(), CacheOutcome.PASS, startNanos);
        return Step.FINISH;
    }

    private Step route() {
        routes = worker.policy.routes();
        RouteRefusal refusal = routes.refusal(head);
        if (refusal != null) {
            return refuse(refusal.status(), refusal.message());
        }
        return head.methodIs("CONNECT") ? Step.TUNNEL : Step.LOOKUP;
    }

    private Step lookup() {
        boolean get = head.methodIs("GET");
        // The body of a GET has no meaning here, so it must not select a stored answer (fat GET,
        // CPDoS).
        if (!get && !head.methodIs("HEAD") || head.hasBody()) {
            return Step.PASS;
        }
        Fields fields = head.fields();
        CacheKey key = worker.key;
        key.set(head, head.authorityLength() == 0 ? routes.fallbackAuthority(head) : NOTHING);
        CacheEntry entry = worker.services.cache().get(key);
        varied = entry instanceof VaryRule;
        if (entry instanceof VaryRule rule) {
            rule.select(key, fields);
            entry = worker.services.cache().get(key);
        }
        if (entry == null && restored != null) {
            if (restored.key().equals(key)) {
                entry = restored;
            } else {
                solo = !varied;
            }
        }
        if (restored == null
                && worker.sweeps.lookedUp(
                        connection.client(),
                        key.hashCode(),
                        entry instanceof StoredRepresentation,
                        startNanos)) {
            worker.tally.sweepLookUps++;
        }
        boolean demanding = fields.hasAny(HitDelivery.DEMANDING);
        if (demanding) {
            directives = CacheDirectives.parse(fields.joined(Field.CACHE_CONTROL));
            if (directives.noStore
                    || fields.hasAny(Fields.mask(Field.IF_MATCH, Field.IF_UNMODIFIED_SINCE))) {
                return onlyIfCached() ? unsatisfied() : Step.PASS;
            }
        }
        nowMillis = worker.services.clock().steadyMillis();
        if (entry instanceof StoredResponse found) {
            stored = found;
            Reuse reuse = reuse(found.freshness(), nowMillis, demanding);
            asking = reuse == Reuse.STALE_WHILE_REVALIDATE && get;
            if (reuse != Reuse.VALIDATE) {
                return Step.HIT;
            }
        } else if (entry instanceof StoredParts held) {
            if (fromParts(held, nowMillis, demanding)) {
                return Step.FINISH;
            }
            missing = get
                    ? PartPlan.of(head, held, worker.services.cache().settings().maxObjectBytes())
                    : null;
        } else if (entry instanceof HitForMiss mark && nowMillis - mark.untilMillis() < 0) {
            solo = true;
            marked = true;
        }
        if (onlyIfCached()) {
            return unsatisfied();
        }
        // A part of what is stored but stale: its validation serves the part; what is not stored is
        // asked for in parts.
        boolean whole = !fields.has(Field.RANGE)
                || stored != null && stored.etag() != null
                || entry == null && onDisk(key);
        cacheable = true;
        worker.tally.pools.missed(worker.services.cache().isPriority(key));
        return get && whole ? Step.MISS : Step.PASS;
    }

    /** A part of what lies on the disk: the whole of it comes back. */
    private boolean onDisk(CacheKey key) {
        DiskTier disk = worker.services.disk();
        return disk != null && restored == null && !solo && disk.holds(key);
    }

    /**
     * What is wanted may lie in the parts that are held; a stale part is never served while the
     * origin is asked.
     */
    private boolean fromParts(StoredParts held, long now, boolean demanding) {
        Reuse reuse = reuse(held.freshness(), now, demanding);
        if (reuse != Reuse.FRESH && reuse != Reuse.STALE) {
            return false;
        }
        ResponseExcerpt excerpt = ResponseExcerpt.of(head, held);
        return excerpt != null
                && excerpt.isIn(held)
                && fromMemory.write(head, held, excerpt, startNanos);
    }

    private static final byte[] NOTHING = new byte[0];

    private Reuse reuse(Freshness freshness, long now, boolean demanding) {
        if (!demanding) {
            return freshness.leftSeconds(now) > 0 && !freshness.alwaysValidate()
                    ? Reuse.FRESH
                    : Reuse.decide(freshness, CacheDirectives.NONE, false, now);
        }
        String pragma =
                head.fields().has(Field.CACHE_CONTROL) ? null : head.fields().first(Field.PRAGMA);
        return Reuse.decide(
                freshness, directives, pragma != null && pragma.contains("no-cache"), now);
    }

    private boolean onlyIfCached() {
        return directives.onlyIfCached;
    }

    /** RFC 9111 section 5.2.1.7. */
    private Step unsatisfied() {
        return refuse(504, "Not in the cache, and only-if-cached was asked");
    }

    private Step hit() {
        StoredResponse found = Objects.requireNonNull(stored);
        if (!fromMemory.write(head, found, nowMillis, startNanos)) {
            return gone();
        }
        if (restored != null) {
            worker.tally.diskHits++;
        }
        if (asking) {
            Revalidation.begin(worker.fetching, worker.services.inFlight(), plan(found));
        }
        return Step.FINISH;
    }

    /**
     * Dropped and sent by its last reader between look-up and use: rare, and nothing but a miss.
     */
    private Step gone() {
        stored = null;
        return head.methodIs("GET") && !head.fields().has(Field.RANGE) ? Step.MISS : Step.PASS;
    }

    private Step miss() {
        new FetchDelivery(worker, connection, plan(stored), startNanos)
                .fetch(solo ? FetchDelivery.Way.ALONE : FetchDelivery.Way.SHARED);
        return Step.FETCH;
    }

    private FetchPlan plan(@Nullable StoredResponse known) {
        CacheKey key = worker.key.copy();
        CacheKey uri = varied ? CacheKey.of(head, routes.fallbackAuthority(head)) : key;
        FetchPlan plan = new FetchPlan(head.detached(), routes.origin(head), uri, key, true, known)
                .direct(isDirect());
        return missing == null ? plan : plan.filling(missing);
    }

    private Step pass() {
        CacheKey uri = CacheKey.of(head, routes.fallbackAuthority(head));
        CacheKey key = cacheable && varied ? worker.key.copy() : uri;
        FetchPlan plan = new FetchPlan(
                        head.detached(), routes.origin(head), uri, key, false, stored)
                .direct(isDirect());
        if (missing != null) {
            plan = plan.filling(missing);
        } else if (cacheable && head.methodIs("GET")) {
            plan = plan.asAsked();
        }
        new FetchDelivery(worker, connection, plan, startNanos)
                .fetch(cacheable && !solo ? FetchDelivery.Way.JOINING : FetchDelivery.Way.ALONE);
        return Step.FETCH;
    }

    /** Who asks us as the object's owner must not be sent on; what is not stored has no owner. */
    private boolean isDirect() {
        return marked || connection.isMember();
    }

    private Step tunnel() {
        connection.tunnel(head, routes.origin(head), startNanos);
        return Step.FETCH;
    }

    private Step refuse(int status, String message) {
        connection.own(head, status, message, CacheOutcome.ERROR, startNanos);
        return Step.FINISH;
    }
}
