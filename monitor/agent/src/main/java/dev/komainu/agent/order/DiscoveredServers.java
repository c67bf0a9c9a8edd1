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
 * The servers of this host as discovery sees them when asked. The orders' thread; discovery answers
 * on its own.
 */
final class DiscoveredServers {

    private static final int CONNECT_MILLIS = 500;
    private static final int LOOKS = 20;
    private static final long PAUSE_MILLIS = 250;

    private final Supplier<List<DiscoveredServer>> look;

    /** @param look reads every configuration again; may take seconds */
    DiscoveredServers(Supplier<List<DiscoveredServer>> look) {
        this.look = look;
    }

    /** Seen anew; null when no such server listens. */
    @Nullable
    DiscoveredServer find(String service) {
        return look.get().stream()
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
     * The setting as it stands once it is the wanted one, or as it stands after some seconds; null
     * when it is gone.
     */
    @Nullable
    Setting settingAfter(DiscoveredServer before, String name, @Nullable String wanted) {
        Setting found = null;
        for (int i = 0; i < LOOKS; i++) {
            DiscoveredServer now = find(before.service());
            found = now == null ? null : setting(now, name);
            if (found != null && (wanted == null || Objects.equals(found.value(), wanted))) {
                return found;
            }
            if (found != null && found.source().indexOf('(') > 0) {
                // Written so, but in force otherwise: the source says why.
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

    /** Whether somebody accepts connections at one of the server's addresses now. */
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
