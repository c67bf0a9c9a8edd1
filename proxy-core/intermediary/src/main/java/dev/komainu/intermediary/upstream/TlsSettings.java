package dev.komainu.intermediary.upstream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of TLS with https origins.
 *
 * @param verify true: an origin's certificate must be trusted and name its host (true)
 * @param caFile PEM file of the trusted authorities; absent: those of the Java runtime
 */
public record TlsSettings(boolean verify, @Nullable Path caFile) {

    static final Setting<Boolean> VERIFY = Setting.truth("upstream.tls.verify")
            .byDefault("true")
            .effect("Whether the certificate of an https origin must be trusted and name its "
                    + "host");

    static final Setting<Path> CA_FILE = Setting.path("upstream.tls.ca-file", "PEM file")
            .byDefaultOf("those of the Java runtime")
            .effect("Trusted certificate authorities");

    public static final TlsSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader collects mistakes. */
    public static TlsSettings read(SettingReader reader) {
        return new TlsSettings(reader.get(VERIFY), reader.find(CA_FILE));
    }

    void check(List<String> problems) {
        if (caFile != null && !(Files.isReadable(caFile) && OriginTls.isUsable(this))) {
            problems.add("upstream.tls.ca-file: " + caFile
                    + " (expected: a readable PEM file of certificates)");
        }
    }
}
