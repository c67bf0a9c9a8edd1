package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.upstream.HealthRegistry;
import dev.komainu.proxy.control.SquidPages;
import dev.komainu.proxy.report.SelfReport;
import dev.komainu.proxy.report.WindowReport;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.telemetry.record.Endpoint;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The figures of each second, and the reports to the central service. */
final class ProxyReportComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private final String service;
    private final ExchangeLog exchanges;
    private final EventLoopComponent loops;
    private final HealthRegistry health;
    private final ReloadCounts reloads;
    private final SquidPages pages;
    private final Supplier<Map<String, Long>> drops;
    private @Nullable SelfReport self;
    private @Nullable WindowReport windows;

    /**
     * Creates the component.
     *
     * @param drops supplies the records that were not delivered to the central service, by reason
     */
    ProxyReportComponent(
            ProxySettings settings,
            String service,
            ExchangeLog exchanges,
            EventLoopComponent loops,
            HealthRegistry health,
            ReloadCounts reloads,
            SquidPages pages,
            Supplier<Map<String, Long>> drops) {
        this.settings = settings;
        this.service = service;
        this.exchanges = exchanges;
        this.loops = loops;
        this.health = health;
        this.reloads = reloads;
        this.pages = pages;
        this.drops = drops;
    }

    WindowReport windows() {
        return Objects.requireNonNull(windows);
    }

    SelfReport self() {
        return Objects.requireNonNull(self);
    }

    @Override
    public void open() {
        self = new SelfReport(
                service,
                settings.node(),
                loops.acceptor().addresses().stream()
                        .flatMap(address -> addresses(address).stream())
                        .toList(),
                tuned(settings),
                drops,
                exchanges.sink());
        windows = new WindowReport(
                loops.services(),
                loops.limits(),
                health,
                reloads,
                loops.contexts(),
                this::everySecond);
        windows.start();
    }

    private void everySecond() {
        pages.add(windows().latest());
        self().run();
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        exchanges.limit(change.next().exchangesPerSecond());
        self().setTuning(tuned(change.next()));
    }

    @Override
    public void close() {
        windows().close();
    }

    /**
     * Returns the addresses at which a listener is reached: for a wildcard address, every address
     * of this host.
     */
    private static List<Endpoint> addresses(InetSocketAddress bound) {
        if (!bound.getAddress().isAnyLocalAddress()) {
            return List.of(new Endpoint(bound.getAddress(), bound.getPort()));
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(address -> new Endpoint(address, bound.getPort()))
                    .toList();
        } catch (SocketException e) {
            return List.of(new Endpoint(bound.getAddress(), bound.getPort()));
        }
    }

    private static Map<String, String> tuned(ProxySettings settings) {
        return Map.of(
                "mode", settings.isForward() ? "forward" : "reverse",
                "workers", Integer.toString(settings.workers()),
                "transport", settings.transport().text(),
                "cache.memory", Long.toString(settings.cache().memoryBytes()),
                "connections.max", Integer.toString(settings.connections().maxConnections()),
                "connections.max-per-client",
                        Integer.toString(settings.connections().maxPerClient()),
                "connections.idle-timeout", settings.connections().idleTimeout().toMillis() + "ms",
                "upstream.max-open", Integer.toString(settings.upstream().maxOpen()),
                "upstream.max-idle", Integer.toString(settings.upstream().maxIdle()));
    }
}
