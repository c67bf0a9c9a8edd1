package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.RequestHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A request for one of the proxy's own pages: {@code GET /squid-internal-mgr/info}, or {@code GET
 * cache_object://HOST/info} as older clients of Squid's manager send it.
 */
final class ManagerRequest {

    private static final byte[] PATH = Ascii.bytes("/squid-internal-mgr");

    private ManagerRequest() {}

    /**
     * Reports whether a request is for such a page. For almost all other requests this is one
     * comparison of a byte.
     */
    static boolean is(RequestHead head) {
        if (head.isManager()) {
            return true;
        }
        byte[] bytes = head.bytes();
        int path = head.pathFrom();
        if (head.isAbsolute() || head.pathLength() < PATH.length || bytes[path + 1] != PATH[1]) {
            return false;
        }
        for (int i = 2; i < PATH.length; i++) {
            if (bytes[path + i] != PATH[i]) {
                return false;
            }
        }
        return head.pathLength() == PATH.length || bytes[path + PATH.length] == '/';
    }

    /** Returns the page's name; null when the request cannot be for a page. */
    static @Nullable String page(RequestHead head) {
        if ((!head.methodIs("GET") && !head.methodIs("HEAD")) || head.hasBody()) {
            return null;
        }
        String path = head.pathAndQuery();
        int from = head.isManager() ? 1 : PATH.length + 1;
        int end = path.indexOf('?') < 0 ? path.length() : path.indexOf('?');
        return from > end ? "" : path.substring(from, end);
    }

    static byte[] text(String page) {
        return page.getBytes(StandardCharsets.UTF_8);
    }
}
