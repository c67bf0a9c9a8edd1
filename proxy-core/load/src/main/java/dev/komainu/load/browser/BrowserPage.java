package dev.komainu.load.browser;

import java.util.List;

/**
 * A page as viewed by a visitor: a document, and the objects that its browser fetches with it.
 *
 * @param embedded paths of images, styles and scripts, requested after the response with the
 *     document
 */
public record BrowserPage(String document, List<String> embedded) {

    public BrowserPage {
        embedded = List.copyOf(embedded);
    }

    public BrowserPage(String document) {
        this(document, List.of());
    }

    /** Returns the number of all objects, including the document. */
    public int objects() {
        return 1 + embedded.size();
    }
}
