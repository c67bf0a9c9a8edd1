package dev.komainu.organizer.front;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.Outlooks;
import dev.komainu.organizer.route.RouteTable;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
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
public record Routing(
        MemberId self,
        String cluster,
        Supplier<RouteTable> table,
        Outlooks outlooks,
        Function<UrlPrefix, @Nullable LocalServer> servers) {}
