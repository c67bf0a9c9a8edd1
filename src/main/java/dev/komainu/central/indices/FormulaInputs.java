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

    /** Connections in the accept queue that are more than a burst of arrivals. */
    private static final double LEAST_UNACCEPTED = 8;

    /** Responses per connection below which connections are not served as they arrive. */
    private static final double SERVED_SHARE = 0.8;

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

    /**
     * Returns the requests in progress: as counted, or by Little's law where they cannot be
     * counted. Within TLS, a request of HTTP/2 is recognized only when its response begins, so that
     * none is ever in progress.
     */
    double inProgress(long end, int over) {
        double counted = packetsElseOwn(PacketColumn.PROCESSING, ProxyColumn.IN_FLIGHT, end, over);
        if (counted != 0) {
            return counted;
        }
        double explained =
                packets(PacketColumn.RESPONSES, end, over) * responseMillis(end, over) / 1_000;
        return explained > 0 ? explained : 0;
    }

    /**
     * Returns the connections that wait for accept() and are not served: a queue, while fewer
     * responses are sent than connections arrive. 0 without such a queue. In clear text their
     * requests are counted; within TLS they cannot be seen yet.
     */
    double unacceptedConnections(long end, int over) {
        double queue = server(ServerColumn.ACCEPT_QUEUE, end, over);
        double served = packets(PacketColumn.RESPONSES, end, over)
                / packets(PacketColumn.CONNECTIONS, end, over);
        return queue >= LEAST_UNACCEPTED && served < SERVED_SHARE ? queue : 0;
    }

    /**
     * Returns the median time in milliseconds until a response begins, as a visitor sees it: T_r,
     * or the wait for accept() by Little's law where that is longer.
     */
    double waitMillis(long end, int over) {
        double response = responseMillis(end, over);
        double accept = unacceptedConnections(end, over)
                * 1_000
                / packets(PacketColumn.CONNECTIONS, end, over);
        return accept > 0 && !(response > accept) ? accept : response;
    }

    private double responseMillis(long end, int over) {
        return ring.responseMillis(50, end, over);
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
