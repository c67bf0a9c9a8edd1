package dev.komainu.central.incident;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies between the watched services, by the origin sides of proxies: a proxy depends on
 * its origin side, and both depend on the services at the addresses behind it. Pure.
 */
public final class ServiceLinks {

    private static final String ORIGIN = "origin:";

    private final Map<String, List<ServiceLink>> byClient = new HashMap<>();

    /**
     * Reads the dependencies from an assessment.
     *
     * @param serviceAt returns the id of the service at an address, seen from a node; null when no
     *     watched service has it
     */
    public static ServiceLinks of(
            List<ServiceAssessment> services,
            BiFunction<String, @Nullable String, @Nullable String> serviceAt) {
        ServiceLinks links = new ServiceLinks();
        for (ServiceAssessment service : services) {
            String side = service.profile().id();
            String proxy = OriginSide.proxyOf(side);
            if (proxy == null) {
                continue;
            }
            links.add(new ServiceLink(proxy, side, Basis.MEASURED));
            List<String> origins = origins(service);
            // The packets of an origin side with several servers do not tell here which of them
            // the proxy asked.
            Basis basis =
                    origins.size() == 1 && isUsed(service) ? Basis.MEASURED : Basis.CONFIGURED;
            for (String address : origins) {
                String server = serviceAt.apply(address, service.profile().node());
                if (server != null && !server.equals(proxy)) {
                    links.add(new ServiceLink(side, server, basis));
                    links.add(new ServiceLink(proxy, server, basis));
                }
            }
        }
        return links;
    }

    private static List<String> origins(ServiceAssessment side) {
        List<String> addresses = new ArrayList<>();
        for (Setting setting : side.profile().settings()) {
            if (setting.name().startsWith(ORIGIN) && setting.value() != null) {
                addresses.add(setting.value());
            }
        }
        return addresses;
    }

    private static boolean isUsed(ServiceAssessment side) {
        ServiceAssessment.Summary summary = side.summary();
        return isPositive(summary.arrivalPerSecond()) || isPositive(summary.concurrent());
    }

    private static boolean isPositive(@Nullable Double figure) {
        return figure != null && figure > 0;
    }

    private void add(ServiceLink link) {
        byClient.computeIfAbsent(link.client(), id -> new ArrayList<>()).add(link);
    }

    private ServiceLinks() {}

    /** Returns every dependency, in order of the clients. */
    public List<ServiceLink> all() {
        return byClient.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(client -> client.getValue().stream())
                .toList();
    }

    /** Returns the dependencies of a service on others. */
    List<ServiceLink> of(String client) {
        return byClient.getOrDefault(client, List.of());
    }

    /** Returns how a dependency is known; null when there is none. */
    @Nullable
    Basis basis(String client, String server) {
        for (ServiceLink link : of(client)) {
            if (link.server().equals(server)) {
                return link.basis();
            }
        }
        return null;
    }
}
