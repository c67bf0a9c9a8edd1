package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServerLimits;
import org.jspecify.annotations.Nullable;

/**
 * Everything a formula may look at: one service's ring, its node's, what is usual for it, what it
 * is set to.
 */
record FormulaInputs(
        String service,
        ServiceRing ring,
        @Nullable ServiceRing originSide,
        @Nullable HostRing host,
        Baseline baseline,
        ServerLimits limits) {

    /**
     * What a proxy fetches, as its origin side's packets show it; {@code NaN} where no such side is
     * watched.
     */
    double origin(PacketColumn column, long end, int over) {
        return originSide == null ? Double.NaN : originSide.mean(column, end, over);
    }

    /** T_r of what a proxy fetches, as its origin side's packets show it. */
    double originResponseMillis(int percentile, long end, int over) {
        return originSide == null ? Double.NaN : originSide.responseMillis(percentile, end, over);
    }

    double packets(PacketColumn column, long end, int over) {
        return ring.mean(column, end, over);
    }

    double proxy(ProxyColumn column, long end, int over) {
        return ring.mean(column, end, over);
    }

    /**
     * Whether the monitor lost packets in the window, on either side of a proxy: figures from
     * packets are too low then.
     */
    boolean isUnderLoss(long end, int over) {
        return ring.max(PacketColumn.UNDER_LOSS, end, over) > 0
                || originSide != null && originSide.max(PacketColumn.UNDER_LOSS, end, over) > 0;
    }

    /**
     * Our proxy knows its own requests better than its packets do; others are known by packets
     * only.
     */
    double either(ProxyColumn own, PacketColumn seen, long end, int over) {
        double known = ring.mean(own, end, over);
        return Double.isNaN(known) ? ring.mean(seen, end, over) : known;
    }

    /** Packets first: they also see what waits before the proxy has accepted it. */
    double seenElseOwn(PacketColumn seen, ProxyColumn own, long end, int over) {
        double known = ring.mean(seen, end, over);
        return Double.isNaN(known) ? ring.mean(own, end, over) : known;
    }

    double host(HostColumn column, long end, int over) {
        return host == null ? Double.NaN : host.mean(column, end, over);
    }

    double server(ServerColumn column, long end, int over) {
        return host == null ? Double.NaN : host.mean(service, column, end, over);
    }

    double serverMax(ServerColumn column, long end, int over) {
        return host == null ? Double.NaN : host.max(service, column, end, over);
    }
}
