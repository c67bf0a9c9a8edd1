package dev.komainu.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The draw of {@code ./komainu bench drills --drawn}: a seed is the same drill everywhere, and each
 * half of the seeds is a fair sample. Nothing is run.
 */
class DrawnDrillsTest {

    private static final Path DRILLS =
            Path.of("../.launcher/bench/drills").toAbsolutePath().normalize();
    private static final Pattern LINE = Pattern.compile(
            "  s(\\d+): (.+?), (clear text|TLS|HTTP/2 over TLS)[,;] .* bytes; ([a-z-]+): .* → (.+)");

    @Test
    void seed_drawnAgainByAnotherProcess_isTheSameDrill() throws Exception {
        assertThat(list("1", "--drawn", "1-120")).isEqualTo(list("2", "--drawn", "1-120"));
        assertThat(list("1", "--drawn", "77")).isEqualTo(line(list("1", "--drawn", "1-120"), 77));
    }

    @Test
    void halvesAndParts_ofTheSeeds_shareNothingAndMissNothing() throws Exception {
        List<Integer> seeds = new ArrayList<>();
        for (String part : List.of("1/3", "2/3", "3/3")) {
            for (Draw draw : draws("--drawn", "1-120", "--half", "worked", "--part", part)) {
                assertThat(draw.seed()).isEven();
                seeds.add(draw.seed());
            }
        }
        assertThat(seeds).hasSize(60).doesNotHaveDuplicates();
        assertThat(draws("--drawn", "1-120", "--half", "judged"))
                .hasSize(60)
                .allMatch(draw -> draw.seed() % 2 == 1);
    }

    @Test
    void eachHalf_ofTheFirst120Seeds_hasEveryFaultAndHalfOfItOverTls() throws Exception {
        Set<String> faults = distinct(draws("--drawn", "1-960"), Draw::fault);
        assertThat(faults).hasSizeGreaterThan(40);
        for (String half : List.of("worked", "judged")) {
            List<Draw> draws = draws("--drawn", "1-120", "--half", half);
            assertThat(distinct(draws, Draw::fault)).as(half).isEqualTo(faults);
            assertThat(distinct(draws, Draw::server)).as(half).hasSizeGreaterThanOrEqualTo(12);
            assertThat(draws.stream().filter(Draw::secure).count()).as(half).isBetween(24L, 36L);
            assertThat(draws.stream().filter(Draw::trap).count()).as(half).isBetween(10L, 20L);
            for (String server : distinct(draws, Draw::server)) {
                assertThat(draws.stream().filter(draw -> draw.server().equals(server)))
                        .as(half + " " + server)
                        .hasSizeLessThanOrEqualTo(15);
            }
        }
    }

    @Test
    void name_afterAnUnclearStop_isTheOneThatFollows() throws Exception {
        String told = python(
                "from judging import first_name, changes_of_name",
                "def states(*names): return [{'at': n, 'state': s} for n, s in enumerate(names)]",
                "stop = states('stopped/unclear', 'stopped/restarting', 'normal', 'failing')",
                "print(first_name(stop)['state'], changes_of_name(stop, 2))",
                "print(first_name(states('unknown', 'stopped/unclear', 'normal'))['state'])",
                "print(first_name(states('unknown', 'normal')))",
                "print(changes_of_name(states('saturated/cpu', 'failing', 'saturated/cpu'), 9))");
        assertThat(told.lines())
                .containsExactly("stopped/restarting 1", "stopped/unclear", "None", "2");
    }

    private static String line(String listed, int seed) {
        return listed.lines()
                        .filter(line -> line.startsWith("  s%03d:".formatted(seed)))
                        .findFirst()
                        .orElseThrow()
                + "\n";
    }

    private static Set<String> distinct(List<Draw> draws, Function<Draw, String> part) {
        Set<String> parts = new TreeSet<>();
        draws.forEach(draw -> parts.add(part.apply(draw)));
        return parts;
    }

    private static List<Draw> draws(String... options) throws Exception {
        return list("0", options).lines().map(DrawnDrillsTest::draw).toList();
    }

    private static Draw draw(String line) {
        Matcher drawn = LINE.matcher(line);
        assertThat(drawn.matches()).as(line).isTrue();
        return new Draw(
                Integer.parseInt(drawn.group(1)),
                drawn.group(2),
                !drawn.group(3).equals("clear text"),
                drawn.group(4),
                drawn.group(5).equals("normal"));
    }

    /** Lists drills by a process whose sets and dictionaries are ordered by the given hash seed. */
    private static String list(String hashSeed, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "python3", "-B", DRILLS.resolve("run.py").toString(), "--out", "none", "--list"));
        command.addAll(List.of(options));
        return run(hashSeed, command);
    }

    private static String python(String... lines) throws Exception {
        return run("0", List.of("python3", "-B", "-c", String.join("\n", lines)));
    }

    private static String run(String hashSeed, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(DRILLS.toFile()).redirectErrorStream(true);
        builder.environment().put("PYTHONHASHSEED", hashSeed);
        builder.environment().put("PYTHONIOENCODING", "utf-8");
        Process process = builder.start();
        String words = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(words).isTrue();
        assertThat(process.exitValue()).as(words).isZero();
        return words;
    }

    /**
     * One listed drill.
     *
     * @param server its kind
     * @param secure over TLS
     * @param trap no fault
     */
    private record Draw(int seed, String server, boolean secure, String fault, boolean trap) {}
}
