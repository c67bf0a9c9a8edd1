package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.http.CacheDirectives;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.ResponseHead;
import dev.komainu.proxy.upstream.OriginConnection;
import dev.komainu.proxy.upstream.OriginEvents;
import dev.komainu.proxy.upstream.OriginFailure;
import dev.komainu.telemetry.record.Distribution;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request to an origin and everybody who waits for its answer.
 *
 * <pre>
 *   ASKING ──head──► FILLING ──end──► CONCLUDED      may be stored: leader and waiters read the fill
 *      │  └──304───────────────────► CONCLUDED      confirmed: all get the stored response
 *      └────head──► PASSING ──end──► CONCLUDED      may not: waiters are released at once, the leader gets the bytes
 * </pre>
 *
 * A fill goes on when its leader leaves; a pass does not. Everything but {@link #join} and {@link #disown} happens on the
 * leader's loop.
 */
public final class Fetch implements OriginEvents {

    private enum State {
        ASKING,
        FILLING,
        PASSING,
        CONCLUDED
    }

    private static final int MOST_RETRIES = 2;

    private final FetchContext context;
    private FetchPlan plan;
    private State state = State.ASKING;
    private @Nullable FetchLeader leader;
    private @Nullable OriginConnection connection;
    private @Nullable FillStore fill;
    private int retries;
    private boolean uploadBegun;
    private boolean answerBegun;
    private long askedNanos;
    private long askedWallMillis;
    private long originMicros = -1;
    private volatile boolean disowned;
    private final WaitingRoom waiters = new WaitingRoom();

    public Fetch(FetchContext context, FetchPlan plan) {
        this.context = context;
        this.plan = plan;
    }

    /** Request sent to the origin's first byte, in microseconds; -1 when nobody answered. */
    public long originMicros() {
        return originMicros;
    }

    public FetchPlan plan() {
        return plan;
    }

    /** Begins. On the leader's loop; the leader is told of everything later, or right now when it was stored meanwhile. */
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
        context.origins().acquire(plan.origin(), false, null, this);
    }

    /** @return false when it is too late: look the key up again */
    boolean join(FetchWaiter waiter) {
        return waiters.enter(waiter, plan);
    }

    void disown() {
        disowned = true;
    }

    /** Body bytes of the leader's request. Takes over the buffer. @return false to wait for uploadReady */
    public boolean upload(ByteBuf part, boolean last) {
        OriginConnection to = connection;
        if (to == null || state == State.CONCLUDED) {
            part.release();
            return true;
        }
        uploadBegun = true;
        if (!plan.head().isChunked()) {
            return to.sendBody(part, last);
        }
        return to.sendBody(RequestWriter.chunk(context.allocator(), part, last), last);
    }

    /** The leader takes bytes again. */
    public void resume() {
        if (connection != null && state == State.PASSING) {
            connection.reading(true);
        }
    }

    /** The leader is gone. An upload broken off must never look complete to the origin, so its connection is closed. */
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
        OriginConnection had = connection;
        connection = null;
        if (had != null) {
            had.abort();
        }
    }

    @Override
    public boolean wanted() {
        return state != State.CONCLUDED;
    }

    @Override
    public void connected(OriginConnection to) {
        if (state == State.CONCLUDED) {
            to.giveBack();
            return;
        }
        connection = to;
        askedNanos = System.nanoTime();
        askedWallMillis = context.clock().wallMillis();
        ByteBuf request = RequestWriter.encode(context.allocator(), plan, context.viaName(), context.forwarding());
        to.send(request, plan.head().methodIs("HEAD"), !plan.head().hasBody());
        if (leader != null && plan.head().hasBody()) {
            leader.uploadReady();
        }
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
        Distribution.record(context.tally().originResponse, originMicros);
        StoredResponse stale = plan.stale();
        if (stale != null && head.status() == 304) {
            confirmed(stale, head);
            return;
        }
        StoredResponse instead = standIn(head.status());
        if (instead != null) {
            int status = head.status();
            stop();
            conclude(w -> w.stale(instead, status));
            return;
        }
        FillStore begun = plan.storable() && !disowned ? FillStore.begin(context, plan, head, askedWallMillis) : null;
        if (begun == null) {
            pass(head);
            return;
        }
        fill = begun;
        state = State.FILLING;
        FetchLeader first = leader;
        if (first != null) {
            begun.fill().retain();
            first.filling(begun.fill());
        }
        if (begun.fill().length() >= 0) {
            waiters.publish(begun, plan);
        }
    }

    private void confirmed(StoredResponse stale, ResponseHead head) {
        StoredResponse fresh = FillStore.refresh(context, stale, head, askedWallMillis);
        if (fresh == null) {
            // It was dropped meanwhile, or the 304 is about another representation: ask again, for the whole.
            context.cache().invalidate(stale);
            stop();
            plan = plan.unconditional();
            context.origins().acquire(plan.origin(), true, null, this);
            return;
        }
        if (!disowned) {
            context.cache().put(fresh);
        }
        conclude(w -> w.stored(fresh, true));
    }

    private void pass(ResponseHead head) {
        state = State.PASSING;
        MemoryCache cache = context.cache();
        if (plan.storable()) {
            if (plan.known() != null && head.status() < 500) {
                cache.invalidate(plan.key());
            }
            cache.markPass(
                    plan.key(),
                    context.clock().steadyMillis() + cache.settings().passMarkMillis());
        }
        if (plan.head().methodIs("HEAD")) {
            FillStore.heard(context, plan, head, askedWallMillis);
        }
        context.inFlight().concluded(this);
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
            // Longer than may be stored: its leader, the only reader so far, takes the rest byte by byte.
            overflow(filling);
        }
        if (state == State.PASSING && leader != null && !leader.passBody(slice) && connection != null) {
            connection.reading(false);
        }
    }

    private void overflow(FillStore filling) {
        state = State.PASSING;
        filling.fill().conclude(Fill.State.BROKEN);
        context.inFlight().concluded(this);
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

    /** A leader that reads a fill of unknown length: what is left of the fill is its own, then bytes are passed. */
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
    public void end() {
        connection = null;
        FillStore filled = fill;
        if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passEnd();
            }
        } else if (state == State.FILLING && filled != null) {
            StoredResponse response = filled.complete();
            if (!disowned) {
                context.cache().put(response);
            }
            conclude(filled, response);
            if (disowned) {
                filled.discard(response);
            }
        }
    }

    /** Those who read the fill see its end there; those who waited for the whole get it now. */
    private void conclude(FillStore filled, @Nullable StoredResponse response) {
        state = State.CONCLUDED;
        context.inFlight().concluded(this);
        List<FetchWaiter> all = waiters.close();
        if (leader != null) {
            leader.grown();
        }
        waiters.ended(all, filled, disowned ? null : response, plan);
        filled.fill().release();
    }

    private void conclude(Consumer<FetchWaiter> outcome) {
        state = State.CONCLUDED;
        context.inFlight().concluded(this);
        List<FetchWaiter> all = waiters.close();
        FetchLeader first = leader;
        if (first != null) {
            outcome.accept(first);
        }
        for (FetchWaiter waiter : all) {
            WaitingRoom.tell(waiter, outcome);
        }
    }

    @Override
    public void failed(OriginFailure failure) {
        OriginConnection had = connection;
        connection = null;
        FillStore filling = fill;
        if (state == State.CONCLUDED) {
            return;
        }
        if (state == State.PASSING) {
            state = State.CONCLUDED;
            if (leader != null) {
                leader.passBroken();
            }
        } else if (state == State.FILLING && filling != null) {
            filling.fill().conclude(Fill.State.BROKEN);
            conclude(filling, null);
        } else if (had != null && failure.beforeAnswer() && mayRetry(had, failure)) {
            retries++;
            context.origins().acquire(plan.origin(), true, had.server(), this);
        } else {
            StoredResponse instead = failure.status() == 403 ? null : standIn(0);
            conclude(instead == null ? w -> w.failed(failure) : w -> w.stale(instead, 0));
        }
    }

    /**
     * What may be served instead of an error: for an error that the origin itself tells only what stale-if-error permits
     * (RFC 5861 section 4), for an origin out of reach also what the grace allows (RFC 9111 section 4.2.4).
     *
     * @param originStatus 0 when the origin was not reached
     */
    private @Nullable StoredResponse standIn(int originStatus) {
        StoredResponse known = plan.known();
        boolean error = originStatus == 0 || originStatus == 500 || originStatus >= 502 && originStatus <= 504;
        if (known == null || !error || disowned || !plan.storable()) {
            return null;
        }
        CacheDirectives asked = CacheDirectives.parse(plan.head().fields().joined(Field.CACHE_CONTROL));
        if (asked.noCache || asked.noStore) {
            return null;
        }
        long grace = originStatus == 0 ? context.cache().settings().graceSeconds() : 0;
        boolean may =
                known.freshness().mayReplaceError(context.clock().steadyMillis(), Math.max(grace, asked.staleIfError));
        return may ? known : null;
    }

    /**
     * RFC 9110 section 9.2.2: only what may be repeated and of whose answer nothing was seen. On the same server only when
     * its parked connection may have died by itself; on another one also when a new connection broke. Silence is not
     * tried again: the time is spent.
     */
    private boolean mayRetry(OriginConnection had, OriginFailure failure) {
        int servers = plan.origin().servers().size();
        return retries < Math.min(servers, MOST_RETRIES)
                && (had.isReused() || servers > 1)
                && failure.status() != 504
                && !uploadBegun
                && !answerBegun
                && !plan.head().hasBody()
                && (plan.head().methodIs("GET")
                        || plan.head().methodIs("HEAD")
                        || plan.head().methodIs("OPTIONS")
                        || plan.head().methodIs("PUT")
                        || plan.head().methodIs("DELETE"));
    }
}
