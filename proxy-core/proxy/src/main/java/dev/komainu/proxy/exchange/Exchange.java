package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Reuse;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ManagementRequest;
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
 * The steps of one request, from its head to its response. A connection has one exchange and reuses
 * it, because HTTP/1 exchanges follow each other; a hit therefore allocates two buffer views and
 * nothing else.
 */
final class Exchange {

    /** The steps of an exchange; each step does its own part and names the next one. */
    enum Step {
        /** The head is complete and valid: refuse loops, serve PURGE. */
        READ,
        /** Find the origin, or the reason for a refusal. */
        ROUTE,
        /** Find the cache entry. */
        LOOKUP,
        /** Respond from memory; the exchange is then delivered. */
        HIT,
        /**
         * No usable entry: one fetch for all concurrent requests (fetch, then store, in
         * {@code fetch}).
         */
        MISS,
        /**
         * Not cacheable, or a range of an object that is not stored: a fetch of its own, unless a
         * fetch in progress provides that range.
         */
        PASS,
        /** CONNECT: relay bytes in both directions. */
        TUNNEL,
        /** A {@link FetchDelivery} or a tunnel has taken over and finishes the exchange. */
        FETCH,
        /** The response is written. */
        FINISH
    }

    private final LoopContext context;
    private final ClientStream connection;
    private final HitDelivery fromMemory;
    private RequestHead head;
    private RouteTable routes;
    private @Nullable StoredResponse stored;
    private boolean alone;
    private boolean revalidating;
    private boolean cacheable;
    /** Whether a recent response could not be stored. */
    private boolean marked;

    private @Nullable PartPlan missing;
    /** The response read from the disk for this request; memory may have evicted it since. */
    private @Nullable StoredResponse restored;
    /** Whether the loop's key is a variant's instead of the URI's. */
    private boolean varied;

    private long startNanos;
    /** The time of this request's lookup, on the steady clock. */
    private long nowMillis;

    private CacheDirectives directives = CacheDirectives.NONE;

    Exchange(LoopContext context, ClientStream connection) {
        this.context = context;
        this.connection = connection;
        this.fromMemory = new HitDelivery(context, connection);
        this.head = context.head;
        this.routes = context.policy.routes();
    }

