package dev.komainu.agent.settings;

import dev.komainu.telemetry.record.Endpoint;
import java.nio.file.Path;
import java.util.List;

/**
 * What stands beside the packets of a server: its access log, and for a proxy what it asks of others.
 *
 * @param readsAccessLogs whether logs are read that the servers' configurations name
 * @param accessLogs logs to read in place of those, for the services they name
 * @param proxies proxies and their origins, besides those that configurations name
 */
public record OutsideSettings(boolean readsAccessLogs, List<GivenLog> accessLogs, List<GivenProxy> proxies) {

    public static final OutsideSettings DEFAULT = new OutsideSettings(true, List.of(), List.of());

    /**
     * @param service id of the service, {@code NODE:PORT}, or its port alone
     * @param format {@code common}, {@code combined}, {@code squid}, or a format in the server's own variables
     */
    public record GivenLog(String service, Path file, String format) {}

    /**
     * @param client where clients reach the proxy; its address is also where it asks from
     * @param origins whom it asks; empty: everybody
     */
    public record GivenProxy(Endpoint client, List<Endpoint> origins) {
        public GivenProxy {
            origins = List.copyOf(origins);
        }
    }

    public OutsideSettings {
        accessLogs = List.copyOf(accessLogs);
        proxies = List.copyOf(proxies);
    }
}
