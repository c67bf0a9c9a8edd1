package dev.komainu.central.identity;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of TLS at the service's own address.
 *
 * @param mode when the address has TLS
 * @param certificate PEM file of a certificate with its issuers; absent: the authority issues one
 * @param key PEM file of its key
 * @param hsts time in Strict-Transport-Security; 0: the field is not sent
 */
public record ServerTlsSettings(
        Mode mode, @Nullable Path certificate, @Nullable Path key, Duration hsts) {

    /** The choice of TLS or clear text. */
    public enum Mode {
        /** Loopback addresses have clear text, all others TLS. */
        AUTO,
        ALWAYS,
        OFF
    }

    private static final Setting<Mode> MODE = Setting.choice("komainu.tls.mode", Mode.class)
            .byDefault("auto")
            .effect("When console, REST, stream and ingest have TLS")
            .detail("""
                    `auto`: unless `komainu.listen` is a loopback address. `off` sends passwords and
                    tokens in clear text over the network, and the console says so; use it behind a
                    TLS proxy on another host.""");
    private static final Setting<Path> CERTIFICATE = Setting.path(
                    "komainu.tls.certificate", "a PEM file")
            .effect("Certificate with its issuers, the service's own first")
            .detail("""
                    Without it the service issues one itself: browsers then warn until
                    `authority/authority.pem` below `komainu.data` is among their authorities. A
                    changed file is read within a minute.""");
    private static final Setting<Duration> HSTS = Setting.duration("komainu.tls.hsts", "0", "730d")
            .byDefault("0")
            .effect(
                    "Time for which browsers use TLS only for this name (Strict-Transport-Security); 0: not sent");
    private static final Setting<Path> KEY = Setting.path("komainu.tls.key", "a PEM file")
            .effect("Key of `komainu.tls.certificate`: PKCS#8, EC or RSA, without a passphrase");

    /** Reads the settings. */
    public static ServerTlsSettings read(SettingReader reader) {
        Path certificate = reader.find(CERTIFICATE);
        Path key = reader.find(KEY);
        if ((certificate == null) != (key == null)) {
            reader.mistake(
                    "komainu.tls.certificate, komainu.tls.key: one of them is missing (expected: both, or none)");
        }
        Duration hsts = reader.get(HSTS);
        if (!hsts.isZero() && certificate == null) {
            reader.mistake(
                    HSTS,
                    "0 without komainu.tls.certificate: browsers would refuse the service's own one for so long");
        }
        return new ServerTlsSettings(reader.get(MODE), certificate, key, hsts);
    }

    /**
     * Reports whether an address has TLS.
     *
     * @param address listening address
     */
    public boolean covers(InetAddress address) {
        return switch (mode) {
            case AUTO -> !address.isLoopbackAddress();
            case ALWAYS -> true;
            case OFF -> false;
        };
    }
}
