package dev.komainu.central.fleet;

import org.jspecify.annotations.Nullable;

/**
 * The origin side of a proxy: a service of its own, paired with the proxy by its id.
 * {@code web-01:3128>origin} is the origin side of {@code web-01:3128} (thesis ch. 5: one monitor
 * on each side). So both follow each change of name, and two probes on one proxy report one origin
 * side. Pure.
 */
public final class OriginSide {

    private static final String MARK = ">origin";

    private OriginSide() {}

    /** Returns the id of a proxy's origin side. */
    public static String of(String proxy) {
        return proxy + MARK;
    }

    /** Returns the proxy of this origin side; null for every other service. */
    public static @Nullable String proxyOf(String service) {
        return service.endsWith(MARK)
                ? service.substring(0, service.length() - MARK.length())
                : null;
    }
}
