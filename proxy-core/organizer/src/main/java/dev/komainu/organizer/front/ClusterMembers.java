package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.intermediary.upstream.ResponseListener;
import dev.komainu.intermediary.upstream.UpstreamExchange;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.MemberChoice;
import io.netty.channel.EventLoop;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The cluster, for the fetches of the proxy in this process on one of its event loops. */
final class ClusterMembers implements ClusterUpstream {

    private static final String HTTPS = " https";

    private final EventLoop loop;
    private final RequestHead scratch;
    private final RoutingContext routing;
    private final MemberLines lines;
    private final ServerRequest.Taker servers;
    private final ProxyEmbedding proxy;

    /**
     * The cluster as one loop asks it.
     *
     * @param scratch the loop's, to read requests with
     * @param lines the loop's
     * @param servers takes what is asked of servers
     */
    ClusterMembers(
            EventLoop loop,
            RequestHead scratch,
            RoutingContext routing,
            MemberLines lines,
            ServerRequest.Taker servers,
            ProxyEmbedding proxy) {
        this.loop = loop;
        this.scratch = scratch;
        this.routing = routing;
        this.lines = lines;
        this.servers = servers;
        this.proxy = proxy;
    }

    @Override
    public @Nullable UpstreamExchange owner(CacheKey uri, ResponseListener hears) {
        String text = uri.uri();
        boolean secure = text.endsWith(HTTPS);
        String url = secure ? text.substring(0, text.length() - HTTPS.length()) : text;
        int slash = url.indexOf('/');
        int query = url.indexOf('?');
        Candidate owner = MemberChoice.owner(
                routing.tableNow()
                        .caches(
                                url.substring(0, slash),
                                url.substring(slash, query < 0 ? url.length() : query)),
                url,
                routing.outlooks()::of);
        if (owner == null || owner.member().equals(routing.self())) {
            return null;
        }
        Line line = lines.to(owner.member(), owner.line());
        return line == null
                ? null
                : new OwnerRequest(
                        loop,
                        scratch,
                        hears,
                        routing.outlooks(),
                        owner.member(),
                        line,
                        secure,
                        proxy.purges().requirements(uri),
                        proxy.share().patience().toNanos());
    }

    @Override
    public UpstreamExchange server(ResponseListener hears) {
        return new ServerRequest(loop, scratch, hears, servers);
    }

    @Override
    public boolean keepsCopy() {
        return ThreadLocalRandom.current().nextInt(100) < proxy.share().copiesPercent();
    }
}
