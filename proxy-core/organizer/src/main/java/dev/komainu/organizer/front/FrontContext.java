package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.tunnel.TunnelKinds;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all event loops of a front share. Safe for threads.
 *
 * @param tls null: lines in the clear
 * @param here the proxy of this process, where it answers itself; null without one
 * @param asks whether anybody asks here: then lines are opened before they are needed
 */
record FrontContext(
        FrontSettings settings,
        RoutingContext routing,
        Prefetch prefetch,
        FrontCounts counts,
        TunnelKinds kinds,
        @Nullable LineTls tls,
        @Nullable StreamAcceptor here,
        BooleanSupplier asks) {}
