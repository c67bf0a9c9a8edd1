package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The form of the pages in {@code docs/decisions}, their index, and the references to them. */
class DecisionPagesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGES = ROOT.resolve("docs/decisions");

    private static final Pattern FILE = Pattern.compile("(\\d{4})-[a-z0-9-]+\\.md");
    private static final Pattern HEADING = Pattern.compile("# (\\d{4}): (\\S.*)");
    private static final Pattern STATUS = Pattern.compile(
            "Date: (\\d{4}-\\d{2}-\\d{2}) · Status: (accepted|superseded by \\[\\d{4}]\\(\\d{4}-[a-z0-9-]+\\.md\\))");
    private static final Pattern ROW = Pattern.compile(
            "\\| \\[(\\d{4})]\\(([^)]+)\\) \\| (.+) \\| (\\S+) \\| (.+) \\| (.+) \\|");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+\\.md)(?:#[^)]*)?\\)");
    private static final Pattern REFERENCE =
            Pattern.compile("decisions/(\\d{4}(?:-[a-z0-9-]+\\.md)?)");

    /** In the order in which they appear on a page; the first two are required. */
    private static final List<String> SECTIONS =
            List.of("Question", "Decision", "Measured", "Rejected", "Limits");

    private static final Set<String> NOT_READ =
            Set.of(".git", "target", "node_modules", "dist", "data");

    /** File name to lines. */
    private static final Map<String, List<String>> pages = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            for (Path file : files.toList()) {
                if (!file.endsWith("README.md")) {
                    pages.put(file.getFileName().toString(), Files.readAllLines(file));
                }
            }
        }
        assertThat(pages).isNotEmpty();
    }

    @Test
    void page_headingStatusAndSections_haveTheForm() {
        List<String> mistakes = new ArrayList<>();
        pages.forEach((file, lines) -> {
            Matcher name = FILE.matcher(file);
            Matcher heading = HEADING.matcher(lines.getFirst());
            if (!name.matches() || !heading.matches() || !heading.group(1).equals(name.group(1))) {
                mistakes.add(file + ":1: " + lines.getFirst()
                        + " (expected: # NNNN: Title, the number of the file)");
            }
            if (lines.size() < 3 || !STATUS.matcher(lines.get(2)).matches()) {
                mistakes.add(
                        file
                                + ":3: expected: Date: YYYY-MM-DD · Status: accepted, or superseded by [NNNN](FILE)");
            }
            List<String> found = lines.stream()
                    .filter(line -> line.startsWith("## "))
                    .map(line -> line.substring(3))
                    .toList();
            List<String> expected = SECTIONS.stream().filter(found::contains).toList();
            if (!found.equals(expected) || !found.containsAll(SECTIONS.subList(0, 2))) {
                mistakes.add(file + ": sections " + found + " (expected: of " + SECTIONS
                        + ", in this order)");
            }
        });
        assertThat(mistakes).isEmpty();
    }

    @Test
    void page_linksToOtherPages_leadToFiles() {
        List<String> mistakes = new ArrayList<>();
        pages.forEach((file, lines) -> LINK.matcher(String.join("\n", lines))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !Files.exists(PAGES.resolve(link)))
                .forEach(link -> mistakes.add(file + ": " + link + " (expected: a file)")));
        assertThat(mistakes).isEmpty();
    }

    @Test
    void index_everyPage_hasItsRow() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        for (String line : Files.readAllLines(PAGES.resolve("README.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                listed.put(
                        row.group(2),
                        row.group(1) + " " + row.group(3) + " " + row.group(4) + " "
                                + row.group(5));
            }
        }
        Map<String, String> expected = new TreeMap<>();
        pages.forEach((file, lines) -> {
            Matcher heading = HEADING.matcher(lines.getFirst());
            Matcher status = STATUS.matcher(lines.get(2));
            if (heading.matches() && status.matches()) {
                expected.put(
                        file,
                        heading.group(1) + " " + heading.group(2) + " " + status.group(1) + " "
                                + status.group(2));
            }
        });
        assertThat(listed).isEqualTo(expected);
    }

    @Test
    void everyPage_isReferredToFromOutside_andEveryReferenceHasItsPage() throws IOException {
        Set<String> referred = references();
        Set<String> numbers = new TreeSet<>();
        for (String file : pages.keySet()) {
            numbers.add(file.substring(0, 4));
        }
        assertThat(referred.stream()
                        .filter(name -> !pages.containsKey(name) && !numbers.contains(name)))
                .as("references to pages that do not exist")
                .isEmpty();
        referred.forEach(name -> numbers.remove(name.substring(0, 4)));
        assertThat(numbers)
                .as("pages that no file outside docs/decisions refers to")
                .isEmpty();
    }

    /** The texts that follow {@code decisions/} in sources, scripts and other pages. */
    private static Set<String> references() throws IOException {
        Set<String> found = new TreeSet<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(
                    Path directory, BasicFileAttributes attributes) {
                boolean skipped = directory.equals(PAGES)
                        || !directory.equals(ROOT)
                                && NOT_READ.contains(directory.getFileName().toString());
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                    throws IOException {
                String name = file.getFileName().toString();
                if (attributes.isRegularFile()
                        && (name.matches(".*\\.(java|md|sh|xml)")
                                || file.equals(ROOT.resolve("komainu")))) {
                    REFERENCE
                            .matcher(Files.readString(file))
                            .results()
                            .map(reference -> reference.group(1))
                            .forEach(found::add);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
