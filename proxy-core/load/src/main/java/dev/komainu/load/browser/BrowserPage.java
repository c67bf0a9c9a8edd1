package dev.komainu.load.browser;

import java.util.List;

/**
 * What a visitor looks at: a document, and what its browser fetches with it.
 *
 * @param embedded paths of images, styles and scripts, wished for when the document is there
 */
public record BrowserPage(String document, List<String> embedded) {

    public BrowserPage {
        embedded = List.copyOf(embedded);
    }

    public BrowserPage(String document) {
        this(document, List.of());
    }

    /** Objects in all. */
    public int objects() {
        return 1 + embedded.size();
    }
}
