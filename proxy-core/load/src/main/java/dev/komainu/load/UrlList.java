package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The pages of an administrator's own server, from a file: one path a line, the most popular first,
 * followed by the paths of its embedded objects. Empty lines and lines that start with # are
 * skipped. Popularity is Zipf-like by the line.
 */
final class UrlList implements PageRequestSource {

    private final List<BrowserPage> pages;
    private final double zipf;
    private final RandomGenerator random;

    private UrlList(List<BrowserPage> pages, double zipf, RandomGenerator random) {
        this.pages = pages;
        this.zipf = zipf;
        this.random = random;
    }

    /**
     * Parses the lines of a file.
     *
     * @param zipf exponent of popularity, 0 to below 1
     * @throws IllegalArgumentException with every invalid line
     */
    static UrlList parse(List<String> lines, double zipf, RandomGenerator random) {
        List<BrowserPage> pages = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            List<String> paths = List.of(line.split("\\s+"));
            for (String path : paths) {
                if (!path.matches("/[!-~]*")) {
                    problems.add("--urls, line " + (i + 1) + ": " + path
                            + " (expected: a path that begins with /, in printable ASCII)");
                }
            }
            pages.add(new BrowserPage(paths.getFirst(), paths.subList(1, paths.size())));
        }
        if (pages.isEmpty() && problems.isEmpty()) {
            problems.add("--urls: no path (expected: at least one)");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
        }
        return new UrlList(List.copyOf(pages), zipf, random);
    }

    @Override
    public BrowserPage next(double second) {
        return pages.get(ZipfPages.rank(pages.size(), zipf, random.nextDouble()));
    }
}
