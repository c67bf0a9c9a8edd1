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
 * One request to an origin and everybody who waits for its answer.
 *
 * <pre>
 *   READING ──found─────────────► CONCLUDED      it lay on the disk: all look again
 *      ▼ not there, too late
 *   ASKING ──head──► FILLING ──end──► CONCLUDED      may be stored: leader and waiters read the fill
 *      │  └──304───────────────────► CONCLUDED      confirmed: all get the stored response
 *      └────head──► PASSING ──end──► CONCLUDED      may not: waiters are released at once, the leader gets the bytes
 * </pre>
 *
 * Asked is the cache of the cluster that owns the object, when that is another's, and the origin
 * when that one cannot answer before it has said anything.
 *
 * <p>A fill goes on when its leader leaves; a pass does not. Everything but {@link #join} and
 * {@link #disown} happens on the leader's loop.
 */
public final class Fetch implements OriginListener, UpstreamReads {

    /** A disk that has not answered after this is not waited for. */
    private static final long DISK_PATIENCE_MILLIS = 2_000;

    private enum State {
        READING,
        ASKING,
        FILLING,
        PASSING,
        CONCLUDED
    }

    private final FetchContext context;
    private final InFlightFetches inFlight;
    private final ForwardingSettings forwarding;
    private FetchPlan plan;
    private State state = State.ASKING;
    private @Nullable FetchLeader leader;
    private @Nullable UpstreamExchange connection;
    /** It is the object's owner who is asked, not the origin. */
    private boolean asksOwner;

    private boolean unkept;
    /** Who that was, and what came of it; absent when nobody was. */
    private @Nullable String ownerSaid;

    private @Nullable FillStore fill;
    private int retries;
    private boolean uploadBegun;
    private boolean answerBegun;
    private long askedNanos;
    private long askedWallMillis;
    private long originMicros = -1;
    private @Nullable String asked;
    private @Nullable InetSocketAddress askedAt;
    private HierarchyCode askedBy = HierarchyCode.DIRECT;
    private volatile boolean disowned;
    /** Purges up to this one were over before the origin was asked. */
    private long since;
    /** What the arriving answer can be purged by; absent while nobody knows. */
    private volatile @Nullable List<String> labels;

    private boolean pastDisk;

    private final FetchWaiters waiters = new FetchWaiters();

    public Fetch(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        this.context = context;
        this.inFlight = inFlight;
        this.forwarding = context.forwarding();
        this.plan = plan;
        this.since = context.cache().stamps().now();
    }

    /** Who was asked, so far. */
    public UpstreamInfo asked() {
        return asked == null
                ? UpstreamInfo.none(plan.origin())
                : new UpstreamInfo(asked, askedAt, originMicros, askedBy);
    }

    /**
     * What became of asking the object's owner, such as {@code web2 hit}; absent when nobody but
     * the origin was asked.
     */
    public @Nullable String ownerSaid() {
        return ownerSaid;
    }

    /** Whether the answer could be kept, and is not, because its owner keeps it. */
    public boolean isUnkept() {
        return unkept;
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

    /** Does not look on the disk: whoever asks did. Before it is started. */
    public Fetch pastDisk() {
        pastDisk = true;
        return this;
    }

    /**
     * Begins. On the leader's loop; the leader is told of everything later, or right now when it
     * was stored meanwhile.
     */
    public void start(FetchLeader first) {
        leader = first;
        if (plan.storable()
                && context.cache().get(plan.key()) instanceof StoredResponse stored
                && stored != plan.known()
                && !stored.freshness().alwaysValidate()
                && stored.freshness().leftSeconds(context.clock().steadyMillis()) > 0) {
            // Another fetch concluded between the look-up and this one's registration.
            conclude(w -> w.stored(stored, false));
            return;
        }
        if (!readsFromDisk()) {
            ask();
        }
    }

    private void ask() {
        ClusterUpstream cluster = plan.mayAskOwner() ? context.cluster() : null;
        UpstreamExchange owner = cluster == null ? null : cluster.owner(plan.uri(), this);
        if (owner == null) {
            askOrigin(plan.isAlone(), null);
        } else {
            asksOwner = true;
            begin(owner);
        }
    }

    private void askOrigin(boolean fresh, @Nullable UpstreamServer not) {
        asksOwner = false;
        if (!plan.origin().isCluster()) {
            context.origins().acquire(plan.origin(), fresh, not, this);
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
                || pastDisk
                || !plan.storable()
                || plan.known() != null
                || plan.part() != null) {
            return false;
        }
        state = State.READING;
        if (disk.read(plan.uri(), plan.key(), plan.head().fields(), this::tellLoop)) {
            context.loop()
                    .schedule(() -> fromDisk(null), DISK_PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        }
        state = State.ASKING;
        return false;
    }

    /** On a disk thread. */
    private void tellLoop(@Nullable StoredResponse found) {
        try {
            context.loop().execute(() -> fromDisk(found));
        } catch (RejectedExecutionException ended) {
            // The proxy is stopping.
            if (found != null) {
                found.letGo();
            }
        }
    }

    /** @param found held; absent when the origin is to be asked */
    private void fromDisk(@Nullable StoredResponse found) {
        if (state != State.READING) {
            if (found != null) {
                // Too late for those who waited; it is in memory for the next.
                found.letGo();
            }
            return;
        }
        state = State.ASKING;
        if (found != null) {
            restored(found);
        } else if (leader == null && waiters.isEmpty()) {
            conclude(FetchWaiter::released);
        } else {
            ask();
        }
    }

    /** Everybody gets a reference of his own; the leader this one. */
    private void restored(StoredResponse found) {
        state = State.CONCLUDED;
        inFlight.concluded(this);
        for (FetchWaiter waiter : waiters.close()) {
            boolean held = found.hold();
            FetchWaiters.tell(waiter, held ? w -> w.restored(found) : FetchWaiter::released);
        }
        if (leader == null) {
            found.letGo();
        } else {
            leader.restored(found);
        }
    }

    /** @return false when it is too late: look the key up again */
    boolean join(FetchWaiter waiter) {
        return waiters.enter(waiter, plan);
    }

    void disown() {
        disowned = true;
    }

    /** Whether what arrives may carry one of these labels; it may while nothing of it is known. */
    boolean mayCarry(Collection<String> some) {
        List<String> known = labels;
        return known == null || !Collections.disjoint(known, some);
    }

    /**
     * Body bytes of the leader's request. Takes over the buffer.
     *
     * @param trailers what followed the last of them; absent when there was nothing
     * @return false to wait for uploadReady
     */
    public boolean upload(ByteBuf part, boolean last, @Nullable Fields trailers) {
        UpstreamExchange to = connection;
        if (to == null || state == State.CONCLUDED) {
            part.release();
            return true;
        }
        uploadBegun = true;
        if (!plan.head().isChunked() || to.endsBodies()) {
            return to.sendBody(part, last);
        }
        byte[] behind = trailers == null
                ? null
                : TrailerFields.ofRequest(plan.head(), trailers, forwarding);
        return to.sendBody(RequestWriter.chunk(context.allocator(), part, last, behind), last);
    }

    /** How much of an answer that is only passed on may be read at once. */
    public void readAtMost(int bytes) {
        if (connection != null && state == State.PASSING) {
            connection.readAtMost(bytes);
        }
    }

    /** The leader takes bytes again. */
    public void resume() {
        if (connection != null && state == State.PASSING) {
            connection.setReading(true);
        }
    }

    /**
     * The leader is gone. An upload broken off must never look complete to the origin, so its
     * connection is closed.
     */
    public void leaderLeft() {
        leader = null;
        boolean alone = waiters.isEmpty();
        if (state == State.PASSING
                || state == State.ASKING
                        && (!plan.storable() || alone && plan.head().hasBody())) {
            stop();
            conclude(w -> w.released());
        }
    }

    private void stop() {
        UpstreamExchange had = connection;
        connection = null;
        if (had != null) {
            had.abort();
        }
    }

    /**
     * Nobody wants the rest of this answer, but its connection may serve others when that is short.
     */
    private void letGo() {
        UpstreamExchange had = connection;
        connection = null;
        if (had != null) {
            had.discardRest();
        }
    }

    @Override
    public boolean isNeeded() {
        return state != State.CONCLUDED;
    }

    @Override
    public void connected(OriginConnection to) {
        if (state == State.CONCLUDED) {
            to.returnUnused();
            return;
        }
        begin(to);
    }

    private void begin(UpstreamExchange to) {
        connection = to;
        asks(to);
        if (plan.known() == null) {
            since = context.cache().stamps().now();
        }
        askedNanos = System.nanoTime();
        askedWallMillis = context.clock().wallMillis();
        ByteBuf request =
                RequestWriter.encode(context.allocator(), plan, context.viaName(), forwarding);
        if (plan.isAlone() && to instanceof OriginConnection lent) {
            lent.closeAfterResponse();
        }
        to.send(request, plan.head().methodIs("HEAD"), !plan.head().hasBody());
        if (leader != null && plan.head().hasBody()) {
            leader.uploadReady();
        }
    }

    private void asks(UpstreamExchange to) {
        asked = to.peerName();
        askedAt = to.address();
        askedBy = to.hierarchyCode();
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
        answerBegun = true;
        originMicros = (System.nanoTime() - askedNanos) / 1000;
        UpstreamExchange from = connection;
        if (from != null) {
            asks(from);
        }
        if (asksOwner) {
            ownerAnswered(head);
        } else {
            Distribution.record(context.tally().originResponse, originMicros);
        }
        StoredResponse stale = plan.stale();
        if (stale != null && head.status() == 304) {
            confirmed(stale, head);
            return;
        }
        StoredResponse instead = disowned
                ? null
                : FailureFallback.standIn(
                        plan, head.status(), context.cache().settings(), context.clock());
        if (instead != null) {
            int status = head.status();
            letGo();
            conclude(w -> w.stale(instead, status));
            return;
        }
        if (!plan.shared() && leader != null) {
            leader.answered(head);
        }
        boolean posted = FillStore.isForLaterGets(plan, head);
        if (posted) {
            // What is stored for the URI was dropped a moment ago, because of this very answer.
            since = context.cache().stamps().now();
        }
        plan = plan.copied(asksOwner);
        unkept = !keeps()
                && WholeStore.isPermitted(
                        context.cache().settings(), context.clock(), plan, head, askedWallMillis);
        FillStore begun = disowned && !posted || unkept
                ? null
                : FillStore.begin(
                        context.cache(),
                        context.clock(),
                        plan,
                        head,
                        askedWallMillis,
                        !waiters.isEmpty());
        if (begun == null
                && plan.held() != null
                && (head.status() == 206 || head.status() == 416)) {
            // A part that does not go with what is held, or for which there is no room: the client
            // asked for more than this.
            again();
            return;
        }
        if (begun == null) {
            pass(head, !unkept);
            return;
        }
        if (asksOwner) {
            context.tally().peerCopies++;
        }
        fill = begun;
        labels = begun.labels();
        state = State.FILLING;
        FetchLeader first = leader;
        if (first != null) {
            begun.fill().retain();
            first.filling(begun.fill());
        }
        waiters.announce(begun, plan);
    }

    private void ownerAnswered(ResponseHead head) {
        String told = head.fields().joined("cache-status");
        boolean hit = told != null && told.substring(told.lastIndexOf(',') + 1).contains("; hit");
        if (hit) {
            context.tally().peerHits++;
        } else {
            context.tally().peerMisses++;
        }
        ownerSaid = asked + (hit ? " hit" : " miss");
    }

    /**
     * Another's object is kept here only now and then. What was kept already is renewed, and what
     * several want at once they get from one copy.
     */
    private boolean keeps() {
        ClusterUpstream cluster = context.cluster();
        return !asksOwner
                || plan.known() != null
                || plan.held() != null
                || !waiters.isEmpty()
                || cluster == null
                || cluster.keepsCopy();
    }

    private void confirmed(StoredResponse stale, ResponseHead head) {
        StoredResponse fresh =
                ValidationResult.of(context.cache(), context.clock(), stale, head, askedWallMillis);
        if (fresh == null) {
            // It was dropped meanwhile, or the 304 is about another representation: ask again, for
            // the whole.
            context.cache().invalidate(stale);
            again();
            return;
        }
        boolean given = !disowned;
        if (given) {
            // Whether it is kept or not: those who wait asked before the purge that forbids it, or
            // find it gone and ask again.
            context.cache().put(fresh, since, plan.uri(), context.clock().steadyMillis());
        }
        conclude(w -> w.stored(fresh, true));
        if (!given) {
            fresh.discard();
        }
    }

    /** Asks anew, as if nothing were stored. */
    private void again() {
        letGo();
        answerBegun = false;
        plan = plan.unconditional();
        askOrigin(true, null);
    }

    /** @param forbidden the answer may not be stored; else it just is not, this time */
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
            ValidationResult.heard(
                    context.cache(), context.clock(), plan, head, askedWallMillis, since);
        }
        inFlight.concluded(this);
        waiters.tell(FetchWaiter::released);
        if (leader != null) {
            leader.passHead(head);
        } else {
            stop();
            state = State.CONCLUDED;
        }
    }

    @Override
    public void body(ByteBuf slice) {
        FillStore filling = fill;
        if (state == State.FILLING && filling != null) {
            if (filling.take(slice)) {
                grown();
                return;
            }
            if (!filling.canPassTheRest()) {
                stop();
                filling.fill().conclude(CacheFill.State.BROKEN);
                conclude(filling, null);
                return;
            }
            // Longer than may be stored: its leader, the only reader so far, takes the rest byte by
            // byte.
            overflow(filling);
        }
        if (state == State.PASSING
                && leader != null
                && !leader.passBody(slice)
                && connection != null) {
            connection.setReading(false);
        }
    }

    private void overflow(FillStore filling) {
        state = State.PASSING;
        filling.fill().conclude(CacheFill.State.BROKEN);
        inFlight.concluded(this);
        waiters.tell(FetchWaiter::released);
        fill = null;
        if (leader instanceof OverflowTaker taker) {
            taker.overflow();
        }
        filling.fill().release();
        if (leader == null) {
            stop();
            state = State.CONCLUDED;
        }
    }

    /**
     * A leader that reads a fill of unknown length: what is left of the fill is its own, then bytes
     * are passed.
     */
    public interface OverflowTaker {
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
        FillStore filled = fill;
        if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passEnd();
            }
        } else if (state == State.FILLING && filled != null) {
            conclude(filled, filled.finish(!disowned, since, context.clock().steadyMillis()));
        }
    }

    /** Those who read the fill see its end there; those who waited for the whole get it now. */
    private void conclude(FillStore filled, @Nullable StoredResponse response) {
        state = State.CONCLUDED;
        inFlight.concluded(this);
        List<FetchWaiter> all = waiters.close();
        if (leader != null) {
            leader.grown();
        }
        waiters.ended(all, filled, response, plan);
        filled.fill().release();
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
            FetchWaiters.tell(waiter, outcome);
        }
    }

    @Override
    public void failed(OriginFailure failure) {
        UpstreamExchange had = connection;
        connection = null;
        FillStore filling = fill;
        if (state == State.CONCLUDED) {
            return;
        }
        if (asksOwner && !answerBegun) {
            ownerFailed(failure);
        } else if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passBroken();
            }
        } else if (state == State.FILLING && filling != null) {
            filling.fill().conclude(CacheFill.State.BROKEN);
            conclude(filling, null);
        } else if (had != null
                && !uploadBegun
                && !answerBegun
                && FailureFallback.mayRepeat(plan, failure, had.isReused(), retries)) {
            retries++;
            askOrigin(true, had instanceof OriginConnection lent ? lent.server() : null);
        } else {
            StoredResponse instead = disowned || failure.status() == 403
                    ? null
                    : FailureFallback.standIn(plan, 0, context.cache().settings(), context.clock());
            conclude(instead == null ? w -> w.failed(failure) : w -> w.stale(instead, 0));
        }
    }

    /** The origin is asked at once, and nobody notices. */
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
        ownerSaid = asked + reason;
        askOrigin(plan.isAlone(), null);
    }
}
