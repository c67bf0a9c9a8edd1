package dev.komainu.central.api.guard;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * Settings of this package.
 *
 * @param hosts host names, other than {@code localhost} and plain addresses, under which the
 *     service can be reached
 * @param secureCookie whether the session cookie is sent over TLS only
 */
public record GuardSettings(List<String> hosts, boolean secureCookie) {

    private static final Setting<List<String>> HOSTS = Setting.text(
                    "komainu.hosts",
                    "a host name without port",
                    "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
            .list()
            .range("host names without port, comma-separated or as a list")
            .effect("Host names of the service in addition to `localhost` and plain addresses")
            .detail("""
                    Requests with any other name are refused (421), so that a foreign page cannot
                    reach the service through a name of its own.""");
    private static final Setting<Boolean> SECURE_COOKIE = Setting.truth("komainu.secure-cookie")
            .byDefault("false")
            .effect("Whether the session cookie is sent over TLS only; set it when a TLS proxy "
                    + "is in front of the service");

    public static GuardSettings read(SettingReader reader) {
        return new GuardSettings(reader.get(HOSTS, List.of()), reader.get(SECURE_COOKIE));
    }
}
