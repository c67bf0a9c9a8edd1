package dev.komainu.central.recording;

import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The services of a recording without which one service cannot be judged: the service itself, its
 * names at other probes, its origin side, and the servers that its settings name. Belongs to one
 * thread.
 */
final class RelatedServices {

    private final String service;
    private final Map<String, ServiceSighting> sightings = new LinkedHashMap<>();
    private final Map<String, Set<String>> sources = new HashMap<>();

    RelatedServices(String service) {
        this.service = service;
    }

    /** Notes the names in an event; every event before {@link #ids} and {@link #sources}. */
    void note(RecordedEvent event) {
        if (event instanceof Accepted accepted) {
            String source = accepted.batch().id().source();
            for (TelemetryRecord record : accepted.batch().records()) {
                if (record instanceof ServiceSighting sighting) {
                    sightings.put(sighting.service(), sighting);
                    note(source, sighting.service());
                } else if (record instanceof ServiceWindow window) {
                    note(source, window.service());
                }
            }
        }
    }

    private void note(String source, String id) {
        sources.computeIfAbsent(id, each -> new LinkedHashSet<>()).add(source);
    }

    /** Returns the sources that report one of the services. */
    Set<String> sources() {
        Set<String> all = new LinkedHashSet<>();
        ids().forEach(id -> all.addAll(sources.getOrDefault(id, Set.of())));
        return all;
    }

    /** Returns the ids, as the sources of the recording know them. */
    Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>(Set.of(service));
        Set<Endpoint> addresses = new HashSet<>();
        Set<String> named = new HashSet<>();
        boolean found = true;
        while (found) {
            for (String id : Set.copyOf(ids)) {
                ServiceSighting sighting = sightings.get(id);
                if (sighting != null) {
                    addresses.addAll(sighting.addresses());
                    sighting.settings().stream().map(Setting::value).forEach(named::add);
                }
            }
            found = false;
            for (ServiceSighting each : sightings.values()) {
                if (!ids.contains(each.service()) && isRelated(each, ids, addresses, named)) {
                    found |= ids.add(each.service());
                }
            }
        }
        // A probe that only captures knows a server by its address, and may report no sighting.
        addresses.stream()
                .filter(each -> !isLoopback(each))
                .forEach(each -> ids.add(each.toString()));
        return ids;
    }

    private static boolean isRelated(
            ServiceSighting other, Set<String> ids, Set<Endpoint> addresses, Set<String> named) {
        String proxy = other.originSideOf();
        return (proxy != null && ids.contains(proxy))
                || other.addresses().stream()
                        .anyMatch(each -> !isLoopback(each) && addresses.contains(each))
                || other.addresses().stream()
                        .map(Objects::toString)
                        .anyMatch(each -> named.stream().anyMatch(value -> names(value, each)));
    }

    private static boolean isLoopback(Endpoint endpoint) {
        return endpoint.address().isLoopbackAddress();
    }

    /** Reports whether a setting's value names an address, and not only one that begins with it. */
    private static boolean names(String value, String address) {
        int end = value.indexOf(address) + address.length();
        return end >= address.length()
                && (end == value.length() || !Character.isDigit(value.charAt(end)));
    }
}
