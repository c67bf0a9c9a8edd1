package dev.komainu.agent.discovery.program;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds of servers the agent recognizes, by program and command line. */
public enum ServerKind {
    NGINX("nginx", "-v"),
    APACHE("apache", "-v"),
    TOMCAT("tomcat", null),
    SQUID("squid", "-v"),
    HAPROXY("haproxy", "-v"),
    VARNISH("varnish", "-V"),
    /** Komainu's own proxy. */
    KOMAINU("komainu", null),
    OTHER("other", null),
    /**
     * Komainu's central service. Never watched, because its console would otherwise watch itself.
     */
    CENTRAL("central", null);

    private static final String PROXY_MAIN = "dev.komainu.proxy.ProxyServer";
    private static final String CENTRAL_MAIN = "dev.komainu.central.CentralApplication";

    private final String label;
    private final @Nullable String versionFlag;

    ServerKind(String label, @Nullable String versionFlag) {
        this.label = label;
        this.versionFlag = versionFlag;
    }

    public String label() {
        return label;
    }

    /** Returns the flag that makes its program print its version; absent when there is none. */
    @Nullable
    public String versionFlag() {
        return versionFlag;
    }

    public boolean isKnown() {
        return this != OTHER && this != CENTRAL;
    }

    public static ServerKind of(ServerProcess process) {
        String name = process.programName();
        return switch (name) {
            case "nginx", "openresty", "nginx:" -> NGINX;
            case "apache2", "httpd" -> APACHE;
            case "squid", "squid3" -> SQUID;
            case "haproxy" -> HAPROXY;
            case "varnishd", "cache-main" -> VARNISH;
            case "java" -> ofJava(process.arguments());
            default -> OTHER;
        };
    }

    private static ServerKind ofJava(List<String> arguments) {
        for (String argument : arguments) {
            if (argument.equals("org.apache.catalina.startup.Bootstrap")) {
                return TOMCAT;
            }
            if (argument.equals(PROXY_MAIN)) {
                return KOMAINU;
            }
            if (argument.equals(CENTRAL_MAIN)) {
                return CENTRAL;
            }
        }
        return OTHER;
    }
}
