package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ports on which a web server takes orders instead of requests: Tomcat's shutdown and AJP ports,
 * Varnish's management, our proxy's control endpoint. Not watched unless asked for. Pure.
 */
final class ControlPorts {

    /**
     * Our proxy's control and metrics endpoint, where its command line names no other port to
     * listen at.
     */
    private static final int PROXY_CONTROL = 7681;

    private ControlPorts() {}

    static boolean isControl(ServerKind kind, ServerProcess process, int port) {
        return switch (kind) {
            case TOMCAT -> port == 8005 || port == 8009;
            case VARNISH -> {
                // Without -T its management listens on a free port of loopback: every port but
                // those of -a.
                List<String> addresses = process.options("-a");
                yield addresses.isEmpty() || addresses.stream().anyMatch(ControlPorts::isFree)
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
        boolean noPort = place.indexOf(':') < 0 && !place.matches("\\d+") || place.endsWith("]");
        return noPort
                ? port == 80
                : place.equals(String.valueOf(port)) || place.endsWith(":" + port);
    }
}
