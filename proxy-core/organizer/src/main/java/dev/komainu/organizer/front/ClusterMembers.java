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

/** The cluster as an upstream for the fetches of the embedding proxy, on one of its event loops. */
final class ClusterMembers implements ClusterUpstream {

    private static final String HTTPS = " https";

    private final EventLoop loop;
    private final RequestHead scratch;
    private final RoutingContext routing;
    private final MemberLines lines;
    private final ServerRequest.RequestAcceptor servers;
    private final ProxyEmbedding proxy;

    /**
     * Creates the upstream of one event loop.
     *
     * @param scratch request head of the loop, reused for parsing
     * @param lines lines of the loop
     * @param servers accepts the requests for servers
     */
    ClusterMembers(
            EventLoop loop,
            RequestHead scratch,
            RoutingContext routing,
            MemberLines lines,
            ServerRequest.RequestAcceptor servers,
            ProxyEmbedding proxy) {
        this.loop = loop;
        this.scratch = scratch;
        this.routing = routing;
        this.lines = lines;
        this.servers = servers;
        this.proxy = proxy;
    }

    @Override
    public @Nullable UpstreamExchange owner(CacheKey uri, ResponseListener listener) {
        String text = uri.uri();
        boolean secure = text.endsWith(HTTPS);
        String url = secure ? text.substring(0, text.length() - HTTPS.length()) : text;
        int slash = url.indexOf('/');
        int query = url.indexOf('?');
        Candidate owner = MemberChoice.owner(
                routing.currentTable()
                        .caches(
                                url.substring(0, slash),
                                url.substring(slash, query < 0 ? url.length() : query)),
                url,
                routing.forecasts()::of);
        if (owner == null || owner.member().equals(routing.self())) {
            return null;
        }
        Line line = lines.line(owner.member(), owner.line());
        return line == null
                ? null
                : new OwnerRequest(
                        loop,
                        scratch,
                        listener,
                        routing.forecasts(),
                        owner.member(),
                        line,
                        secure,
                        proxy.purges().requirements(uri),
                        proxy.share().patience().toNanos());
    }

    @Override
    public UpstreamExchange server(ResponseListener listener) {
        return new ServerRequest(loop, scratch, listener, servers);
    }

    @Override
    public boolean keepsCopy() {
        return ThreadLocalRandom.current().nextInt(100) < proxy.share().copiesPercent();
    }
}
