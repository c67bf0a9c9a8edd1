package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.util.function.LongSupplier;

/**
 * The use of direct memory for connections' buffers, without the cache's memory, against the limit
 * of the process. In bytes.
 */
public final class BufferMemory implements LimitedResource {

    private final LongSupplier usedBytes;
    private final long limitBytes;

    public BufferMemory(LongSupplier usedBytes, long limitBytes) {
        this.usedBytes = usedBytes;
        this.limitBytes = limitBytes;
    }

    @Override
    public CloseReason reason() {
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
