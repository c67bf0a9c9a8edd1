package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.tunnel.TunnelKinds;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that all event loops of a front share. Thread-safe.
 *
 * @param tls null: lines without TLS
 * @param proxyAcceptor the embedding proxy, where it answers requests itself; null without one
 * @param acceptsRequests whether clients can send requests here: then lines are opened in advance
 */
record FrontContext(
        FrontSettings settings,
        RoutingContext routing,
        Prefetch prefetch,
        FrontCounts counts,
        TunnelKinds kinds,
        @Nullable LineTls tls,
        @Nullable StreamAcceptor proxyAcceptor,
        BooleanSupplier acceptsRequests) {}
