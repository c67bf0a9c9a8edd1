package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.CacheFill;
import dev.komainu.proxy.fetch.Fetch;
import dev.komainu.proxy.fetch.FetchContext;
import dev.komainu.proxy.fetch.FetchLeader;
import dev.komainu.proxy.fetch.FetchPlan;
import dev.komainu.proxy.fetch.InFlightFetches;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * Asks the origin behind the back of clients who were served the stale answer meanwhile
 * (stale-while-revalidate, RFC 5861 section 3). It leads a fetch like any other, so there is one
 * for each object, and who misses joins it.
 */
final class Revalidation implements FetchLeader {

    private final EventLoop loop;
    private final Fetch fetch;

    private Revalidation(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        this.loop = context.loop();
        this.fetch = new Fetch(context, inFlight, plan);
    }

    /** Begins, unless the object is being fetched already. */
    static void begin(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        if (!inFlight.isInFlight(plan.key())) {
            Revalidation mine = new Revalidation(context, inFlight, plan);
            inFlight.leadOrJoin(mine.fetch, mine);
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public RequestHead request() {
        return fetch.plan().head();
    }

    @Override
    public void filling(CacheFill fill) {
        // The fetch itself fills the cache; this reader needs nothing of it.
        fill.release();
    }

    @Override
    public void passHead(ResponseHead head) {
        // Not storable: nobody is here to read it. Not at once, because the fetch is in the middle
        // of telling.
        loop.execute(fetch::leaderLeft);
    }

    @Override
    public boolean passBody(ByteBuf slice) {
        return true;
    }

    @Override
    public void grown() {}

    @Override
    public void stored(StoredResponse response, boolean validated) {}

    @Override
    public void stale(StoredResponse response, int originStatus) {}

    @Override
    public void released() {}

    @Override
    public void failed(OriginFailure failure) {}

    @Override
    public void uploadReady() {}

    @Override
    public void informational(ResponseHead head) {}

    @Override
    public void passEnd() {}

    @Override
    public void passBroken() {}
}
