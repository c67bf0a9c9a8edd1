package dev.komainu.intermediary.upstream;

/** One request's search for a connection: which servers of its origin were tried already. */
final class PoolAcquisition {

    final Origin origin;
    final OriginListener listener;
    private long tried;

    PoolAcquisition(Origin origin, OriginListener listener) {
        this.origin = origin;
        this.listener = listener;
    }

    boolean tried(int server) {
        return (tried & 1L << server) != 0;
    }

    void markTried(UpstreamServer server) {
        tried |= 1L << origin.servers().indexOf(server);
    }

    /** Whether a server is left that was not tried. */
    boolean hasMore() {
        return Long.bitCount(tried) < origin.servers().size();
    }
}
