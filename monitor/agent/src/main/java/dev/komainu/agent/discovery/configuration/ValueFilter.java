package dev.komainu.agent.discovery.configuration;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The filter a directive's value must pass before it leaves the host: up to eight numbers with or
 * without a unit, and words of a fixed list. A password that follows a directive's name, by a
 * missing semicolon or on purpose, does not pass. Pure.
 */
public final class ValueFilter {

    private static final Pattern QUANTITY = Pattern.compile(
            "[-+]?\\d{1,18}(?:\\.\\d{1,6})?(?:[kKmMgGtT]?[bB]?|%|ms|us|s|min|h|d|w|M|y|sec|bytes|x)?"
                    + "(?:\\d{1,9}(?:ms|s|m|h|d))*");
    private static final Pattern RATIO = Pattern.compile("\\d{1,9}[/:x-]\\d{1,9}");
    private static final int MAX_TOKENS = 8;

    /** Switches, units in words, modes of operation. */
    private static final Set<String> WORDS = Set.of("""
            on off yes no true false auto none unlimited infinity default all never always any shared safe aggressive unset
            dead transparent ignore build
            b kb mb gb bytes millisecond milliseconds second seconds minute minutes hour hours day days week weeks month
            months year years m s
            prefork worker event epoll poll select kqueue http tcp h2 http/1.1 threads lru heap gdsf lfuda ufs aufs diskd
            rock null malloc umem file persistent transient disk network accel intercept tproxy roundrobin static-rr
            leastconn first source random uri hdr force reverse forward http-keep-alive http-server-close httpclose
            sync gthread gevent eventlet tornado uvicorn static dynamic ondemand fastcgi uwsgi scgi gzip deflate brotli
            http-tunnel http11nioprotocol http11nio2protocol http11aprprotocol
            """.strip().split("\\s+"));

    private ValueFilter() {}

    /** Reports whether a value may leave the host. */
    public static boolean accepts(String value) {
        String[] tokens = value.strip().split("[\\s,]+");
        if (tokens.length > MAX_TOKENS) {
            return false;
        }
        for (String token : tokens) {
            boolean plain = QUANTITY.matcher(token).matches()
                    || RATIO.matcher(token).matches()
                    || WORDS.contains(token.toLowerCase(Locale.ROOT));
            if (!plain) {
                return false;
            }
        }
        return true;
    }
}
