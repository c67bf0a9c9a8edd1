package dev.komainu.central.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.ScenarioRun;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every item's commands, run on a copy of the distribution's own configuration: each setting is
 * added, changed in its place and undone twice, which restores every file byte for byte; then all
 * settings are added, and the server's own check reads the result.
 */
class BookCommandsTest {

    private static final Set<String> SMALL =
            Set.of("thread_pools", "nbthread", "AsyncRequestWorkerFactor", "pm.start_servers");

    private final AdviceCatalogue book = new AdviceCatalogue(new IndexCatalogue());

    /** Measurements are needed by texts only; those of any server are sufficient. */
    private final MeasurementView view = ScenarioRun.of("/cases/all-well.yaml").view();

    @TempDir
    private Path root;

    @TestFactory
    Stream<DynamicTest> everyItemOfTheServersFoundHere() {
        return Stream.of(
                        "apache prefork",
                        "apache worker",
                        "apache event",
                        "nginx",
                        "squid",
                        "haproxy",
                        "varnish",
                        "tomcat",
                        "gunicorn",
                        "uwsgi",
                        "php-fpm",
                        "komainu",
                        "linux")
                .map(name -> DynamicTest.dynamicTest(name, () -> check(name.split(" "))));
    }

    private void check(String... name) throws IOException, InterruptedException {
        String kind = name[0];
        ServerBench bench =
                ServerBench.of(kind, Files.createDirectories(root.resolve(String.join("-", name))));
        assumeTrue(bench.isHere(), kind + ": not installed here");
        // Varnish reads its files as another user.
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        String mpm = name.length > 1 ? name[1] : "prefork";
        bench.prepare(mpm);
        List<AdviceItem> items = page(kind).items().stream()
                .filter(item -> !kind.equals("apache")
                        || (item.only().isEmpty() || item.only().contains("MPM=" + mpm))
                                && !item.unless().contains("MPM=" + mpm))
                .toList();
        for (AdviceItem item : items) {
            putInChangedAndBack(kind, item, bench);
        }
        Set<String> set = new HashSet<>();
        for (AdviceItem item : items) {
            if (set.add(item.setting())) {
                run(commands(kind, item, bench, value(item, 0)).writing());
            }
        }
        bench.check();
    }

    private void putInChangedAndBack(String kind, AdviceItem item, ServerBench bench)
            throws IOException, InterruptedException {
        Map<String, String> untouched = files(bench.root());

        Commands first = commands(kind, item, bench, value(item, 0));
        run(first.writing());
        if (item.value() != null && files(bench.root()).equals(untouched)) {
            // The package sets this word itself, as Debian's nginx.conf has "gzip on".
            return;
        }
        assertThat(files(bench.root()).equals(untouched)).as(first.writing()).isFalse();

        Map<String, String> once = files(bench.root());
        Commands second = commands(kind, item, bench, value(item, 1));
        run(second.writing());
        if (item.value() == null) {
            assertThat(files(bench.root()).equals(once)).as(second.writing()).isFalse();
        }

        run(second.undoing());
        // A file of our own is written as a whole: deleting it undoes both commands.
        if (Objects.requireNonNull(page(kind).syntaxes().get(item.place())).set() != null) {
            assertThat(files(bench.root()).equals(once)).as(second.undoing()).isTrue();
            run(first.undoing());
        }
        assertThat(files(bench.root()).equals(untouched)).as(first.undoing()).isTrue();
    }

    private AdvicePage page(String kind) {
        return Objects.requireNonNull(book.pages().get(kind));
    }

    /** Returns the commands for a server whose settings are where the copy now contains them. */
    private Commands commands(String kind, AdviceItem item, ServerBench bench, String value)
            throws IOException {
        AdvicePage page = page(kind);
        CommandSyntax syntax = Objects.requireNonNull(page.syntaxes().get(item.place()));
        String usual = bench.file(new TextTemplate(
                        figures(page, item, profile(kind, bench, List.of())),
                        profile(kind, bench, List.of()),
                        null,
                        "",
                        null)
                .fill(Objects.requireNonNullElse(item.file(), "FILE")));
        Setting standing = bench.find(item, syntax, usual);
        ServiceProfile profile =
                profile(kind, bench, standing == null ? List.of() : List.of(standing));
        FoundSetting found = FoundSetting.of(profile, item.setting(), item.otherwise());
        boolean stands = syntax.isCommandLine() ? found.onCommandLine() : found.file() != null;
        String file = stands && found.file() != null ? found.file() : usual;
        return new Commands(
                item,
                syntax,
                Objects.requireNonNull(page.effects().get(item.effect())),
                new FormulaValues(profile, view, page, "unit", item, found),
                found,
                stands,
                file,
                value);
    }

    private FormulaValues figures(AdvicePage page, AdviceItem item, ServiceProfile profile) {
        return new FormulaValues(
                profile,
                view,
                page,
                "unit",
                item,
                FoundSetting.of(profile, item.setting(), item.otherwise()));
    }

    private static ServiceProfile profile(String kind, ServerBench bench, List<Setting> more) {
        List<Setting> settings =
                Stream.concat(bench.settings().stream(), more.stream()).toList();
        return new ServiceProfile(
                "web-01:" + ServerBench.PORT,
                "web-01",
                kind,
                kind,
                null,
                List.of(),
                100L,
                null,
                settings,
                Set.of(),
                0,
                0);
    }

    /** Returns one of two different values, as the item writes them. */
    private static String value(AdviceItem item, int which) {
        if (item.value() != null) {
            return item.value();
        }
        String unit = item.unit() == null ? "" : item.unit();
        if (item.place().equals("store")) {
            return "malloc " + (which == 0 ? "64" : "96") + unit;
        }
        // Values that every server accepts: some have an upper limit.
        int[] numbers = SMALL.contains(item.setting()) ? new int[] {3, 4} : new int[] {120, 140};
        String number = numbers[which] + unit;
        return Integer.valueOf(3).equals(item.part()) ? "4096 16384 " + number : number;
    }

    private static void run(String command) throws IOException, InterruptedException {
        ServerBench.run(
                List.of("bash", "-c", command.replace(" && systemctl daemon-reload", "")),
                Map.of());
    }

    /** Returns every file below a directory with its contents; a link with its target. */
    private static Map<String, String> files(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                String name = directory.relativize(path).toString();
                if (Files.isSymbolicLink(path)) {
                    files.put(name, "→ " + Files.readSymbolicLink(path));
                } else if (Files.isRegularFile(path) && !name.startsWith("log")) {
                    files.put(name, Files.readString(path));
                }
            }
        }
        return files;
    }
}
