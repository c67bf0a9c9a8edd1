package dev.komainu.organizer.page;

import java.util.List;

/**
 * What is known of one page, as it outlives the process.
 *
 * @param url HOST/PATH?QUERY
 * @param loads that are remembered
 */
record LearntPage(String url, int loads, List<LearntPart> parts) {

    /**
     * An object of it.
     *
     * @param bytes of its body
     * @param loads of the page that it was looked for in
     * @param followed in how many of these it was asked for
     */
    record LearntPart(String url, int bytes, int loads, int followed) {

        LearntPart {
            check("url", url.length(), 1, PageLearner.MOST_URL);
            check("bytes", bytes, 0, PageLearner.MOST_OBJECT_BYTES);
            check("loads", loads, 1, PageLearner.RECENT);
            check("followed", followed, 0, loads);
        }
    }

    LearntPage {
        parts = List.copyOf(parts);
        check("url", url.length(), 1, PageLearner.MOST_URL);
        check("loads", loads, 1, PageLearner.RECENT);
        check("objects", parts.size(), 0, PageLearner.MOST_OBJECTS);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }
}
