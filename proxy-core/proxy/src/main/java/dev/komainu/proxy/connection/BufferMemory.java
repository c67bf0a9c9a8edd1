package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.util.function.LongSupplier;

/**
 * Direct memory in connections' buffers, beside what the cache holds, against what the process may
 * have of it. In bytes.
 */
public final class BufferMemory implements LimitedResource {

    private final LongSupplier usedBytes;
    private final long limitBytes;

    public BufferMemory(LongSupplier usedBytes, long limitBytes) {
        this.usedBytes = usedBytes;
        this.limitBytes = limitBytes;
    }

    @Override
    public CloseReason ending() {
        return CloseReason.BUFFERS;
    }

    @Override
    public boolean countsConnections() {
        return false;
    }

    @Override
    public ResourceUse read() {
        return new ResourceUse(usedBytes.getAsLong(), limitBytes);
    }
}
