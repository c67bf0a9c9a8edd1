package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.Ending;
import java.util.function.LongSupplier;

/** Direct memory in connections' buffers, beside what the cache holds, against what the process may have of it. In bytes. */
public final class BufferMemory implements Resource {

    private final LongSupplier usedBytes;
    private final long limitBytes;

    public BufferMemory(LongSupplier usedBytes, long limitBytes) {
        this.usedBytes = usedBytes;
        this.limitBytes = limitBytes;
    }

    @Override
    public Ending ending() {
        return Ending.BUFFERS;
    }

    @Override
    public boolean countsConnections() {
        return false;
    }

    @Override
    public Reading read() {
        return new Reading(usedBytes.getAsLong(), limitBytes);
    }
}
