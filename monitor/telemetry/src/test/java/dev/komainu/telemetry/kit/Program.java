package dev.komainu.telemetry.kit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** A program of this machine that a test runs; without it the test is skipped. */
public final class Program {

    /** Debian puts servers in sbin, which a user's PATH may lack. */
    private static final List<String> PLACES =
            List.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/sbin", "/bin");

    /** Debian's packages with another name than the program. */
    private static final Map<String, String> PACKAGES = Map.ofEntries(
            Map.entry("ab", "apache2-utils"),
            Map.entry("nghttp", "nghttp2-client"),
            Map.entry("h2load", "nghttp2-client"),
            Map.entry("nginx", "nginx-light"),
            Map.entry("ip", "iproute2"),
            Map.entry("tc", "iproute2"),
            Map.entry("promtool", "prometheus"),
            Map.entry("unshare", "util-linux"),
            Map.entry("cc", "gcc libc6-dev"),
            Map.entry("fusermount3", "fuse3"),
            Map.entry("nsenter", "util-linux"),
            Map.entry("timeout", "coreutils"),
            Map.entry("omniNames", "omniorb-nameserver"),
            Map.entry("nameclt", "omniorb"),
            Map.entry("catior", "omniorb"));

    private Program() {}

    /** Returns the program's path; empty when it is not installed. */
    public static Optional<Path> find(String name) {
        return PLACES.stream()
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Returns the program's path, or skips the test with the command that installs it. */
    public static Path need(String name) {
        Optional<Path> found = find(name);
        Assumptions.assumeTrue(
                found.isPresent(),
                () -> name + ": not found (expected: apt-get install "
                        + PACKAGES.getOrDefault(name, name) + ")");
        return found.orElseThrow();
    }
}
