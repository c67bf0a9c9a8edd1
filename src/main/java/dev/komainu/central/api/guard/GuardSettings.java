package dev.komainu.central.api.guard;

import dev.komainu.central.settings.SettingsReader;
import java.util.List;

/**
 * Settings of this room.
 *
 * @param hosts names, beyond {@code localhost} and plain addresses, under which the service may be reached
 * @param secureCookie whether the session cookie travels over TLS only; true where a TLS proxy stands before the service
 */
public record GuardSettings(List<String> hosts, boolean secureCookie) {

    public static GuardSettings from(SettingsReader reader) {
        return new GuardSettings(
                reader.words(
                        "komainu.hosts",
                        List.of(),
                        "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?",
                        "host names without port, separated by commas"),
                reader.flag("komainu.secure-cookie", false));
    }
}
