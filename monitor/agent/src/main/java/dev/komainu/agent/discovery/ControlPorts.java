package dev.komainu.agent.discovery;

import org.jspecify.annotations.Nullable;

/**
 * Ports on which a web server takes orders instead of requests: Tomcat's shutdown and AJP ports, Varnish's management,
 * our proxy's control endpoint. Not watched unless asked for. Pure.
 */
final class ControlPorts {

    /** Our proxy's control and metrics endpoint, where its command line names no other port to listen at. */
    private static final int PROXY_CONTROL = 7681;

    private ControlPorts() {}

    static boolean isControl(ServerKind kind, ServerProcess process, int port) {
        return switch (kind) {
            case TOMCAT -> port == 8005 || port == 8009;
            case VARNISH -> namesPort(process.option("-T"), port) || port == 6082;
            case KOMAINU -> {
                String listen = process.option("--listen");
                yield listen == null ? port == PROXY_CONTROL : !namesPort(listen, port);
            }
            default -> false;
        };
    }

    private static boolean namesPort(@Nullable String address, int port) {
        return address != null && (address.equals(String.valueOf(port)) || address.endsWith(":" + port));
    }
}
