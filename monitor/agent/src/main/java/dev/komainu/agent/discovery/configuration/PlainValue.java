package dev.komainu.agent.discovery.configuration;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * The gate a directive's value passes before it may leave the host: up to eight numbers with or without a unit, and words
 * of a fixed list. A password that strays behind a directive's name, by a missing semicolon or on purpose, is neither.
 * Pure.
 */
final class PlainValue {

    private static final Pattern QUANTITY =
            Pattern.compile("[-+]?\\d{1,18}(?:\\.\\d{1,6})?(?:[kKmMgGtT]?[bB]?|%|ms|us|s|min|h|d|w|M|y|sec|bytes|x)?"
                    + "(?:\\d{1,9}(?:ms|s|m|h|d))*");
    private static final Pattern RATIO = Pattern.compile("\\d{1,9}[/:x-]\\d{1,9}");
    private static final int MAX_TOKENS = 8;

    private static final Set<String> WORDS = Set.of(
            // switches
            "on",
            "off",
            "yes",
            "no",
            "true",
            "false",
            "auto",
            "none",
            "unlimited",
            "infinity",
            "default",
            "all",
            "never",
            "always",
            "any",
            "shared",
            "safe",
            "aggressive",
            "unset",
            "dead",
            "transparent",
            "ignore",
            "build",
            // units spelt out
            "b",
            "kb",
            "mb",
            "gb",
            "bytes",
            "millisecond",
            "milliseconds",
            "second",
            "seconds",
            "minute",
            "minutes",
            "hour",
            "hours",
            "day",
            "days",
            "week",
            "weeks",
            "month",
            "months",
            "year",
            "years",
            "m",
            "s",
            // ways of working
            "prefork",
            "worker",
            "event",
            "epoll",
            "poll",
            "select",
            "kqueue",
            "http",
            "tcp",
            "h2",
            "http/1.1",
            "1.0",
            "1.1",
            "2",
            "threads",
            "lru",
            "heap",
            "gdsf",
            "lfuda",
            "ufs",
            "aufs",
            "diskd",
            "rock",
            "null",
            "malloc",
            "umem",
            "file",
            "persistent",
            "transient",
            "mse",
            "disk",
            "network",
            "accel",
            "intercept",
            "tproxy",
            "roundrobin",
            "static-rr",
            "leastconn",
            "first",
            "source",
            "random",
            "uri",
            "hdr",
            "ip_hash",
            "least_conn",
            "http11nioprotocol",
            "http11nio2protocol",
            "http11aprprotocol",
            "force",
            "ssl",
            "reverse",
            "forward",
            "proxy",
            "deferred",
            "reuseport",
            "aggregated",
            "by-process",
            "by-thread",
            "by-group",
            "cubic",
            "bbr",
            "reno",
            "pfifo_fast",
            "fq",
            "fq_codel",
            "noqueue",
            "buffered",
            "x1");

    private PlainValue() {}

    static boolean is(String value) {
        String[] tokens = value.strip().split("[\\s,]+");
        if (tokens.length > MAX_TOKENS) {
            return false;
        }
        for (String token : tokens) {
            boolean plain = QUANTITY.matcher(token).matches()
                    || RATIO.matcher(token).matches()
                    || WORDS.contains(token.toLowerCase(java.util.Locale.ROOT));
            if (!plain) {
                return false;
            }
        }
        return true;
    }
}
