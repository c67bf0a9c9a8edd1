package dev.komainu.organizer.service;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where clients of a service come in.
 *
 * @param listen where
 * @param service {@code NAME:PORT}, as it is served; of TLS {@code *:PORT}, for the name that the
 *     client names
 * @param dataPorts of FTP: where its data connections are taken
 */
public record ServiceEntry(
        ServiceProtocol protocol, InetSocketAddress listen, String service, PortRange dataPorts) {

    static final Setting<ServiceProtocol> PROTOCOL =
            Setting.choice("protocol", ServiceProtocol.class).effect("what they speak");
    static final Setting<InetSocketAddress> LISTEN = Setting.of(
                    "listen", "ADDRESS:PORT", text -> SettingGrammar.address(text, 0))
            .effect("where they come in");
    static final Setting<String> SERVICE = Setting.of(
                    "service",
                    "NAME:PORT; of `tls` `*:PORT`",
                    text -> text.toLowerCase(Locale.ROOT))
            .effect(
                    "what they get, as somebody serves it under `NAME:PORT/`; TLS clients name it themselves");
    static final Setting<PortRange> DATA_PORTS = Setting.of(
                    "data-ports", "FIRST-LAST of 1024 to 65535; of `ftp` only", PortRange::parse)
            .byDefault("whichever are free", () -> PortRange.ANY)
            .effect("where passive data connections come in");

    private static final String NAME = "[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\\[[0-9a-f:.]+]";

    /**
     * Reads a member of {@code services}. Null when a mistake was noted without which there is
     * none.
     */
    public static @Nullable ServiceEntry read(SettingReader reader) {
        ServiceProtocol protocol = reader.find(PROTOCOL);
        InetSocketAddress listen = reader.find(LISTEN);
        String service = reader.find(SERVICE);
        PortRange dataPorts = reader.get(DATA_PORTS);
        reader.require(PROTOCOL, "tcp, tls, ftp or iiop");
        reader.require(LISTEN, "the ADDRESS:PORT where its clients come in");
        reader.require(SERVICE, "NAME:PORT as somebody serves it; of tls *:PORT");
        if (protocol != null && service != null && !isService(protocol, service)) {
            reader.mistake(
                    SERVICE,
                    service,
                    protocol == ServiceProtocol.TLS
                            ? "*:PORT, for TLS names its service itself"
                            : "NAME:PORT as somebody serves it");
        }
        if (protocol != null
                && protocol != ServiceProtocol.FTP
                && !dataPorts.equals(PortRange.ANY)) {
            reader.mistake(
                    DATA_PORTS, dataPorts.first() + "-" + dataPorts.last(), "of protocol ftp only");
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

    /** The service's port. */
    int port() {
        return Integer.parseInt(service.substring(service.lastIndexOf(':') + 1));
    }

    /** The service's name. */
    String name() {
        return service.substring(0, service.lastIndexOf(':'));
    }
}
