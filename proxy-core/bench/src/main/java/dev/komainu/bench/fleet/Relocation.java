package dev.komainu.bench.fleet;

import dev.komainu.bench.fleet.RecordedLines.Line;
import dev.komainu.telemetry.record.Endpoint;
import java.net.Inet6Address;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A change of the recorded names, addresses and times, so that a recorded service appears on a host
 * of its own, now. Everything else stays as it was recorded.
 *
 * <ul>
 *   <li>The host of the service becomes {@code host}, every other host {@code host-NAME}; with them
 *       ids of services and names of sources.
 *   <li>Each network (the first two bytes of an IPv4 address) of the reported servers becomes
 *       {@code 10.N}; an IPv6 address becomes one of {@code fd00:N::}. Loopback stays.
 *   <li>Instants move by {@code shiftMicros}. A whole number of this size is an instant: no count
 *       and no duration of a record is as large.
 * </ul>
 */
final class Relocation {

    /** 9 September 2001, in microseconds since the epoch. */
    private static final long FIRST_INSTANT = 1_000_000_000_000_000L;

    /** The host of a service that is known by its traffic only. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[.*]");

    private final Map<String, String> hosts = new LinkedHashMap<>();
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final Pattern host;
    private final Pattern address;
    private final long shiftMicros;

    /**
     * Creates a relocation.
     *
     * @param service recorded id of the service
     * @param host new name of its host
     * @param network first free second byte of the new addresses
     * @param shiftMicros whole seconds, so that windows still begin with a second
     */
    Relocation(RecordedLines recorded, String service, String host, int network, long shiftMicros) {
        this.shiftMicros = shiftMicros;
        String recordedHost = service.substring(0, service.lastIndexOf(':'));
        if (!ADDRESS.matcher(recordedHost).matches()) {
            hosts.put(recordedHost, host);
        }
        Set<String> networks = new LinkedHashSet<>();
        Set<String> sixes = new LinkedHashSet<>();
        for (Line line : recorded.lines()) {
            JsonNode node = line.record().path("node");
            if (node.isString()) {
                hosts.computeIfAbsent(node.asString(), name -> host + "-" + name);
            }
            for (JsonNode each : line.record().path("addresses")) {
                Endpoint endpoint = Endpoint.parse(each.asString());
                if (endpoint.address().isLoopbackAddress()) {
                    continue;
                }
                String text = each.asString().substring(0, each.asString().lastIndexOf(':'));
                if (endpoint.address() instanceof Inet6Address) {
                    sixes.add(text);
                } else {
                    networks.add(text.substring(0, text.indexOf('.', text.indexOf('.') + 1) + 1));
                }
            }
        }
        networks.forEach(each -> addresses.put(each, "10." + (network + addresses.size()) + "."));
        sixes.forEach(each -> addresses.put(
                each, "[fd00:" + network + "::" + Integer.toHexString(1 + addresses.size()) + "]"));
        // The name of a source is KIND@HOST or KIND@SERVICE, the id of a service HOST:PORT.
        this.host = Pattern.compile("(?<=^|@)" + anyOf(hosts.keySet()) + "(?=$|:)");
        address = Pattern.compile("(?<![0-9.])" + anyOf(addresses.keySet()));
    }

    private static String anyOf(Set<String> words) {
        return words.isEmpty()
                ? "(?!)"
                : words.stream().map(Pattern::quote).collect(Collectors.joining("|", "(?:", ")"));
    }

    /** Returns the number of networks, which is the distance to the next relocation's. */
    int networks() {
        return Math.max(1, addresses.size());
    }

    /** Returns the new form of a host's, service's or source's name, or of an address. */
    String name(String recorded) {
        return address.matcher(host.matcher(recorded)
                        .replaceFirst(found -> Matcher.quoteReplacement(hosts.get(found.group()))))
                .replaceAll(found -> Matcher.quoteReplacement(addresses.get(found.group())));
    }

    /** Returns the new form of an instant. */
    long instant(long micros) {
        return micros + shiftMicros;
    }

    /** Returns a record with new names, addresses and instants. */
    JsonNode record(JsonNode recorded) {
        JsonNodeFactory made = JsonNodeFactory.instance;
        if (recorded instanceof ObjectNode object) {
            ObjectNode copy = made.objectNode();
            object.properties().forEach(each -> copy.set(each.getKey(), record(each.getValue())));
            return copy;
        }
        if (recorded instanceof ArrayNode array) {
            ArrayNode copy = made.arrayNode();
            array.forEach(each -> copy.add(record(each)));
            return copy;
        }
        if (recorded.isString()) {
            return made.stringNode(name(recorded.asString()));
        }
        if (recorded.isIntegralNumber() && recorded.asLong() >= FIRST_INSTANT) {
            return made.numberNode(instant(recorded.asLong()));
        }
        return recorded;
    }
}
