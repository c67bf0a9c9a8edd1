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
    /** Its program is Python's interpreter, which would print its own version. */
    GUNICORN("gunicorn", null),
    UWSGI("uwsgi", "--version"),
    PHP_FPM("php-fpm", "-v"),
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
            case "gunicorn:" -> GUNICORN;
            case "uWSGI" -> UWSGI;
            default -> {
                if (name.startsWith("php-fpm")) {
                    yield PHP_FPM;
                }
                if (name.startsWith("uwsgi")) {
                    yield UWSGI;
                }
                yield name.startsWith("python") && isGunicorn(process.arguments())
                        ? GUNICORN
                        : OTHER;
            }
        };
    }

    /**
     * Reports whether Python runs gunicorn: by its script, by {@code -m gunicorn}, or by the title
     * that it writes when the library for titles is installed.
     */
    private static boolean isGunicorn(List<String> arguments) {
        if (!arguments.isEmpty() && arguments.getFirst().equals("gunicorn:")) {
            return true;
        }
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals("-m")) {
                return i + 1 < arguments.size()
                        && arguments.get(i + 1).matches("gunicorn(\\.app\\.\\w+)?");
            }
            if (!argument.startsWith("-")) {
                return argument.substring(argument.lastIndexOf('/') + 1).matches("gunicorn3?");
            }
        }
        return false;
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
