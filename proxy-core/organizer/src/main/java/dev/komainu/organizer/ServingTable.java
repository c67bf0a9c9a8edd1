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
 * What one configuration says that is served, and by whom.
 *
 * @param byAddress HOST:PORT, in the configuration's order
 * @param byPrefix without those that the proxy in this process caches
 */
record ServingTable(
        List<OrganizerSettings.Serve> serve,
        Map<String, LocalServer> byAddress,
        Map<UrlPrefix, LocalServer> byPrefix) {

    /** @param known servers that are taken over, by address */
    static ServingTable of(List<OrganizerSettings.Serve> serve, Map<String, LocalServer> known) {
        Map<String, LocalServer> byAddress = new LinkedHashMap<>();
        Map<UrlPrefix, LocalServer> byPrefix = new HashMap<>();
        for (OrganizerSettings.Serve one : serve) {
            if (!one.isHere()) {
                LocalServer server =
                        byAddress.computeIfAbsent(one.host() + ":" + one.port(), address -> {
                            LocalServer stays = known.get(address);
                            return stays == null ? new LocalServer(one.host(), one.port()) : stays;
                        });
                byPrefix.put(one.route().prefix(), server);
            }
        }
        return new ServingTable(
                serve, Collections.unmodifiableMap(byAddress), Map.copyOf(byPrefix));
    }

    /** What is served by TCP: prefixes {@code NAME:PORT/}. */
    ServedAddresses addresses() {
        List<ServedAddresses.Served> all = new ArrayList<>();
        for (OrganizerSettings.Serve one : serve) {
            String host = one.route().prefix().host();
            int colon = host.lastIndexOf(':');
            if (colon > host.lastIndexOf(']') && !one.isHere()) {
                all.add(new ServedAddresses.Served(
                        host.substring(0, colon),
                        Integer.parseInt(host.substring(colon + 1)),
                        one.host(),
                        one.port()));
            }
        }
        return new ServedAddresses(List.copyOf(all));
    }
}
