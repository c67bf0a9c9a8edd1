package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServerLimits;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a formula: the measurements of one service and of its node, its baseline and its
 * limits.
 */
record FormulaInputs(
        String service,
        ServiceRing ring,
        @Nullable ServiceRing originSide,
        @Nullable HostRing host,
        Baseline baseline,
        ServerLimits limits) {

    /**
     * Returns a figure of a proxy's origin side, from the packets there; {@code NaN} when that side
     * is not watched.
     */
    double origin(PacketColumn column, long end, int over) {
        return originSide == null ? Double.NaN : originSide.mean(column, end, over);
    }

    /**
     * Returns T_r in milliseconds on a proxy's origin side, from the packets there; {@code NaN}
     * when that side is not watched.
     */
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
     * Reports whether the monitor lost packets in the window, on either side of a proxy: figures
     * from packets are too low then.
     */
    boolean isUnderLoss(long end, int over) {
        return ring.max(PacketColumn.UNDER_LOSS, end, over) > 0
                || (originSide != null && originSide.max(PacketColumn.UNDER_LOSS, end, over) > 0);
    }

    /**
     * Returns the proxy's own counter, else the figure from packets. Komainu's proxy counts its
     * requests more exactly than its packets show them; other servers are known from packets only.
     */
    double ownElsePackets(ProxyColumn proxyColumn, PacketColumn packetColumn, long end, int over) {
        double value = ring.mean(proxyColumn, end, over);
        return Double.isNaN(value) ? ring.mean(packetColumn, end, over) : value;
    }

    /**
     * Returns the figure from packets, else the proxy's own counter. Packets also show requests
     * that wait before the proxy accepts them.
     */
    double packetsElseOwn(PacketColumn packetColumn, ProxyColumn proxyColumn, long end, int over) {
        double value = ring.mean(packetColumn, end, over);
        return Double.isNaN(value) ? ring.mean(proxyColumn, end, over) : value;
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
