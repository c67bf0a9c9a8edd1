package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.RequestHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A request for one of the proxy's own pages: {@code GET /squid-internal-mgr/info}, or {@code GET
 * cache_object://HOST/info} as older clients of Squid's manager write it.
 */
final class ManagerRequest {

    private static final byte[] PATH = Ascii.bytes("/squid-internal-mgr");

    private ManagerRequest() {}

    /** One comparison of a byte for nearly all others. */
    static boolean is(RequestHead head) {
        if (head.isManager()) {
            return true;
        }
        byte[] bytes = head.bytes();
        int at = head.pathFrom();
        if (head.isAbsolute() || head.pathLength() < PATH.length || bytes[at + 1] != PATH[1]) {
            return false;
        }
        for (int i = 2; i < PATH.length; i++) {
            if (bytes[at + i] != PATH[i]) {
                return false;
            }
        }
        return head.pathLength() == PATH.length || bytes[at + PATH.length] == '/';
    }

    /** The page's name; absent for what cannot be one. */
    static @Nullable String page(RequestHead head) {
        if (!head.methodIs("GET") && !head.methodIs("HEAD") || head.hasBody()) {
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
