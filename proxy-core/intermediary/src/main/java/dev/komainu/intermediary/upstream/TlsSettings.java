package dev.komainu.intermediary.upstream;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS towards https origins.
 *
 * @param verify whether an origin's certificate must be trusted and name its host (true)
 * @param caFile PEM file of the authorities to trust; absent: those the Java runtime trusts
 */
public record TlsSettings(boolean verify, @Nullable Path caFile) {

    public static final TlsSettings DEFAULT = new TlsSettings(true, null);

    void check(List<String> problems) {
        if (caFile != null && !(Files.isReadable(caFile) && OriginTls.isUsable(this))) {
            problems.add("upstream.tls.ca-file: " + caFile + " (expected: a readable PEM file of certificates)");
        }
    }
}
