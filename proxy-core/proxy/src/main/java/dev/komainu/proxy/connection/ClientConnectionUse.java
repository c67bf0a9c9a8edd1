package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;

/** The use of {@code connections.max}. */
public final class ClientConnectionUse implements LimitedResource {

    private final ClientCounts counts;

    public ClientConnectionUse(ClientCounts counts) {
        this.counts = counts;
    }

    @Override
    public CloseReason reason() {
        return CloseReason.CLIENTS;
    }

    @Override
    public boolean countsConnections() {
        return true;
    }

    @Override
    public ResourceUse read() {
        return new ResourceUse(counts.counted(), counts.limit());
    }

    @Override
    public boolean isFreedBy(ConnectionSide side) {
        return side == ConnectionSide.CLIENT || counts.ofBothSides();
    }
}
