package dev.komainu.proxy;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.access.DialGuard;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.upstream.AddressResolver;
import dev.komainu.intermediary.upstream.HealthRegistry;
import dev.komainu.intermediary.upstream.KnownServers;
import dev.komainu.proxy.route.RouteTable;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The origin servers: their addresses, their health, and the addresses to which connections are
 * allowed.
 */
final class UpstreamComponent implements Component<ProxySettings> {

    private final boolean forward;
    private final DialGuard guard;
    private final KnownServers servers;

    UpstreamComponent(ProxySettings settings) {
        forward = settings.isForward();
        guard = new DialGuard(dialExceptions(settings));
        servers = new KnownServers(
                new AddressResolver(guard, settings.upstream().dns()),
                new HealthRegistry(settings.upstream().health()));
        registerOrigins(settings);
    }

    private static AccessList dialExceptions(ProxySettings settings) {
        return settings.isForward() ? settings.dialExceptions() : AccessList.ALL;
    }

    private void registerOrigins(ProxySettings settings) {
        servers.health()
                .setOrigins(
                        settings.routes().stream().map(RouteTable.Route::origin).toList());
    }

    KnownServers servers() {
        return servers;
    }

    /** Excludes the proxy's own listeners from connections of a forward proxy. */
    void protect(List<InetSocketAddress> listeners) {
        if (forward) {
            guard.setOwnListeners(listeners);
        }
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        ProxySettings next = change.next();
        guard.setExceptions(dialExceptions(next));
        servers.addresses().reload(next.upstream().dns());
        servers.health().reload(next.upstream().health());
        registerOrigins(next);
    }
}