    /**
     * Runs the steps until the response is written or another object takes over.
     *
     * @return true when the exchange is finished
     */
    boolean start(RequestHead request, long started) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        alone = false;
        directives = CacheDirectives.NONE;
        return run(Step.READ);
    }

    /** Repeats the lookup of a released waiter, alone. */
    void retry(RequestHead request, long started) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        alone = true;
        run(Step.LOOKUP);
    }

    /**
     * Repeats a waiter's lookup with a response that was read from the disk. If it must be
     * validated, the request for this is shared; if it does not suit this request, the disk is not
     * read again.
     *
     * @param found retained by the caller
     */
    void retry(RequestHead request, long started, StoredResponse found) {
        head = request;
        startNanos = started;
        stored = null;
        forget();
        alone = false;
        restored = found;
        run(Step.LOOKUP);
        restored = null;
    }

    private void forget() {
        restored = null;
        revalidating = false;
        cacheable = false;
        marked = false;
        missing = null;
    }

    private boolean run(Step first) {
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
        if (via != null && via.contains(context.services.viaName())) {
            return refuse(508, "This request has passed this proxy before");
        }
        if (connection.isMember() && (head.methodIs("PURGE") || ManagerRequest.is(head))) {
            // The client of that member is not known here.
            return refuse(403, "This is not allowed over connections of the cluster");
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
        if (!context.policy.managers().permits(connection.client())
                || ManagementRequest.isForwarded(head.fields())) {
            return refuse(403, "The manager's pages are not allowed from this address");
        }
        String name = ManagerRequest.page(head);
        String page = name == null ? null : context.services.manager().page(name);
        if (page == null) {
            return refuse(404, "There is no such page; the menu is at /squid-internal-mgr/menu");
        }
        byte[] text = ManagerRequest.text(page);
        boolean keep = connection.keepsAlive(head);
        ByteBuf out = connection.buffer(512 + text.length);
        context.headWriter.page(out, text, head.methodIs("HEAD"), keep, head.minorVersion());
        connection.write(out);
        connection.finishHit(head, 200, CacheOutcome.PASS, startNanos, keep);
        return Step.FINISH;
    }

    private Step purge() {
        if (!context.policy.purgers().permits(connection.client())
                || ManagementRequest.isForwarded(head.fields())) {
            return refuse(403, "PURGE is not allowed from this address");
        }
        routes = context.policy.routes();
        CacheKey key = new CacheKey();
        key.set(head, routes.fallbackAuthority(head));
        PurgeRequest.Response response =
                PurgeRequest.execute(context.services.purger(), head.fields(), key);
        connection.respond(
                head, response.status(), response.message(), CacheOutcome.PASS, startNanos);
        return Step.FINISH;
    }

    private Step route() {
        routes = context.policy.routes();
        RouteRefusal refusal = routes.refusal(head);
        if (refusal != null) {
            return refuse(refusal.status(), refusal.message());
        }
        return head.methodIs("CONNECT") ? Step.TUNNEL : Step.LOOKUP;
    }

    private Step lookup() {
        boolean get = head.methodIs("GET");
        // The body of a GET has no meaning here, so it must not select a stored response (fat GET,
        // CPDoS).
        if ((!get && !head.methodIs("HEAD")) || head.hasBody()) {
            return Step.PASS;
        }
        Fields fields = head.fields();
        CacheKey key = context.key;
        key.set(head, head.authorityLength() == 0 ? routes.fallbackAuthority(head) : NOTHING);
        CacheEntry entry = context.services.cache().get(key);
        varied = entry instanceof VaryRule;
        if (entry instanceof VaryRule rule) {
            rule.select(key, fields);
            entry = context.services.cache().get(key);
        }
        if (entry == null && restored != null) {
            if (restored.key().equals(key)) {
                entry = restored;
            } else {
                alone = !varied;
            }
        }
        if (restored == null
                && context.sweeps.lookedUp(
                        connection.client(),
                        key.hashCode(),
                        entry instanceof StoredRepresentation,
                        startNanos)) {
            context.tally.sweepLookUps++;
        }
        boolean demanding = fields.hasAny(HitDelivery.DEMANDING);
        if (demanding) {
            directives = CacheDirectives.parse(fields.joined(Field.CACHE_CONTROL));
            if (directives.noStore
                    || fields.hasAny(Fields.mask(Field.IF_MATCH, Field.IF_UNMODIFIED_SINCE))) {
                return onlyIfCached() ? unsatisfied() : Step.PASS;
            }
        }
        nowMillis = context.services.clock().steadyMillis();
        if (entry instanceof StoredResponse found) {
            stored = found;
            Reuse reuse = reuse(found.freshness(), nowMillis, demanding);
            revalidating = reuse == Reuse.STALE_WHILE_REVALIDATE && get;
            if (reuse != Reuse.VALIDATE) {
                return Step.HIT;
            }
        } else if (entry instanceof StoredParts parts) {
            if (fromParts(parts, nowMillis, demanding)) {
                return Step.FINISH;
            }
            missing = get
                    ? PartPlan.of(
                            head, parts, context.services.cache().settings().maxObjectBytes())
                    : null;
        } else if (entry instanceof HitForMiss mark && nowMillis - mark.untilMillis() < 0) {
            alone = true;
            marked = true;
        }
        if (onlyIfCached()) {
            return unsatisfied();
        }
        // A range of a stale stored response: its validation serves the range. Ranges of objects
        // that are not
        // stored are requested as ranges.
        boolean whole = !fields.has(Field.RANGE)
                || (stored != null && stored.etag() != null)
                || (entry == null && onDisk(key));
        cacheable = true;
        context.tally.pools.missed(context.services.cache().isPriority(key));
        return get && whole ? Step.MISS : Step.PASS;
    }

    /** Reports whether the object is on the disk: a range of it reads back the whole. */
    private boolean onDisk(CacheKey key) {
        DiskTier disk = context.services.disk();
        return disk != null && restored == null && !alone && disk.mayContain(key);
    }

    /**
     * Responds from the stored parts when they contain the requested range. A stale part is never
     * served while the origin revalidates it.
     */
    private boolean fromParts(StoredParts parts, long now, boolean demanding) {
        Reuse reuse = reuse(parts.freshness(), now, demanding);
        if (reuse != Reuse.FRESH && reuse != Reuse.STALE) {
            return false;
        }
        ResponseExcerpt excerpt = ResponseExcerpt.of(head, parts);
        return excerpt != null
                && excerpt.isIn(parts)
                && fromMemory.write(head, parts, excerpt, startNanos);
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

    /** Refuses a request with only-if-cached (RFC 9111 section 5.2.1.7). */
    private Step unsatisfied() {
        return refuse(504, "Not in the cache, and the request has only-if-cached");
    }

    private Step hit() {
        StoredResponse found = Objects.requireNonNull(stored);
        if (!fromMemory.write(head, found, nowMillis, startNanos)) {
            return gone();
        }
        if (restored != null) {
            context.tally.diskHits++;
        }
        if (revalidating) {
            Revalidation.begin(context.fetching, context.services.inFlight(), plan(found));
        }
        return Step.FINISH;
    }

    /**
     * Continues after the entry was dropped between lookup and use: rare, and the same as a miss.
     */
    private Step gone() {
        stored = null;
        return head.methodIs("GET") && !head.fields().has(Field.RANGE) ? Step.MISS : Step.PASS;
    }

    private Step miss() {
        new FetchDelivery(context, connection, plan(stored), startNanos)
                .fetch(alone ? FetchDelivery.Mode.ALONE : FetchDelivery.Mode.SHARED);
        return Step.FETCH;
    }

    private FetchPlan plan(@Nullable StoredResponse known) {
        CacheKey key = context.key.copy();
        CacheKey uri = varied ? CacheKey.of(head, routes.fallbackAuthority(head)) : key;
        FetchPlan plan = new FetchPlan(head.detached(), routes.origin(head), uri, key, true, known)
                .direct(isDirect());
        return missing == null ? plan : plan.filling(missing);
    }

    private Step pass() {
        CacheKey uri = CacheKey.of(head, routes.fallbackAuthority(head));
        CacheKey key = cacheable && varied ? context.key.copy() : uri;
        FetchPlan plan = new FetchPlan(
                        head.detached(), routes.origin(head), uri, key, false, stored)
                .direct(isDirect());
        if (missing != null) {
            plan = plan.filling(missing);
        } else if (cacheable && head.methodIs("GET")) {
            plan = plan.asRequested();
        }
        new FetchDelivery(context, connection, plan, startNanos)
                .fetch(cacheable && !alone ? FetchDelivery.Mode.JOINING : FetchDelivery.Mode.ALONE);
        return Step.FETCH;
    }

    /**
     * Reports whether the fetch must use the origin: a request to this proxy as the object's owner
     * must not be passed on, and a response that is not stored has no owner.
     */
    private boolean isDirect() {
        return marked || connection.isMember();
    }

    private Step tunnel() {
        connection.tunnel(head, routes.origin(head), startNanos);
        return Step.FETCH;
    }

    private Step refuse(int status, String message) {
        connection.respond(head, status, message, CacheOutcome.ERROR, startNanos);
        return Step.FINISH;
    }
}
