package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.order.OrderExecutor;
import dev.komainu.agent.order.OrderKey;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.CentralTls;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Inbox of orders: opened as soon as the key of trusted orders is known, never without permission.
 */
final class OrderInbox implements AutoCloseable {

    /**
     * File with the kernel settings, read at boot after the distribution's and the administrator's
     * own.
     */
    private static final Path SYSCTL_FILE = Path.of("/etc/sysctl.d/90-komainu.conf");

    private final AgentSettings settings;
    private final @Nullable PartIdentity identity;
    private final RecordSink sink;
    private final Supplier<List<DiscoveredServer>> servers;
    private final TaskProblems troubles;
    private final AtomicLong rejected = new AtomicLong();
    private volatile @Nullable OrderExecutor orders;

    /**
     * Creates the inbox.
     *
     * @param identity by which the key is retrieved; absent: by the token
     */
    OrderInbox(
            AgentSettings settings,
            @Nullable PartIdentity identity,
            RecordSink sink,
            Supplier<List<DiscoveredServer>> servers,
            TaskProblems troubles) {
        this.settings = settings;
        this.identity = identity;
        this.sink = sink;
        this.servers = servers;
        this.troubles = troubles;
    }

    /**
     * Opens the inbox if that is allowed and has not happened; called now and then by the agent's
     * thread.
     */
    void open() {
        CentralAddresses central = settings.central();
        if (!settings.changes().allowed() || orders != null || central == null) {
            return;
        }
        PublicKey key;
        try {
            key = key(central);
        } catch (IOException e) {
            troubles.set(
                    "orders",
                    "no-order-key",
                    "Changes are allowed, but the key of trusted orders is not known: "
                            + e.getMessage(),
                    null);
            return;
        }
        try {
            orders = new OrderExecutor(
                    key,
                    settings.node(),
                    settings.data().resolve("orders"),
                    SYSCTL_FILE,
                    settings.changes()::permits,
                    sink,
                    servers);
            troubles.clear("orders");
        } catch (IOException e) {
            troubles.set(
                    "orders",
                    "order-journal",
                    "Changes are allowed, but orders cannot be recorded: " + e.getMessage(),
                    null);
        }
    }

    private PublicKey key(CentralAddresses central) throws IOException {
        PublicKey key = settings.changes().key();
        return key != null
                ? key
                : new OrderKey(
                                settings.data().resolve("order-key"),
                                new CentralRoute(central, settings.names().source()),
                                identity == null ? settings.tokenFile() : null,
                                new CentralTls(identity, settings.authorityFile()))
                        .find();
    }

    /** Accepts signed orders. Any thread; returns at once. */
    void accept(List<String> signed) {
        OrderExecutor open = orders;
        if (open == null) {
            rejected.addAndGet(signed.size());
        } else {
            open.submit(signed);
        }
    }

    /** Returns the key of trusted orders; null while none are accepted. */
    @Nullable
    String keyText() {
        OrderExecutor open = orders;
        return open == null ? null : open.keyText();
    }

    /** Returns the newest epoch of an accepted order, 0 for none; null while none are accepted. */
    @Nullable
    Long newestEpoch() {
        OrderExecutor open = orders;
        return open == null ? null : Long.valueOf(open.newestEpoch());
    }

    List<SourceStatus.Drops> drops() {
        OrderExecutor open = orders;
        if (open != null) {
            return open.drops();
        }
        long count = rejected.get();
        return count == 0 ? List.of() : List.of(new SourceStatus.Drops("order-not-allowed", count));
    }

    @Override
    public void close() {
        OrderExecutor open = orders;
        if (open != null) {
            open.close();
        }
    }
}
