package dev.komainu.organizer.service;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An entry: the address for the clients of one service.
 *
 * @param listen the listening address
 * @param service {@code NAME:PORT}, as it is served; for TLS {@code *:PORT}, because the client
 *     sends the name
 * @param dataPorts for FTP: the listening ports of data connections
 */
public record ServiceEntry(
        ServiceProtocol protocol, InetSocketAddress listen, String service, PortRange dataPorts) {

    static final Setting<ServiceProtocol> PROTOCOL =
            Setting.choice("protocol", ServiceProtocol.class).effect("Protocol of the clients");
    static final Setting<InetSocketAddress> LISTEN = Setting.of(
                    "listen", "ADDRESS:PORT", text -> SettingGrammar.address(text, 0))
            .effect("Listening address for the clients");
    static final Setting<String> SERVICE = Setting.of(
                    "service",
                    "NAME:PORT; for `tls` `*:PORT`",
                    text -> text.toLowerCase(Locale.ROOT))
            .effect("Service, as a member serves it under `NAME:PORT/`; TLS clients send the "
                    + "name themselves");
    static final Setting<PortRange> DATA_PORTS = Setting.of(
                    "data-ports", "FIRST-LAST of 1024 to 65535; only for `ftp`", PortRange::parse)
            .byDefault("any free port", () -> PortRange.ANY)
            .effect("Listening ports for passive data connections");

    private static final String NAME = "[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\\[[0-9a-f:.]+]";

    /**
     * Reads a member of {@code services}; null: a mistake was reported that makes the entry
     * unusable.
     */
    public static @Nullable ServiceEntry read(SettingReader reader) {
        ServiceProtocol protocol = reader.find(PROTOCOL);
        InetSocketAddress listen = reader.find(LISTEN);
        String service = reader.find(SERVICE);
        PortRange dataPorts = reader.get(DATA_PORTS);
        reader.require(PROTOCOL, "tcp, tls, ftp or iiop");
        reader.require(LISTEN, "the ADDRESS:PORT for its clients");
        reader.require(SERVICE, "NAME:PORT as a member serves it; for tls *:PORT");
        if (protocol != null && service != null && !isService(protocol, service)) {
            reader.mistake(
                    SERVICE,
                    service,
                    protocol == ServiceProtocol.TLS
                            ? "*:PORT, because TLS clients send the name"
                            : "NAME:PORT as a member serves it");
        }
        if (protocol != null
                && protocol != ServiceProtocol.FTP
                && !dataPorts.equals(PortRange.ANY)) {
            reader.mistake(
                    DATA_PORTS,
                    dataPorts.first() + "-" + dataPorts.last(),
                    "only for protocol ftp");
        }
        return protocol == null || listen == null || service == null
                ? null
                : new ServiceEntry(protocol, listen, service, dataPorts);
    }

    private static boolean isService(ServiceProtocol protocol, String service) {
        int colon = service.lastIndexOf(':');
        String name = colon < 0 ? "" : service.substring(0, colon);
        return (protocol == ServiceProtocol.TLS ? name.equals("*") : name.matches(NAME))
                && isPort(service.substring(colon + 1));
    }

    private static boolean isPort(String text) {
        return text.matches("[0-9]{1,5}")
                && Integer.parseInt(text) >= 1
                && Integer.parseInt(text) <= 65_535;
    }

    /** Returns the port of the service. */
    int port() {
        return Integer.parseInt(service.substring(service.lastIndexOf(':') + 1));
    }

    /** Returns the name of the service. */
    String name() {
        return service.substring(0, service.lastIndexOf(':'));
    }
}
