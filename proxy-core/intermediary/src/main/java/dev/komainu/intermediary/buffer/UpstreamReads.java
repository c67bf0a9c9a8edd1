package dev.komainu.intermediary.buffer;

import org.jspecify.annotations.Nullable;

/** What is read from an origin for one client's connection at the moment. On its event loop. */
public interface UpstreamReads {

    /** Nothing is. */
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

    /** Absent for what comes from memory. */
    @Nullable
    ReceiveShare receiveShare();

    /** Whether nobody else reads what comes, not even the cache. */
    boolean hasSingleReader();
}
