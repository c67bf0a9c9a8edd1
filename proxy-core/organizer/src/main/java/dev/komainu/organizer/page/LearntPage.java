package dev.komainu.organizer.page;

import java.util.List;

/**
 * One learnt page in the form that is stored on disk.
 *
 * @param url HOST/PATH?QUERY
 * @param loads remembered loads
 */
record LearntPage(String url, int loads, List<LearntPart> parts) {

    /**
     * An object of a page.
     *
     * @param bytes size of its body
     * @param loads remembered loads of the page in which the object could be requested
     * @param followed number of these loads in which the object was requested
     */
    record LearntPart(String url, int bytes, int loads, int followed) {

        LearntPart {
            check("url", url.length(), 1, PageLearner.MAX_URL);
            check("bytes", bytes, 0, PageLearner.MAX_OBJECT_BYTES);
            check("loads", loads, 1, PageLearner.RECENT);
            check("followed", followed, 0, loads);
        }
    }

    LearntPage {
        parts = List.copyOf(parts);
        check("url", url.length(), 1, PageLearner.MAX_URL);
        check("loads", loads, 1, PageLearner.RECENT);
        check("objects", parts.size(), 0, PageLearner.MAX_OBJECTS);
    }

    private static void check(String name, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + minimum + " to " + maximum + ")");
        }
    }
}
