package dev.komainu.intermediary.upstream;

/** One request's search for a connection: which servers of its origin were tried already. */
final class PoolAcquisition {

    final Origin origin;
    final OriginListener events;
    private long tried;

    PoolAcquisition(Origin origin, OriginListener events) {
        this.origin = origin;
        this.events = events;
    }

    boolean tried(int server) {
        return (tried & 1L << server) != 0;
    }

    void tries(UpstreamServer server) {
        tried |= 1L << origin.servers().indexOf(server);
    }

    /** Whether a server is left that was not tried. */
    boolean hasMore() {
        return Long.bitCount(tried) < origin.servers().size();
    }
}
