package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers of this host, found by a new scan at each request. Used by the orders' thread;
 * discovery runs on its own thread.
 */
final class DiscoveredServers {

    private static final int CONNECT_MILLIS = 500;
    private static final int ATTEMPTS = 20;
    private static final long PAUSE_MILLIS = 250;

    private final Supplier<List<DiscoveredServer>> rescan;

    /**
     * Creates a lookup.
     *
     * @param rescan reads every configuration again; may take seconds
     */
    DiscoveredServers(Supplier<List<DiscoveredServer>> rescan) {
        this.rescan = rescan;
    }

    /** Scans again and returns the server; null when no such server listens. */
    @Nullable
    DiscoveredServer find(String service) {
        return rescan.get().stream()
                .filter(server -> server.service().equals(service))
                .findFirst()
                .orElse(null);
    }

    static @Nullable Setting setting(DiscoveredServer server, String name) {
        return server.settings().stream()
                .filter(setting -> setting.name().equalsIgnoreCase(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the setting when it has the requested value, or after some seconds in any case; null
     * when it is gone.
     */
    @Nullable
    Setting settingAfter(DiscoveredServer before, String name, @Nullable String requested) {
        Setting found = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            DiscoveredServer now = find(before.service());
            found = now == null ? null : setting(now, name);
            if (found != null && (requested == null || Objects.equals(found.value(), requested))) {
                return found;
            }
            if (found != null && found.source().indexOf('(') > 0) {
                // Written, but another value is in force: the source has the reason.
                return found;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return found;
            }
        }
        return found;
    }

    /** Reports whether one of the server's addresses accepts connections now. */
    boolean listens(DiscoveredServer server) {
        return server.addresses().stream().anyMatch(address -> {
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(address.address(), address.port()), CONNECT_MILLIS);
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }
}
