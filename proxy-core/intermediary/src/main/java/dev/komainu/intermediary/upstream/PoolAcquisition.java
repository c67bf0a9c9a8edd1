package dev.komainu.intermediary.upstream;

/** One request's search for a connection, with the servers already tried. */
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

    /** Reports whether a server has not been tried yet. */
    boolean hasMore() {
        return Long.bitCount(tried) < origin.servers().size();
    }
}
