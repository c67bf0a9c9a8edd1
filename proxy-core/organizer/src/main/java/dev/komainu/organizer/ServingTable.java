package dev.komainu.organizer;

import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.organizer.service.ServedAddresses;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The served prefixes of one configuration, and their servers.
 *
 * @param byAddress HOST:PORT, in the configuration's order
 * @param byPrefix without the prefixes that the embedding proxy caches
 */
record ServingTable(
        List<OrganizerSettings.Serve> serve,
        Map<String, LocalServer> byAddress,
        Map<UrlPrefix, LocalServer> byPrefix) {

    /**
     * Creates a table.
     *
     * @param known existing servers to reuse, by address
     */
    static ServingTable of(List<OrganizerSettings.Serve> serve, Map<String, LocalServer> known) {
        Map<String, LocalServer> byAddress = new LinkedHashMap<>();
        Map<UrlPrefix, LocalServer> byPrefix = new HashMap<>();
        for (OrganizerSettings.Serve entry : serve) {
            if (!entry.isHere()) {
                LocalServer server =
                        byAddress.computeIfAbsent(entry.host() + ":" + entry.port(), address -> {
                            LocalServer existing = known.get(address);
                            return existing == null
                                    ? new LocalServer(entry.host(), entry.port())
                                    : existing;
                        });
                byPrefix.put(entry.route().prefix(), server);
            }
        }
        return new ServingTable(
                serve, Collections.unmodifiableMap(byAddress), Map.copyOf(byPrefix));
    }

    /** Returns the services over TCP: prefixes {@code NAME:PORT/}. */
    ServedAddresses addresses() {
        List<ServedAddresses.Served> all = new ArrayList<>();
        for (OrganizerSettings.Serve entry : serve) {
            String host = entry.route().prefix().host();
            int colon = host.lastIndexOf(':');
            if (colon > host.lastIndexOf(']') && !entry.isHere()) {
                all.add(new ServedAddresses.Served(
                        host.substring(0, colon),
                        Integer.parseInt(host.substring(colon + 1)),
                        entry.host(),
                        entry.port()));
            }
        }
        return new ServedAddresses(List.copyOf(all));
    }
}
