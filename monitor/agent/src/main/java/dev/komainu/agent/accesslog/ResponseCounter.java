package dev.komainu.agent.accesslog;

import dev.komainu.agent.pages.KnownPages;

/**
 * Counter of the responses in one service's access logs, without a wait for late entries: it tells
 * soon that responses fail. One thread.
 */
final class ResponseCounter {

    private final KnownPages.Pages pages;
    private long all;
    private long serverErrors;
    private long unavailable;
    private long lostPages;

    ResponseCounter(KnownPages.Pages pages) {
        this.pages = pages;
    }

    void add(ParsedLogLine entry) {
        all++;
        if (entry.status == 503) {
            unavailable++;
        } else if (entry.status >= 500 && entry.status < 600) {
            serverErrors++;
        } else if (entry.request != ParsedLogLine.ABSENT) {
            if (entry.status >= 200 && entry.status < 400) {
                pages.found(entry.request, entry.timeMicros);
            } else if (meansMissing(entry.status)
                    && pages.wasFound(entry.request, entry.timeMicros)) {
                lostPages++;
            }
        }
    }

    private static boolean meansMissing(long status) {
        return status == 403 || status == 404 || status == 410;
    }

    /** Returns the counts since the last call and resets them. */
    ResponseCounts take() {
        ResponseCounts taken = new ResponseCounts(all, serverErrors, unavailable, lostPages);
        all = 0;
        serverErrors = 0;
        unavailable = 0;
        lostPages = 0;
        return taken;
    }
}
