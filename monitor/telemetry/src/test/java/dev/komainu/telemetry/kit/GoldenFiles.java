package dev.komainu.telemetry.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Files written by earlier releases ({@code golden/README.md}). Tests open copies, never the files
 * themselves.
 */
public final class GoldenFiles {

    /** The first release. */
    public static final Path V0_1_0 = root().resolve("0.1.0-e2344e0");

    private GoldenFiles() {}

    /** Returns the directory of all releases, above the working directory of a module's tests. */
    private static Path root() {
        for (Path place = Path.of("").toAbsolutePath(); place != null; place = place.getParent()) {
            if (Files.isRegularFile(place.resolve("golden/make-golden"))) {
                return place.resolve("golden");
            }
        }
        throw new IllegalStateException(
                "no golden/make-golden above " + Path.of("").toAbsolutePath());
    }

    /** Returns the releases that have a file or directory {@code name}. */
    public static List<Path> releasesWith(String name) {
        try (Stream<Path> found = Files.list(root())) {
            List<Path> releases = found.filter(path -> Files.exists(path.resolve(name)))
                    .sorted()
                    .toList();
            assertThat(releases).as("releases with %s", name).isNotEmpty();
            return releases;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unpacks {@code archive.zip} of a release below {@code to}, and returns {@code to}. */
    public static Path unpack(Path release, String archive, Path to) throws IOException {
        Files.createDirectories(to);
        int code = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "-x",
                        "-f",
                        release + "/" + archive + ".zip",
                        "--dir",
                        to.toString());
        assertThat(code).as("unpacking %s", archive).isZero();
        return to;
    }

    /** A check of one golden file. */
    @FunctionalInterface
    public interface Check {
        void run() throws Exception;
    }

    /** Runs a check of a release's file; a failure is reported with the file's name and format. */
    public static void check(Path release, String file, String format, Check check) {
        try {
            check.run();
        } catch (Exception | AssertionError e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            String reason = e.getMessage() + (root == e ? "" : "; root cause: " + root);
            throw new AssertionError(
                    "golden/" + release.getFileName() + "/" + file + " (" + format
                            + ") is no longer read as before: "
                            + (e instanceof AssertionError ? "" : e.getClass().getName() + ": ")
                            + reason,
                    e);
        }
    }

    /**
     * Asserts that {@code now} keeps every member of {@code then}; later builds may add members.
     */
    public static void assertKept(String what, String then, String now) {
        Optional<String> lost = lost(
                JsonMapper.shared().readTree(then), JsonMapper.shared().readTree(now), Set.of());
        assertThat(lost)
                .withFailMessage(() -> what + ": " + lost.orElse("") + "\nwhole record, expected: "
                        + then + "\nread: " + now)
                .isEmpty();
    }

    /**
     * Returns the first member of {@code then} that is missing or different in {@code now}, except
     * members named in {@code changing}.
     */
    public static Optional<String> lost(JsonNode then, JsonNode now, Set<String> changing) {
        if (then.isObject()) {
            for (Map.Entry<String, JsonNode> member : then.properties()) {
                if (!changing.contains(member.getKey())) {
                    Optional<String> lost =
                            lost(member.getValue(), now.path(member.getKey()), changing);
                    if (lost.isPresent()) {
                        return lost.map(inner -> "." + member.getKey() + inner);
                    }
                }
            }
            return now.isObject() ? Optional.empty() : changed(then, now);
        }
        if (then.isArray() && now.isArray() && then.size() == now.size()) {
            for (int i = 0; i < then.size(); i++) {
                int at = i;
                Optional<String> lost = lost(then.get(i), now.get(i), changing);
                if (lost.isPresent()) {
                    return lost.map(inner -> "[" + at + "]" + inner);
                }
            }
            return Optional.empty();
        }
        boolean absent = then.isNull() && now.isMissingNode();
        return absent || then.equals(now) ? Optional.empty() : changed(then, now);
    }

    private static Optional<String> changed(JsonNode then, JsonNode now) {
        return Optional.of(": " + then + " is now " + now);
    }
}
