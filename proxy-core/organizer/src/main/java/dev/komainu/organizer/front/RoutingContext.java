package dev.komainu.organizer.front;

import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a front goes by when it asks: all of it safe for threads.
 *
 * @param self this member
 * @param cluster its name
 * @param table as of now; asked once for each request
 * @param outlooks what is expected of members; told what becomes of requests
 * @param servers of this member, by prefix; told what becomes of requests
 */
public record RoutingContext(
        MemberId self,
        String cluster,
        Supplier<ClusterRouteTable> table,
        MemberForecasts outlooks,
        Function<UrlPrefix, @Nullable LocalServer> servers) {

    /** The table as of now. */
    ClusterRouteTable tableNow() {
        return table.get();
    }

    /** This member's server of a prefix; absent: it has none. */
    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.apply(prefix);
    }

    /**
     * The head of an answer that is no server's (RFC 9209). @param member whose server, or which
     * organizer, could not
     */
    Http2Headers refusal(GatewayError why, String member) {
        return new DefaultHttp2Headers(false, 8)
                .status(Integer.toString(why.status()))
                .add(
                        "proxy-status",
                        self + "." + cluster + ".organizer; error=" + why.error() + "; next-hop=\""
                                + member + "\"; details=\"" + why.text() + "\"")
                .add("cache-control", "no-store")
                .add(HeadConversion.LENGTH, "0")
                .add(HeadConversion.REFUSAL, why.text());
    }
}
