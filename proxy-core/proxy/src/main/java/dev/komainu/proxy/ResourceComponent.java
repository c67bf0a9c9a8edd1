package dev.komainu.proxy;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.connection.BufferBudgetUse;
import dev.komainu.proxy.connection.BufferMemory;
import dev.komainu.proxy.connection.ClientConnectionUse;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.connection.Descriptors;
import dev.komainu.proxy.connection.LimitedResource;
import dev.komainu.proxy.connection.OriginPorts;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.connection.ResourceMonitor;
import dev.komainu.proxy.connection.SocketMemory;
import dev.komainu.proxy.deliver.ReadAhead;
import io.netty.util.internal.PlatformDependent;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limited resources: connections, socket buffers, bytes read ahead; and the monitor that closes
 * idle connections.
 */
final class ResourceComponent implements Component<ProxySettings> {

    private final ConnectionLimits limits;
    private final ReadAhead readAhead;
    private final MemoryCache memory;
    private final PolicyComponent policy;
    private final EventLoopComponent loops;
    private @Nullable ResourceMonitor monitor;

    ResourceComponent(
            ProxySettings settings,
            MemoryCache memory,
            PolicyComponent policy,
            EventLoopComponent loops) {
        this.memory = memory;
        this.policy = policy;
        this.loops = loops;
        ClientCounts clients = new ClientCounts(settings.connections());
        limits = new ConnectionLimits(
                clients,
                new Reclamation(settings.reclaim(), clients),
                new BufferBudget(settings.buffers()));
        readAhead = new ReadAhead(settings.deliver().readAheadBytes());
        clients.onRoom(limits.reclamation()::placeIsFree);
    }

    ConnectionLimits limits() {
        return limits;
    }

    ReadAhead readAhead() {
        return readAhead;
    }

    @Override
    public void open() {
        ResourceMonitor opened = new ResourceMonitor(
                limits.reclamation(),
                resources(loops.acceptor()),
                () -> policy.policy().connections().idleTimeout().toNanos());
        monitor = opened;
        opened.start();
        limits.buffers().start();
    }

    private List<LimitedResource> resources(Acceptor acceptor) {
        LongSupplier connections = () -> limits.clients().open()
                + acceptor.contexts().stream()
                        .mapToLong(context -> context.origins().openConnections())
                        .sum();
        long direct = PlatformDependent.estimateMaxDirectMemory();
        return List.of(
                new ClientConnectionUse(limits.clients()),
                new Descriptors(connections),
                new SocketMemory(),
                new OriginPorts(() -> acceptor.contexts().stream()
                        .mapToLong(context -> context.origins().maxOpenPerServer())
                        .sum()),
                // Where Netty's buffers and the cache's slabs share one limit, the slabs are not
                // available for buffers.
                new BufferMemory(
                        acceptor::bufferBytes,
                        PlatformDependent.useDirectBufferNoCleaner()
                                ? direct
                                : Math.max(1, direct - memory.memory().capacity())),
                new BufferBudgetUse(limits.buffers()));
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        ProxySettings next = change.next();
        limits.clients().setLimits(next.connections());
        limits.reclamation().apply(next.reclaim());
        limits.buffers().reload(next.buffers());
        readAhead.budget(next.deliver().readAheadBytes());
    }

    @Override
    public void close() {
        limits.buffers().close();
        Objects.requireNonNull(monitor).close();
    }
}
