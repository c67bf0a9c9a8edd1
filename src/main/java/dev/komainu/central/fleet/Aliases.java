package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services by address. A probe at a mirror port knows only {@code ADDRESS:PORT}; the agent
 * beside the server names it {@code NODE:PORT}; both mean one server. A loopback or link-local
 * address means the server of the node that observed it, never a server of another node. Guarded by
 * {@link Fleet}.
 */
final class Aliases {

    /** Addresses, and other ids, that a service of a full fleet may have on average. */
    private static final int PER_SERVICE = 16;

    private final int most;
    private final Map<String, String> byAddress = new HashMap<>();
    private final Map<String, String> byId = new HashMap<>();

    /**
     * Creates an empty list.
     *
     * @param mostServices services of the fleet; the addresses and the other ids are limited to
     *     {@value #PER_SERVICE} times as many each
     */
    Aliases(int mostServices) {
        most = mostServices * PER_SERVICE;
    }

    /** Returns the canonical id, or the same id when no better one is known. */
    String canonical(String id, @Nullable String node) {
        String known = byId.get(id);
        if (known != null) {
            return known;
        }
        String proxy = OriginSide.proxyOf(id);
        if (proxy != null) {
            return OriginSide.of(canonical(proxy, node));
        }
        Endpoint endpoint = endpoint(id);
        return endpoint == null ? id : byAddress.getOrDefault(key(endpoint, node), id);
    }

    @Nullable
    String owner(Endpoint address, @Nullable String node) {
        return byAddress.get(key(address, node));
    }

    void learn(String canonical, Iterable<Endpoint> addresses, @Nullable String node) {
        for (Endpoint address : addresses) {
            String key = key(address, node);
            if (byAddress.size() < most || byAddress.containsKey(key)) {
                byAddress.put(key, canonical);
            }
        }
    }

    /**
     * Removes addresses that the service no longer has, unless another service has them already.
     */
    void unlearn(String canonical, Iterable<Endpoint> addresses, @Nullable String node) {
        for (Endpoint address : addresses) {
            byAddress.remove(key(address, node), canonical);
        }
    }

    /**
     * Returns other ids and addresses of this service; not its loopback addresses, which mean
     * another service on another node.
     */
    Set<String> namesOf(String canonical) {
        Set<String> names = new HashSet<>();
        String proxy = OriginSide.proxyOf(canonical);
        if (proxy != null) {
            namesOf(proxy).forEach(name -> names.add(OriginSide.of(name)));
        }
        byId.forEach((alias, id) -> {
            if (id.equals(canonical)) {
                names.add(alias);
            }
        });
        byAddress.forEach((address, id) -> {
            if (id.equals(canonical) && address.indexOf('|') < 0) {
                names.add(address);
            }
        });
        return names;
    }

    /** Adds another id of a service, as one source uses it. */
    void alias(String id, String canonical) {
        if (!id.equals(canonical) && (byId.size() < most || byId.containsKey(id))) {
            byId.put(id, canonical);
        }
    }

    void rename(String from, String to) {
        if (byId.size() < most) {
            byId.put(from, to);
        }
        byAddress.replaceAll((address, id) -> id.equals(from) ? to : id);
        byId.replaceAll((alias, id) -> id.equals(from) ? to : id);
    }

    void forget(String canonical) {
        byAddress.values().removeIf(canonical::equals);
        byId.values().removeIf(canonical::equals);
    }

    /**
     * Reports whether an id may be an address: most ids are {@code NODE:PORT}, and the exception
     * for each of their windows took more time than all else about them.
     */
    private static boolean mayBeEndpoint(String id) {
        int colon = id.lastIndexOf(':');
        if (id.indexOf(':') < colon) {
            return true;
        }
        for (int i = 0; i < colon; i++) {
            char c = id.charAt(i);
            if (c < 0x80 && c != '.' && (c < '0' || c > '9')) {
                return false;
            }
        }
        return colon > 0;
    }

    private static String key(Endpoint address, @Nullable String node) {
        boolean own =
                address.address().isLoopbackAddress() || address.address().isLinkLocalAddress();
        return own ? node + "|" + address : address.toString();
    }

    static @Nullable Endpoint endpoint(String id) {
        if (!mayBeEndpoint(id)) {
            return null;
        }
        try {
            return Endpoint.parse(id);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
