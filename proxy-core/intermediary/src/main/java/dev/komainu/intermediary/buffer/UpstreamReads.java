package dev.komainu.intermediary.buffer;

import org.jspecify.annotations.Nullable;

/** The reads from an origin for one client's connection at the moment. On its event loop. */
public interface UpstreamReads {

    /** No reads. */
    UpstreamReads NONE = new UpstreamReads() {
        @Override
        public @Nullable ReceiveShare receiveShare() {
            return null;
        }

        @Override
        public boolean hasSingleReader() {
            return false;
        }
    };

    /** Returns the share of the origin's connection; absent when the response comes from memory. */
    @Nullable
    ReceiveShare receiveShare();

    /**
     * Reports whether the client is the only reader: neither another client nor the cache reads the
     * bytes.
     */
    boolean hasSingleReader();
}
