package dev.komainu.proxy.fetch;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The settings for forwarding fields of clients: the fields that origins receive.
 *
 * @param pass lower-case names, none by default. For a chain of proxies whose first one replaces
 *     these fields; the origin must then either ignore them or name them in Vary, because no cache
 *     key contains them.
 */
public record ForwardingSettings(Set<String> pass) {

    static final Setting<List<String>> PASS = Setting.text(
                    "forwarding.pass",
                    "field names of 1 to 64 characters, without _",
                    "[!#$%&'*+.^`|~0-9A-Za-z-]{1,64}")
            .list()
            .effect("Forwarding fields of clients that are passed on to origins")
            .detail("""
                    Without this setting, `Forwarded`, `X-Forwarded-*`, `X-Real-IP`,
                    `X-Original-URL`, `X-Rewrite-URL` and similar fields are left out, because
                    clients can invent them and no cache key contains them.""");

    public static final ForwardingSettings DEFAULT = read(SettingReader.ofDefaults());

    public ForwardingSettings {
        pass = Set.copyOf(pass);
    }

    /** Reads these settings; the reader records invalid values. */
    public static ForwardingSettings read(SettingReader reader) {
        return new ForwardingSettings(reader.get(PASS, List.of()).stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet()));
    }

    boolean passes(String lowerName) {
        return !pass.isEmpty() && pass.contains(lowerName);
    }
}
