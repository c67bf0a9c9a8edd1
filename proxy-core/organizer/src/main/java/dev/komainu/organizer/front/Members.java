package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.upstream.AnswerEvents;
import dev.komainu.intermediary.upstream.Carrier;
import dev.komainu.intermediary.upstream.Cluster;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.Choice;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The cluster, for the fetches of the proxy in this process on one of its event loops. */
final class Members implements Cluster {

    private static final String HTTPS = " https";

    private final FrontLoop at;
    private final Inside proxy;

    Members(FrontLoop at, Inside proxy) {
        this.at = at;
        this.proxy = proxy;
    }

    @Override
    public @Nullable Carrier owner(CacheKey uri, AnswerEvents hears) {
        String text = uri.uri();
        boolean secure = text.endsWith(HTTPS);
        String url = secure ? text.substring(0, text.length() - HTTPS.length()) : text;
        int slash = url.indexOf('/');
        int query = url.indexOf('?');
        Candidate owner = Choice.owner(
                at.table().caches(url.substring(0, slash), url.substring(slash, query < 0 ? url.length() : query)),
                url,
                at.outlooks()::of);
        if (owner == null || owner.member().equals(at.self())) {
            return null;
        }
        Line line = at.lines().to(owner.member(), owner.line());
        return line == null
                ? null
                : new AskedOwner(
                        at,
                        hears,
                        owner.member(),
                        line,
                        secure,
                        proxy.purges().needs(uri),
                        proxy.share().patience().toNanos());
    }

    @Override
    public Carrier server(AnswerEvents hears) {
        return new AskedServer(at, hears);
    }

    @Override
    public boolean keepsCopy() {
        return ThreadLocalRandom.current().nextInt(100) < proxy.share().copiesPercent();
    }
}
