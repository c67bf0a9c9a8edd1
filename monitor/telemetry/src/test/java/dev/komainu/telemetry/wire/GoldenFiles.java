package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What earlier releases wrote ({@code golden/README.md}). Tests open copies, never the files themselves. */
public final class GoldenFiles {

    private static final Path ROOT = Path.of("../../golden");

    private GoldenFiles() {}

    /** A directory for each release whose files are kept. */
    public static List<Path> releases() throws IOException {
        try (Stream<Path> found = Files.list(ROOT)) {
            List<Path> releases = found.filter(path -> Files.isDirectory(path.resolve("wire")))
                    .sorted()
                    .toList();
            assertThat(releases).as("releases in %s", ROOT).isNotEmpty();
            return releases;
        }
    }

    /** Unpacks {@code archive.zip} of a release below {@code to}. */
    public static void unpack(Path release, String archive, Path to) {
        int code = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "-x", "-f", release.resolve(archive + ".zip").toString(), "--dir", to.toString());
        assertThat(code).as("unpacking %s", archive).isZero();
    }

    /** Asserts that nothing of {@code expected} is lost or changed in {@code actual}; later builds may tell more. */
    public static void assertKept(String what, String expected, String actual) {
        kept(what, JsonMapper.shared().readTree(expected), JsonMapper.shared().readTree(actual));
    }

    private static void kept(String what, JsonNode expected, JsonNode actual) {
        if (expected.isObject()) {
            for (Map.Entry<String, JsonNode> member : expected.properties()) {
                kept(what + "." + member.getKey(), member.getValue(), actual.path(member.getKey()));
            }
        } else if (expected.isArray()) {
            assertThat(actual.size()).as(what).isEqualTo(expected.size());
            IntStream.range(0, expected.size())
                    .forEach(i -> kept(what + "[" + i + "]", expected.get(i), actual.get(i)));
        } else {
            assertThat(actual).as(what).isEqualTo(expected);
        }
    }
}
