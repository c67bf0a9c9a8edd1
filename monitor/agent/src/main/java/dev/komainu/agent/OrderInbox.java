package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.order.OrderExecutor;
import dev.komainu.agent.order.OrderKey;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where orders come in: open as soon as the key is known whose orders are followed; never without
 * permission.
 */
final class OrderInbox implements AutoCloseable {

    /** Read at boot, after the distribution's and the administrator's own. */
    private static final Path SYSCTL_FILE = Path.of("/etc/sysctl.d/90-komainu.conf");

    private final AgentSettings settings;
    private final RecordSink sink;
    private final Supplier<List<DiscoveredServer>> look;
    private final TaskProblems troubles;
    private final AtomicLong notTaken = new AtomicLong();
    private volatile @Nullable OrderExecutor orders;

    OrderInbox(
            AgentSettings settings,
            RecordSink sink,
            Supplier<List<DiscoveredServer>> look,
            TaskProblems troubles) {
        this.settings = settings;
        this.sink = sink;
        this.look = look;
        this.troubles = troubles;
    }

    /** Opens if it may and has not yet; called now and then by the agent's thread. */
    void open() {
        URI central = settings.centralUrl();
        if (!settings.changes().allowed() || orders != null || central == null) {
            return;
        }
        try {
            PublicKey key = settings.changes().key();
            if (key == null) {
                key = new OrderKey(
                                settings.data().resolve("order-key"), central, settings.tokenFile())
                        .find();
            }
            orders = new OrderExecutor(
                    key,
                    settings.node(),
                    settings.data().resolve("orders"),
                    SYSCTL_FILE,
                    sink,
                    look);
            troubles.clear("orders");
        } catch (IOException e) {
            troubles.set(
                    "orders",
                    "no-order-key",
                    "Changes are allowed, but whose is not known: " + e.getMessage(),
                    null);
        }
    }

    /** Any thread; returns at once. */
    void take(List<String> signed) {
        OrderExecutor open = orders;
        if (open == null) {
            notTaken.addAndGet(signed.size());
        } else {
            open.submit(signed);
        }
    }

    /** The key whose orders are followed; null while none are. */
    @Nullable
    String keyText() {
        OrderExecutor open = orders;
        return open == null ? null : open.keyText();
    }

    List<SourceStatus.Drops> drops() {
        OrderExecutor open = orders;
        if (open != null) {
            return open.drops();
        }
        long count = notTaken.get();
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
