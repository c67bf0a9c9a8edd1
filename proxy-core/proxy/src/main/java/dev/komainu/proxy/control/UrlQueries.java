package dev.komainu.proxy.control;

import java.util.regex.Pattern;

/**
 * The choice whether a page shows the queries of URLs, the text behind the {@code ?}. It may
 * contain secrets of visitors, so only callers that may purge see it.
 */
enum UrlQueries {
    SHOWN,
    HIDDEN;

    private static final Pattern QUERY = Pattern.compile("\\?[^\\s\"'<>,;]+");

    /** Returns a URL, or the beginning of one, as the page shows it. */
    String of(String url) {
        int query = this == SHOWN ? -1 : url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    /** Returns a field's value that may contain URLs, such as that of Location or Link. */
    String ofText(String value) {
        return this == SHOWN ? value : QUERY.matcher(value).replaceAll("?…");
    }
}
