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
 * The routing state of a front. Thread-safe.
 *
 * @param self this member
 * @param cluster name of the cluster
 * @param table supplies the current route table; called once for each request
 * @param forecasts the forecasts of the members; updated with the results of requests
 * @param servers the servers of this member, by prefix; updated with the results of requests
 */
public record RoutingContext(
        MemberId self,
        String cluster,
        Supplier<ClusterRouteTable> table,
        MemberForecasts forecasts,
        Function<UrlPrefix, @Nullable LocalServer> servers) {

    /** Returns the current route table. */
    ClusterRouteTable currentTable() {
        return table.get();
    }

    /** Returns this member's server of a prefix; null: there is none. */
    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.apply(prefix);
    }

    /**
     * Returns the head of a response that is not of a server (RFC 9209).
     *
     * @param member whose server, or which organizer, failed
     */
    Http2Headers refusal(GatewayError error, String member) {
        return new DefaultHttp2Headers(false, 8)
                .status(Integer.toString(error.status()))
                .add(
                        "proxy-status",
                        self + "." + cluster + ".organizer; error=" + error.error()
                                + "; next-hop=\"" + member + "\"; details=\"" + error.text() + "\"")
                .add("cache-control", "no-store")
                .add(HeadConversion.LENGTH, "0")
                .add(HeadConversion.REFUSAL, error.text());
    }
}
