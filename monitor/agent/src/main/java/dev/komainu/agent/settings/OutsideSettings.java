package dev.komainu.agent.settings;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.record.Endpoint;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of data beside the packets of a server: its access log, and the origins of a proxy.
 *
 * @param readsAccessLogs whether logs are read that the servers' configurations name
 * @param accessLogs logs to read in place of those, for the services they name
 * @param proxies proxies and their origins, besides those that configurations name
 */
public record OutsideSettings(
        boolean readsAccessLogs, List<GivenLog> accessLogs, List<GivenProxy> proxies) {

    private static final String ADDRESS = "ADDRESS:PORT, IPv6 in brackets, no host names";

    static final Setting<Boolean> ACCESS_LOG = Setting.truth("access-log", "auto", "off")
            .byDefault("auto")
            .option("--access-log")
            .effect("Whether the access logs that servers' configurations name are read");

    static final Setting<String> ACCESS_LOGS = Setting.text(
                    "access-logs", "list of `service`, `file`, `format`")
            .effect("Access logs to read in place of those that configurations name, whatever "
                    + "`access-log` says");

    static final Setting<List<GivenProxy>> ORIGIN_SIDES = Setting.of(
                    "origin-sides", "ADDRESS:PORT or ADDRESS:PORT=ORIGIN:PORT", GivenProxy::of)
            .option("--origin-side")
            .label("PROXY[=ORIGIN]")
            .words()
            .effect("Proxies whose requests to origins are monitored as a service of their own");

    static final Setting<String> PROXIES = Setting.text("proxies", "list of `client`, `origins`")
            .effect("The same as `origin-sides`, as a list");

    /**
     * A log that was given.
     *
     * @param service id of the service, {@code NODE:PORT}, or its port alone
     * @param format {@code common}, {@code combined}, {@code squid}, or a format in the server's
     *     own variables
     */
    public record GivenLog(String service, Path file, String format) {

        static final Setting<String> SERVICE = Setting.text(
                        "service", "a service's id or port", "(?s).+")
                .byDefaultOf("required")
                .effect("Server that writes the log");

        static final Setting<Path> FILE = Setting.path("file", "the log file")
                .byDefaultOf("required")
                .effect("Path of the log");

        static final Setting<String> FORMAT = Setting.text(
                        "format",
                        "`common`, `combined`, `squid`, or a format in the server's own variables")
                .byDefault("combined")
                .effect("Format of its lines")
                .detail("""
                    See [Access logs](#access-logs).""");

        private static @Nullable GivenLog read(SettingReader reader) {
            reader.require(SERVICE, SERVICE.range());
            reader.require(FILE, FILE.range());
            String service = reader.find(SERVICE);
            Path file = reader.find(FILE);
            String format = reader.get(FORMAT);
            return service == null || file == null ? null : new GivenLog(service, file, format);
        }
    }

    /**
     * A proxy that was given.
     *
     * @param client where clients reach the proxy; its address is also where it asks from
     * @param origins the servers it asks; empty: every one it asks
     */
    public record GivenProxy(Endpoint client, List<Endpoint> origins) {

        static final Setting<Endpoint> CLIENT = endpoint("client")
                .byDefaultOf("required")
                .effect("Address at which clients reach the proxy; its requests to origins come "
                        + "from the same address");

        static final Setting<List<Endpoint>> ORIGINS = endpoint("origins")
                .words()
                .effect(
                        "Servers to which the proxy sends requests; without any, every such server");

        public GivenProxy {
            origins = List.copyOf(origins);
        }

        private static @Nullable GivenProxy read(SettingReader reader) {
            reader.require(CLIENT, CLIENT.range());
            Endpoint client = reader.find(CLIENT);
            List<Endpoint> origins = reader.get(ORIGINS, List.of());
            return client == null ? null : new GivenProxy(client, origins);
        }

        /** @param text {@code PROXY} or {@code PROXY=ORIGIN} */
        private static GivenProxy of(String text) {
            int equals = text.indexOf('=');
            return equals < 0
                    ? new GivenProxy(parsed(text), List.of())
                    : new GivenProxy(
                            parsed(text.substring(0, equals)),
                            List.of(parsed(text.substring(equals + 1))));
        }
    }

    public OutsideSettings {
        accessLogs = List.copyOf(accessLogs);
        proxies = List.copyOf(proxies);
    }

    static OutsideSettings read(SettingReader reader) {
        boolean readsAccessLogs = reader.get(ACCESS_LOG);
        List<GivenLog> logs = reader.members(ACCESS_LOGS, GivenLog::read);
        Map<Endpoint, List<Endpoint>> originsOf = new LinkedHashMap<>();
        for (GivenProxy side : reader.get(ORIGIN_SIDES, List.of())) {
            originsOf
                    .computeIfAbsent(side.client(), client -> new ArrayList<>())
                    .addAll(side.origins());
        }
        List<GivenProxy> proxies = new ArrayList<>();
        originsOf.forEach((client, origins) -> proxies.add(new GivenProxy(client, origins)));
        proxies.addAll(reader.members(PROXIES, GivenProxy::read));
        return new OutsideSettings(readsAccessLogs, logs, proxies);
    }

    /** Declares an address and a port; a name would have to be looked up. */
    static Setting.Draft<Endpoint> endpoint(String key) {
        return Setting.of(key, ADDRESS, OutsideSettings::parsed).label("ADDRESS:PORT");
    }

    private static Endpoint parsed(String text) {
        boolean isEveryAddress = text.startsWith(":") || text.startsWith("*");
        try {
            if (!isEveryAddress) {
                InetSocketAddress address = SettingGrammar.address(text);
                return new Endpoint(address.getAddress(), address.getPort());
            }
        } catch (IllegalArgumentException e) {
            throw SettingGrammar.wrong(text, ADDRESS);
        }
        throw SettingGrammar.wrong(text, ADDRESS);
    }
}
