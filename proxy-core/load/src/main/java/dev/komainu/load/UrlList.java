package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The pages of an administrator's own server, from a file: a path a line, the most popular first,
 * with the paths of its embedded objects behind it. Empty lines and those that begin with # say
 * nothing. Popularity is Zipf-like by the line.
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
     * @param zipf exponent of popularity, 0 to below 1
     * @throws IllegalArgumentException names every line that cannot be read
     */
    static UrlList parse(List<String> lines, double zipf, RandomGenerator random) {
        List<BrowserPage> pages = new ArrayList<>();
        List<String> mistakes = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            List<String> paths = List.of(line.split("\\s+"));
            for (String path : paths) {
                if (!path.matches("/[!-~]*")) {
                    mistakes.add("--urls, line " + (i + 1) + ": " + path
                            + " (expected: a path that begins with /, in printable ASCII)");
                }
            }
            pages.add(new BrowserPage(paths.getFirst(), paths.subList(1, paths.size())));
        }
        if (pages.isEmpty() && mistakes.isEmpty()) {
            mistakes.add("--urls: no path in it (expected: at least one)");
        }
        if (!mistakes.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), mistakes));
        }
        return new UrlList(List.copyOf(pages), zipf, random);
    }

    @Override
    public BrowserPage next(double second) {
        return pages.get(ZipfPages.rank(pages.size(), zipf, random.nextDouble()));
    }
}
