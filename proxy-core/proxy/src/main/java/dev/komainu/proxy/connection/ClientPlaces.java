package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.Ending;
import dev.komainu.intermediary.connection.Side;

/** Connections against {@code connections.max}. */
public final class ClientPlaces implements Resource {

    private final ClientCounts counts;

    public ClientPlaces(ClientCounts counts) {
        this.counts = counts;
    }

    @Override
    public Ending ending() {
        return Ending.CLIENTS;
    }

    @Override
    public boolean countsConnections() {
        return true;
    }

    @Override
    public Reading read() {
        return new Reading(counts.taken(), counts.most());
    }

    @Override
    public boolean isFreedBy(Side side) {
        return side == Side.CLIENT || counts.ofBothSides();
    }
}
