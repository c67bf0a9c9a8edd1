package dev.komainu.central.lease;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/**
 * Settings of this package.
 *
 * @param address URL at which the other centres reach this one; empty: this centre is alone
 */
public record LeaseSettings(String address) {

    private static final Setting<String> ADDRESS = Setting.of(
                    "komainu.lease.address", "a URL", LeaseSettings::url)
            .byDefault("")
            .range("`https://HOST:PORT`, or `http://HOST:PORT` on this machine, without a path")
            .effect(
                    "Address at which other central services with the same control data reach this one")
            .detail("""
                    With it, and with `komainu.control.url`, several central services can share the control data. One of
                    them judges; the others forward every request to it, and one of them takes over when it ends. Without it
                    a second service with the same control data does not start.""");

    public static LeaseSettings read(SettingReader reader) {
        return new LeaseSettings(reader.get(ADDRESS));
    }

    private static String url(String text) {
        if (text.isEmpty()) {
            return text;
        }
        URI url = URI.create(text);
        String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        boolean isHttp = scheme.equals("http") || scheme.equals("https");
        // HOST:PORT alone is read as a scheme without a path.
        if (!isHttp
                || url.getHost() == null
                || !List.of("", "/").contains(url.getPath())
                || url.getQuery() != null
                || url.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    text + " (expected: http://HOST:PORT or https://HOST:PORT)");
        }
        if (scheme.equals("http") && !SettingGrammar.isThisMachine(url.getHost())) {
            throw new IllegalArgumentException(text
                    + " (expected: https, or an address of this machine: passwords and sessions would cross"
                    + " the network in clear text)");
        }
        return scheme + "://" + url.getRawAuthority();
    }

    /** Reports whether this centre may wait for the lease of another one. */
    public boolean shared() {
        return !address.isEmpty();
    }
}
