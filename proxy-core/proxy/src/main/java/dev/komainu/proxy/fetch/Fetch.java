package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.intermediary.upstream.HierarchyCode;
import dev.komainu.intermediary.upstream.OriginConnection;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.OriginListener;
import dev.komainu.intermediary.upstream.UpstreamExchange;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.intermediary.upstream.UpstreamServer;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.telemetry.record.Distribution;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request to an origin, with the exchanges that wait for its response.
 *
 * <pre>
 *   READING ──found─────────────► CONCLUDED      found on the disk: all waiters repeat their lookup
 *      ▼ not found, or timeout
 *   REQUESTING ──head──► FILLING ──end──► CONCLUDED      storable: leader and waiters read the fill
 *      │  └──304───────────────────► CONCLUDED      validated: all get the stored response
 *      └────head──► PASSING ──end──► CONCLUDED      not storable: waiters are released at once, the leader gets the bytes
 * </pre>
 *
 * The request goes to the cluster member that owns the object when another member owns it. It goes
 * to the origin when the owner fails before it sends a response.
 *
 * <p>A fill continues after its leader leaves; a pass does not. All methods except {@link #join}
 * and {@link #disown} run on the leader's loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the timeout runs on its loop
public final class Fetch implements OriginListener, UpstreamReads {

    /** The longest wait for a read from the disk. */
    private static final long DISK_TIMEOUT_MILLIS = 2_000;

    private enum State {
        READING,
        REQUESTING,
        FILLING,
        PASSING,
        CONCLUDED
    }

    /** The part of the object's owner in the cluster. */
    private enum OwnerUse {
        /** The request goes to the origin. */
        NONE,
        /** The request goes to the owner. */
        ASKED,
        /** The owner responded, and only the owner stores the response. */
        KEEPS
    }

    private final FetchContext context;
    private final InFlightFetches inFlight;
    private final ForwardingSettings forwarding;
    private FetchPlan plan;
    private State state = State.REQUESTING;
    private @Nullable FetchLeader leader;
    private @Nullable UpstreamExchange connection;
    private OwnerUse owner = OwnerUse.NONE;
    /** The owner's name and the result of the request to it; null when no owner was used. */
    private @Nullable String ownerOutcome;

    private @Nullable FillStore store;
    private int retries;
    private boolean uploadStarted;
    private long requestNanos;
    private long requestWallMillis;
    private long originMicros = -1;
    private @Nullable String server;
    private @Nullable InetSocketAddress serverAddress;
    private HierarchyCode hierarchy = HierarchyCode.DIRECT;
    private volatile boolean disowned;
    /** The newest purge that was complete before the request was sent. */
    private long since;
    /** The labels by which the arriving response can be purged; null before they are known. */
    private volatile @Nullable List<String> labels;

    private boolean skipsLookup;

    private final FetchWaiters waiters = new FetchWaiters();

    public Fetch(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        this.context = context;
        this.inFlight = inFlight;
        this.forwarding = context.forwarding();
        this.plan = plan;
        this.since = context.cache().purgeTimestamps().now();
    }

    /** Returns the upstream that was used last. */
    public UpstreamInfo upstream() {
        return server == null
                ? UpstreamInfo.none(plan.origin())
                : new UpstreamInfo(server, serverAddress, originMicros, hierarchy);
    }

    /**
     * Returns the result of the request to the object's owner, such as {@code web2 hit}; null when
     * only the origin was used.
     */
    public @Nullable String ownerOutcome() {
        return ownerOutcome;
    }

    /**
     * Reports whether the response is storable but is not stored here because its owner stores it.
     */
    public boolean isLeftToOwner() {
        return owner == OwnerUse.KEEPS;
    }

    public FetchPlan plan() {
        return plan;
    }

    @Override
    public @Nullable ReceiveShare receiveShare() {
        return connection == null ? null : connection.receiveShare();
    }

    @Override
    public boolean hasSingleReader() {
        return state == State.PASSING;
    }

    /**
     * Skips the lookups in memory and on the disk, which the caller has just done. Must be called
     * before {@link #start}.
     */
    public Fetch skipLookup() {
        skipsLookup = true;
        return this;
    }

    /**
     * Starts the fetch on the leader's loop. The leader is notified later, or during this call when
     * the response was stored in the meantime.
     */
    public void start(FetchLeader first) {
        leader = first;
        if (plan.storable()
                && !skipsLookup
                && context.cache().get(plan.key()) instanceof StoredResponse stored
                && stored != plan.known()
                && !stored.freshness().alwaysValidate()
                && stored.freshness().leftSeconds(context.clock().steadyMillis()) > 0) {
            // Another fetch concluded between the lookup and this registration.
            conclude(w -> w.stored(stored, false));
            return;
        }
        if (!readsFromDisk()) {
            request();
        }
    }

    private void request() {
        ClusterUpstream cluster = plan.mayUseOwner() ? context.cluster() : null;
        UpstreamExchange member = cluster == null ? null : cluster.owner(plan.uri(), this);
        if (member == null) {
            requestFromOrigin(plan.isAlone(), null);
        } else {
            owner = OwnerUse.ASKED;
            begin(member);
        }
    }

    private void requestFromOrigin(boolean fresh, @Nullable UpstreamServer excluded) {
        owner = OwnerUse.NONE;
        if (!plan.origin().isCluster()) {
            context.origins().acquire(plan.origin(), fresh, excluded, this);
            return;
        }
        ClusterUpstream cluster = context.cluster();
        if (cluster == null) {
            failed(new OriginFailure(
                    503, "no-cluster", "This proxy has not joined its cluster yet", true));
        } else {
            context.tally().origin.requests++;
            begin(cluster.server(this));
        }
    }

    private boolean readsFromDisk() {
        DiskTier disk = context.disk();
        if (disk == null
                || skipsLookup
                || !plan.storable()
                || plan.known() != null
                || plan.part() != null) {
            return false;
        }
        state = State.READING;
        if (disk.read(plan.uri(), plan.key(), plan.head().fields(), this::onDiskRead)) {
            context.loop()
                    .schedule(
                            () -> afterDiskRead(null), DISK_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        }
        state = State.REQUESTING;
        return false;
    }

    /** Runs on a disk thread. */
    private void onDiskRead(@Nullable StoredResponse found) {
        try {
            context.loop().execute(() -> afterDiskRead(found));
        } catch (RejectedExecutionException ended) {
            // The proxy is stopping.
            if (found != null) {
                found.releaseRetained();
            }
        }
    }

    /**
     * Continues with the result of the disk read.
     *
     * @param found retained; null when the origin must be used
     */
    private void afterDiskRead(@Nullable StoredResponse found) {
        if (state != State.READING) {
            if (found != null) {
                // The waiters have timed out; the response is in memory for later requests.
                found.releaseRetained();
            }
            return;
        }
        state = State.REQUESTING;
        if (found != null) {
            restored(found);
        } else if (leader == null && waiters.isEmpty()) {
            conclude(FetchWaiter::released);
        } else {
            request();
        }
    }

    /** Each waiter retains its own reference; the leader uses this one. */
    private void restored(StoredResponse found) {
        state = State.CONCLUDED;
        inFlight.concluded(this);
        for (FetchWaiter waiter : waiters.close()) {
            boolean retained = found.retain();
            FetchWaiters.dispatch(
                    waiter, retained ? w -> w.restored(found) : FetchWaiter::released);
        }
        if (leader == null) {
            found.releaseRetained();
        } else {
            leader.restored(found);
        }
    }

    /**
     * Adds a waiter.
     *
     * @return false when the fetch no longer accepts waiters; the caller repeats its lookup
     */
    boolean join(FetchWaiter waiter) {
        return waiters.add(waiter, plan);
    }

    void disown() {
        disowned = true;
    }

    /**
     * Reports whether the arriving response may carry one of these labels. The result is true while
     * its labels are unknown.
     */
    boolean mayCarry(Collection<String> some) {
        List<String> known = labels;
        return known == null || !Collections.disjoint(known, some);
    }

    /**
     * Sends body bytes of the leader's request. Takes ownership of the buffer.
     *
     * @param trailers the trailers behind the last part; null when there are none
     * @return false when the caller must wait for {@link FetchLeader#uploadReady}
     */
    public boolean upload(ByteBuf part, boolean last, @Nullable Fields trailers) {
        UpstreamExchange sink = connection;
        if (sink == null || state == State.CONCLUDED) {
            part.release();
            return true;
        }
        uploadStarted = true;
        if (!plan.head().isChunked() || sink.endsBodies()) {
            return sink.sendBody(part, last);
        }
        byte[] trailerLines = trailers == null
                ? null
                : TrailerFields.ofRequest(plan.head(), trailers, forwarding);
        return sink.sendBody(
                RequestWriter.chunk(context.allocator(), part, last, trailerLines), last);
    }

    /** Sets the largest number of bytes of a passed response that one read may return. */
    public void readAtMost(int bytes) {
        if (connection != null && state == State.PASSING) {
            connection.readAtMost(bytes);
        }
    }

    /** Resumes reading; the leader accepts bytes again. */
    public void resume() {
        if (connection != null && state == State.PASSING) {
            connection.setReading(true);
        }
    }

    /**
     * Removes the leader. An incomplete upload must not look complete to the origin, so its
     * connection is closed.
     */
    public void leaderLeft() {
        leader = null;
        boolean alone = waiters.isEmpty();
        if (state == State.PASSING
                || (state == State.REQUESTING
                        && (!plan.storable() || (alone && plan.head().hasBody())))) {
            stop();
            conclude(w -> w.released());
        }
    }

    private void stop() {
        UpstreamExchange previous = connection;
        connection = null;
        if (previous != null) {
            previous.abort();
        }
    }

    /**
     * Drops the rest of this response. Its connection can serve other requests when the rest is
     * short.
     */
    private void discardRest() {
        UpstreamExchange previous = connection;
        connection = null;
        if (previous != null) {
            previous.discardRest();
        }
    }

    @Override
    public boolean isNeeded() {
        return state != State.CONCLUDED;
    }

    @Override
    public void connected(OriginConnection sink) {
        if (state == State.CONCLUDED) {
            sink.returnUnused();
            return;
        }
        begin(sink);
    }

    private void begin(UpstreamExchange sink) {
        connection = sink;
        recordUpstream(sink);
        if (plan.known() == null) {
            since = context.cache().purgeTimestamps().now();
        }
        requestNanos = System.nanoTime();
        requestWallMillis = context.clock().wallMillis();
        ByteBuf request =
                RequestWriter.encode(context.allocator(), plan, context.viaName(), forwarding);
        if (plan.isAlone() && sink instanceof OriginConnection reused) {
            reused.closeAfterResponse();
        }
        sink.send(request, plan.head().methodIs("HEAD"), !plan.head().hasBody());
        if (leader != null && plan.head().hasBody()) {
            leader.uploadReady();
        }
    }

    private void recordUpstream(UpstreamExchange sink) {
        server = sink.peerName();
        serverAddress = sink.address();
        hierarchy = sink.hierarchyCode();
    }

    @Override
    public void writable() {
        if (leader != null && plan.head().hasBody()) {
            leader.uploadReady();
        }
    }

    @Override
    public void informational(ResponseHead head) {
        if (leader != null) {
            leader.informational(head);
        }
    }

    @Override
    public void head(ResponseHead head) {
        originMicros = (System.nanoTime() - requestNanos) / 1000;
        UpstreamExchange from = connection;
        if (from != null) {
            recordUpstream(from);
        }
        if (owner == OwnerUse.ASKED) {
            countOwnerResponse(head);
        } else {
            Distribution.record(context.tally().originResponse, originMicros);
        }
        StoredResponse stale = plan.stale();
        if (stale != null && head.status() == 304) {
            notModified(stale, head);
            return;
        }
        StoredResponse substitute = disowned
                ? null
                : FailureFallback.substitute(
                        plan, head.status(), context.cache().settings(), context.clock());
        if (substitute != null) {
            int status = head.status();
            discardRest();
            conclude(w -> w.stale(substitute, status));
            return;
        }
        if (!plan.shared() && leader != null) {
            leader.headReceived(head);
        }
        boolean isForLaterGets = FillStore.isForLaterGets(plan, head);
        if (isForLaterGets) {
            // This response has just invalidated the entries of its URI.
            since = context.cache().purgeTimestamps().now();
        }
        plan = plan.withCopy(owner == OwnerUse.ASKED);
        if (!storesHere()
                && WholeStore.isPermitted(
                        context.cache().settings(),
                        context.clock(),
                        plan,
                        head,
                        requestWallMillis)) {
            owner = OwnerUse.KEEPS;
        }
        FillStore newStore = (disowned && !isForLaterGets) || owner == OwnerUse.KEEPS
                ? null
                : FillStore.begin(
                        context.cache(),
                        context.clock(),
                        plan,
                        head,
                        requestWallMillis,
                        !waiters.isEmpty());
        if (newStore == null
                && plan.storedParts() != null
                && (head.status() == 206 || head.status() == 416)) {
            // The part does not match the stored parts, or there is no room for it. The client
            // needs more than
            // this part.
            refetch();
            return;
        }
        if (newStore == null) {
            pass(head, owner != OwnerUse.KEEPS);
            return;
        }
        if (owner == OwnerUse.ASKED) {
            context.tally().peerCopies++;
        }
        store = newStore;
        labels = newStore.labels();
        state = State.FILLING;
        FetchLeader first = leader;
        if (first != null) {
            newStore.fill().retain();
            first.filling(newStore.fill());
        }
        waiters.announce(newStore, plan);
    }

    private void countOwnerResponse(ResponseHead head) {
        String cacheStatus = head.fields().joined("cache-status");
        boolean hit = cacheStatus != null
                && cacheStatus.substring(cacheStatus.lastIndexOf(',') + 1).contains("; hit");
        if (hit) {
            context.tally().peerHits++;
        } else {
            context.tally().peerMisses++;
        }
        ownerOutcome = server + (hit ? " hit" : " miss");
    }

    /**
     * Reports whether the response is stored here. Only some objects of other owners are stored
     * here. Existing copies are renewed, and concurrent waiters share one copy.
     */
    private boolean storesHere() {
        ClusterUpstream cluster = context.cluster();
        return owner == OwnerUse.NONE
                || plan.known() != null
                || plan.storedParts() != null
                || !waiters.isEmpty()
                || cluster == null
                || cluster.keepsCopy();
    }

    private void notModified(StoredResponse stale, ResponseHead head) {
        StoredResponse fresh = ValidationResult.of(
                context.cache(), context.clock(), stale, head, requestWallMillis);
        if (fresh == null) {
            // The stored response was dropped, or the 304 refers to another representation. The
            // whole is
            // requested again.
            context.cache().invalidate(stale);
            refetch();
            return;
        }
        boolean isStored = !disowned;
        if (isStored) {
            // The waiters get the response even if the cache rejects it: their requests are older
            // than the purge
            // that forbids it. A waiter that finds it gone sends a new request.
            context.cache().put(fresh, since, plan.uri(), context.clock().steadyMillis());
        }
        conclude(w -> w.stored(fresh, true));
        if (!isStored) {
            fresh.discard();
        }
    }

    /** Sends the request again without the stored response. */
    private void refetch() {
        discardRest();
        plan = plan.unconditional();
        requestFromOrigin(true, null);
    }

    /**
     * Passes the response to the leader without storing it.
     *
     * @param forbidden whether storing is forbidden; false when only this response is not stored
     */
    private void pass(ResponseHead head, boolean forbidden) {
        state = State.PASSING;
        MemoryCache cache = context.cache();
        if (plan.storable() && forbidden) {
            if (plan.known() != null && head.status() < 500) {
                cache.invalidate(plan.key());
            }
            cache.markPass(plan.key(), context.clock().steadyMillis());
        }
        if (plan.head().methodIs("HEAD")) {
            ValidationResult.updateFromHead(
                    context.cache(), context.clock(), plan, head, requestWallMillis, since);
        }
        inFlight.concluded(this);
        waiters.concludeAll(FetchWaiter::released);
        if (leader != null) {
            leader.passHead(head);
        } else {
            stop();
            state = State.CONCLUDED;
        }
    }

    @Override
    public void body(ByteBuf slice) {
        FillStore currentStore = store;
        if (state == State.FILLING && currentStore != null) {
            if (currentStore.append(slice)) {
                grown();
                return;
            }
            if (!currentStore.canPassRemainder()) {
                stop();
                currentStore.fill().conclude(CacheFill.State.BROKEN);
                conclude(currentStore, null);
                return;
            }
            // The response is longer than the limit for stored objects. Its leader is the only
            // reader so far and
            // receives the rest as it arrives.
            overflow(currentStore);
        }
        if (state == State.PASSING
                && leader != null
                && !leader.passBody(slice)
                && connection != null) {
            connection.setReading(false);
        }
    }

    private void overflow(FillStore currentStore) {
        state = State.PASSING;
        currentStore.fill().conclude(CacheFill.State.BROKEN);
        inFlight.concluded(this);
        waiters.concludeAll(FetchWaiter::released);
        store = null;
        if (leader instanceof OverflowListener listener) {
            listener.overflow();
        }
        currentStore.fill().release();
        if (leader == null) {
            stop();
            state = State.CONCLUDED;
        }
    }

    /**
     * A leader that can continue after a fill of unknown length became too long. It first reads the
     * rest of the fill, then receives the remaining bytes directly.
     */
    public interface OverflowListener {
        void overflow();
    }

    private void grown() {
        if (leader != null) {
            leader.grown();
        }
        waiters.grown();
    }

    @Override
    public void trailers(Fields trailers) {
        if (leader != null) {
            leader.trailers(trailers);
        }
    }

    @Override
    public void end() {
        connection = null;
        FillStore finished = store;
        if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passEnd();
            }
        } else if (state == State.FILLING && finished != null) {
            conclude(finished, finished.finish(!disowned, since, context.clock().steadyMillis()));
        }
    }

    /**
     * Concludes the fetch. Readers of the fill see its end there; the other waiters get the whole
     * response.
     */
    private void conclude(FillStore finished, @Nullable StoredResponse response) {
        state = State.CONCLUDED;
        inFlight.concluded(this);
        List<FetchWaiter> all = waiters.close();
        if (leader != null) {
            leader.grown();
        }
        waiters.ended(all, finished, response, plan);
        finished.fill().release();
    }

    private void conclude(Consumer<FetchWaiter> outcome) {
        state = State.CONCLUDED;
        inFlight.concluded(this);
        List<FetchWaiter> all = waiters.close();
        FetchLeader first = leader;
        if (first != null) {
            outcome.accept(first);
        }
        for (FetchWaiter waiter : all) {
            FetchWaiters.dispatch(waiter, outcome);
        }
    }

    @Override
    public void failed(OriginFailure failure) {
        UpstreamExchange previous = connection;
        connection = null;
        FillStore currentStore = store;
        if (state == State.CONCLUDED) {
            return;
        }
        if (state == State.REQUESTING && owner != OwnerUse.NONE) {
            ownerFailed(failure);
        } else if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passBroken();
            }
        } else if (state == State.FILLING && currentStore != null) {
            currentStore.fill().conclude(CacheFill.State.BROKEN);
            conclude(currentStore, null);
        } else if (previous != null
                && !uploadStarted
                && FailureFallback.mayRetry(plan, failure, previous.isReused(), retries)) {
            retries++;
            requestFromOrigin(
                    true, previous instanceof OriginConnection reused ? reused.server() : null);
        } else {
            StoredResponse substitute = disowned || failure.status() == 403
                    ? null
                    : FailureFallback.substitute(
                            plan, 0, context.cache().settings(), context.clock());
            conclude(substitute == null ? w -> w.failed(failure) : w -> w.stale(substitute, 0));
        }
    }

    /** Sends the request to the origin; clients do not see the owner's failure. */
    private void ownerFailed(OriginFailure failure) {
        String reason = switch (failure.code()) {
            case ClusterUpstream.SILENT -> {
                context.tally().ownersSilent++;
                yield " silent";
            }
            case ClusterUpstream.REFUSED -> {
                context.tally().ownersRefused++;
                yield " refused";
            }
            default -> {
                context.tally().ownersUnreached++;
                yield " unreached";
            }
        };
        ownerOutcome = server + reason;
        requestFromOrigin(plan.isAlone(), null);
    }
}
