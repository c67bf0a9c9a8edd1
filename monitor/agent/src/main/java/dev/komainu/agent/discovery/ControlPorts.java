package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ports on which a web server accepts commands instead of requests: Tomcat's shutdown and AJP
 * ports, Varnish's management port, the control endpoint of Komainu's proxy. They are watched only
 * when the settings name them. Pure.
 */
final class ControlPorts {

    /** Komainu's own control and metrics endpoint when its command line names no other port. */
    private static final int PROXY_CONTROL = 7681;

    private ControlPorts() {}

    static boolean isControl(ServerKind kind, ServerProcess process, int port) {
        return switch (kind) {
            case TOMCAT -> port == 8005 || port == 8009;
            case VARNISH -> {
                // Without -T, Varnish's management listens on a free loopback port. Every port that
                // -a does not name is therefore a control port.
                List<String> addresses = process.options("-a");
                yield (addresses.isEmpty() || addresses.stream().anyMatch(ControlPorts::isFree))
                        ? namesPort(process.option("-T"), port) || port == 6082
                        : addresses.stream()
                                .noneMatch(address -> namesPort(address.split(",")[0], port));
            }
            case KOMAINU -> {
                String listen = process.option("--listen");
                yield listen == null ? port == PROXY_CONTROL : !namesPort(listen, port);
            }
            default -> false;
        };
    }

    private static boolean isFree(String address) {
        return namesPort(address.split(",")[0], 0);
    }

    private static boolean namesPort(@Nullable String address, int port) {
        if (address == null) {
            return false;
        }
        String place = address.substring(address.indexOf('=') + 1);
        boolean noPort = (place.indexOf(':') < 0 && !place.matches("\\d+")) || place.endsWith("]");
        return noPort
                ? port == 80
                : place.equals(String.valueOf(port)) || place.endsWith(":" + port);
    }
}
