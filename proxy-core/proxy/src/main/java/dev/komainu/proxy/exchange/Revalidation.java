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
 * A revalidation in the background, after clients were served the stale response
 * (stale-while-revalidate, RFC 5861 section 3). It leads a fetch like any other, so there is one
 * per object, and requests that miss join it.
 */
final class Revalidation implements FetchLeader {

    private final EventLoop loop;
    private final Fetch fetch;

    private Revalidation(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        this.loop = context.loop();
        this.fetch = new Fetch(context, inFlight, plan);
    }

    /** Starts, unless a fetch of the object is in progress. */
    static void begin(FetchContext context, InFlightFetches inFlight, FetchPlan plan) {
        if (!inFlight.isInFlight(plan.key())) {
            Revalidation revalidation = new Revalidation(context, inFlight, plan);
            inFlight.leadOrJoin(revalidation.fetch, revalidation);
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
        // The fetch itself fills the cache; this leader needs no bytes.
        fill.release();
    }

    @Override
    public void passHead(ResponseHead head) {
        // Not storable, and there is no client. The fetch is inside its notification, so it must
        // not be left at once.
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
